#!/bin/sh
# test_accuracy.sh: `fftw3-gpu accuracy` on sim: bounds of a dozen problems, the tables, the CSV file, the plot, what is
# missing, and a program run twice.
. "$(dirname "$0")/cli.sh"
FFTW3_GPU_BACKEND=sim
export FFTW3_GPU_BACKEND

# accuracy STATUS ARGUMENT...
accuracy() {
  status_wanted=$1
  shift
  expect "$status_wanted" accuracy "$@"
}

# figure NAME PROBLEM [DATA]: of the CSV file.
figure() {
  awk -F, -v name="$1" -v problem="$2" -v data="${3:-random}" '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
    $1 == data && $3 == problem { print $at }' "$work/csv"
}

# within LEAST VALUE MOST
within() { awk -v l="$1" -v v="$2" -v m="$3" 'BEGIN { exit !(v != "" && v >= l && v <= m) }' || fail "$4: \"$2\""; }

# ---- errors are stock FFTW's, or smaller, on noise: smooth lengths, convolutions, real data and its kinds
if "$program" accuracy --data=random --precision=single oc8 | grep -q 'against long double FFTW'; then
  accuracy 0 --limit=1.1 --data=random --precision=single,double --rounds=4 'oc64*100' 'ib60*100' oc1024x4 ic24x24x24 'oc1000*8'
  no_err; out "5 cases"; no_out failed
  accuracy 0 --limit=1.5 --data=random --precision=single,double 'oc37*200' 'oc257*20' 'ob509*10' 'oc1009*4'
  accuracy 0 --limit=1.2 --data=random --precision=as-single,double 'oc64*100' 'orf360*40' 'ok36o00*200' ic24x24x24
  accuracy 0 --limit=1.2 --data=random --precision=single 'orf360*40' 'orb256*60' 'ok128e10*64' 'ok65e00*100' 'ok63o00*100' \
    'ok36o00*200' 'orb37*200' 'ok46o00*200' 'orb59*200' 'ok20e10x24o11*8' orf24x24x24
fi

# ---- all data, both norms, every column
accuracy 0 --csv="$work/csv" --svg="$work/plot.svg" --precision=single,double oc16 'orf30*3' ik9e01 /ob6x4 # not as-single
no_err
for data in random impulse smooth range; do
  out "$data data"
  for problem in ocf16 'orf30*3' ik9e01 /ocf6x4; do
    for name in fftw_single single; do
      for norm in l2 max; do within 0 "$(figure ${name}_$norm "$problem" $data)" 1e-6 "$name $norm of $problem, $data"; done
    done
    for name in fftw_double double; do within 0 "$(figure ${name}_l2 "$problem" $data)" 2e-15 "$name of $problem, $data"; done
    [ -z "$(figure as_single_l2 "$problem" $data)" ] || fail "as single, which nobody asked for"
  done
done
# ---- each ratio is of the two columns that its heading names, in the table and in the file
accuracy 0 --csv="$work/csv.ratios" --data=random oc48 orf30
awk '$1 == "problem" { for (i = 2; i <= NF; i++) { if ($i == "as") { i++; name[++n] = "as single" }
                       else if ($i == "÷") { i++; name[++n] = "÷ " $i } else name[++n] = $i } }
     $1 == "ocf48" { for (i = 2; i <= NF; i++) value[name[i - 1]] = $i }
     function off(ratio, ours, stock) { return (ratio - ours / stock) ^ 2 > 0.015 ^ 2 }
     END { exit n < 9 || off(value["÷ FFTWf"], value["single"], value["FFTWf"]) ||
                off(value["÷ d→FFTWf"], value["as single"], value["d→FFTWf"]) ||
                off(value["÷ FFTW"], value["double"], value["FFTW"]) }' "$work/out" || fail "a ratio of something else"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
  NR > 1 { for (w = split("single as_single double", ours, " "); w; w--) for (m = split("l2 max", norm, " "); m; m--) {
    r = $at[ours[w] "_per_fftw_" ours[w] "_" norm[m]]; e = $at[ours[w] "_" norm[m]] / $at["fftw_" ours[w] "_" norm[m]]
    if ((r / e - 1) ^ 2 > 1e-12) exit 1; seen++ } }
  END { exit seen != 12 }' "$work/csv.ratios" || fail "a ratio in the file that is of something else"
out "largest as single ÷ d→FFTWf: "
accuracy 0 --svg="$work/as_single.svg" --data=random --precision=as-single oc48
[ "$(grep -c 'class="growth"' "$work/as_single.svg")" -eq 1 ] || fail "no growth beside as single alone"

[ "$(wc -l <"$work/csv")" -eq 17 ] || fail "the CSV file has not 16 rows"
within 1e-9 "$(figure single_l2 ocf16)" 1e-7 "error of ocf16"
within 1e-17 "$(figure double_l2 ocf16)" 3e-16 "error of ocf16 in double precision"

# ---- other data is other data; the same seed gives the same
accuracy 0 --csv="$work/csv" --data=random --precision=single oc48
first=$(figure single_l2 ocf48)
accuracy 0 --csv="$work/csv" --data=random --precision=single oc48
[ "$first" = "$(figure single_l2 ocf48)" ] || fail "another error of the same data"
accuracy 0 --csv="$work/csv" --data=random --precision=single --seed=2 oc48
[ "$first" != "$(figure single_l2 ocf48)" ] || fail "--seed changes nothing"
accuracy 0 --csv="$work/csv" --data=random --precision=single --rounds=2 oc48
[ "$first" != "$(figure single_l2 ocf48)" ] || fail "--rounds changes nothing"

# ---- the limit, and which norm it is of
accuracy 1 --limit=0.01 --data=random --precision=single oc48; out "TOO LARGE"; out "1 cases, 1 failed"
accuracy 0 --limit=1.5 --norm=max --data=random --precision=single 'oc48*50'; out "largest error over the largest number"
accuracy 0 --limit=1 --data=impulse --precision=single,double oc4 # exact, both

# ---- what cannot be done is told, and fails under a limit
FFTW3_GPU_SIM_FAIL=launch:1 accuracy 0 --data=random --precision=single oc8; out "'-' of single: "; out "injected"
FFTW3_GPU_SIM_FAIL=launch:1 accuracy 1 --data=random --precision=single --limit=2 oc8; out "injected"
accuracy 2 --data= oc8; err "--data: not ''"
accuracy 2 --precision= oc8; err "--precision: not ''"
accuracy 1 --data=random 'oc8*0' oc4; out "an empty batch"; out "2 cases, 1 failed"

# ---- the plot: well-formed, a mark for each error, the growth in theory
[ "$(grep -c '<circle' "$work/plot.svg")" -eq 16 ] || fail "not a mark for each error"
[ "$(grep -c 'class="growth"' "$work/plot.svg")" -eq 2 ] || fail "no growth"
if command -v python3 >/dev/null; then
  python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$work/plot.svg" || fail "the plot is not XML"
fi
! grep -qE 'nan|inf' "$work/plot.svg" || fail "a coordinate that is none"

# ---- without FFTW in long double: small problems by the definition; without it in single precision: nothing to compare
mkdir "$work/no_long" "$work/no_single"
: >"$work/no_long/libfftw3l.so.3"
: >"$work/no_single/libfftw3f.so.3"
LD_LIBRARY_PATH=$work/no_long accuracy 0 --csv="$work/csv" --data=random --precision=single oc48 orb12x5 ok15o11
out "against the definition in long double"; out "3 cases"
[ "$first" = "$(figure single_l2 ocf48)" ] || awk -v a="$first" -v b="$(figure single_l2 ocf48)" \
  'BEGIN { exit !(b > 0 && (a - b) / b < 1e-6 && (b - a) / b < 1e-6) }' || fail "another reference"
LD_LIBRARY_PATH=$work/no_long accuracy 1 --data=random --precision=single oc8192*4; out "too large without libfftw3l.so.3"
LD_LIBRARY_PATH=$work/no_single accuracy 0 --data=random --precision=single oc48; out "'-' of FFTWf: no libfftw3f.so.3"
LD_LIBRARY_PATH=$work/no_single accuracy 1 --limit=1.2 --data=random --precision=single oc48; out "nothing to compare with"

# ---- a program, with stock FFTW and with the library
sample=$FG_BUILD/tests/programs/real.app
if [ -x "$sample" ]; then
  accuracy 0 --csv="$work/csv" --program "$sample"; no_err
  out "transforms on the device compared"; out "standard output: "
  awk -F, 'NR > 1 && $3 == "sim" { rows++; if ($7 == "" || $7 + 0 > 1e-6) exit 1 } END { exit !(rows > 10) }' "$work/csv" ||
    fail "not every transform was compared"
  accuracy 1 --tolerance=1e-12 --program "$sample"; out "too large a difference"; out "TOO LARGE"
  FFTW3_GPU=off accuracy 1 --program "$sample"; out "0 transforms on the device compared"
  FFTW3_GPU_DEVICE=7 accuracy 1 --program "$sample"; err "no transform ran on the device"; no_err "FFTW3_GPU_BACKEND=sim"
  FFTW3_GPU_BACKEND=cuda FFTW3_GPU_DEVICE=1000 accuracy 1 --program "$sample"; err "(FFTW3_GPU_BACKEND=sim has the processor"
fi
sample=$FG_BUILD/tests/programs/real_double.app
if [ -x "$sample" ]; then
  FFTW3_GPU_DOUBLE=double accuracy 0 --csv="$work/csv" --program "$sample"
  awk -F, 'NR > 1 && $3 == "sim" { rows++; if ($2 != "double" || $7 + 0 > 1e-14) exit 1 } END { exit !(rows > 10) }' \
    "$work/csv" || fail "not every double transform was compared"
  FFTW3_GPU_DOUBLE=single accuracy 0 --csv="$work/csv" --program "$sample"
  awk -F, 'NR > 1 && $3 == "sim" { rows++; if ($2 != "double as single" || $7 + 0 < 1e-9) exit 1 } END { exit !(rows > 10) }' \
    "$work/csv" || fail "doubles were not computed in single precision"
fi
accuracy 1 --program sh -c 'if test -z "$LD_PRELOAD"; then echo sum 200; else echo sum 201; fi'
out "standard output: 1 of 1 lines differ, in numbers only, by 5.0e-03 of the largest"
# The program's own options, output and exit status.
accuracy 1 --program sh -c 'echo "$1 $LD_PRELOAD"; exit 3' sh --limit
out "standard output: 1 of 1 lines differ, not only in numbers"; out "stock FFTW, line 1: --limit"
echo 'sum 200' >"$work/input" # both find it at its beginning
accuracy 1 --program sh -c 'read -r line && echo "$line"' <"$work/input"; no_err "exit status"
accuracy 1 --program sh -c 'test -z "$LD_PRELOAD"'; err "exit status 0 with stock FFTW, 1 with the library"
accuracy 1 --program sh -c 'test -z "$LD_PRELOAD" || exit 127'; err "exit status 0 with stock FFTW, 127 with the library"
# Its files are in TMPDIR, wherever the program goes.
long=$work/$(printf '%0100d' 0)
mkdir "$long"
TMPDIR=$long accuracy 1 --program sh -c 'echo "in $FFTW3_GPU_REPORT" >&2'; err "in $long/fftw3-gpu-accuracy-"
TMPDIR=. accuracy 1 --program sh -c 'echo "in $FFTW3_GPU_REPORT" >&2'; err "in /"
TMPDIR=/nowhere accuracy 1 --program true; err "/nowhere: No such file"
accuracy 1 --program env; err "planned nothing"
accuracy 1 --program sh -c 'kill -9 $$'; err "there is no report"; no_out "exit status"
accuracy 1 --program "$work/none"; err "$work/none"
[ "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'fftw3-gpu-accuracy-*' -newer "$work/no_long" 2>/dev/null | wc -l)" -eq 0 ] ||
  fail "a folder is left"

# ---- what is not understood
accuracy 2 --data=noise oc8; err "--data: not 'noise'"
accuracy 2 --precision=half oc8; err "--precision: not 'half'"
accuracy 2 --norm=l1 oc8; err "--norm=l1"
accuracy 2 --limit=0 oc8; err "--limit=0"
accuracy 2 --rounds=0 oc8; err "--rounds=0"
accuracy 2 oc8 ocx; err "\"ocx\""
accuracy 2 --program; err "a program is missing"
accuracy 2 --svg="$work/plot.svg" --program true; err "--svg is for problems"
accuracy 1 --csv "$work/none/csv" oc8; err "$work/none/csv"

finish
