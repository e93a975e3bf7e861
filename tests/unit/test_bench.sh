#!/bin/sh
# test_bench.sh: `fftw3-gpu bench` on sim: which problems it runs, that results are checked, the table and the CSV file.
# Times are printed but never looked at.
. "$(dirname "$0")/cli.sh"
FFTW3_GPU_BACKEND=sim
export FFTW3_GPU_BACKEND

# bench STATUS ARGUMENT...
bench() {
  status_wanted=$1
  shift
  expect "$status_wanted" bench "$@"
}

# column NAME PROBLEM: a figure of the CSV file.
column() {
  awk -F, -v name="$1" -v problem="$2" '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
    $2 == problem { print $at }' "$work/csv"
}

# The last CSV file's columns have names of their own.
distinct() {
  head -n 1 "$work/csv" | tr , '\n' | sort | uniq -d >"$work/twice"
  [ ! -s "$work/twice" ] || fail "columns of the same name: $(cat "$work/twice")"
  for name in problem note plan; do head -n 1 "$work/csv" | tr , '\n' | grep -qx "$name" || fail "no column $name"; done
}

# rows PROBLEM...: a row of the table for each, and in the CSV file an error that is rounding alone, and a time.
rows() {
  for problem in "$@"; do
    awk -v p="$problem" '$1 == p { found = 1 } END { exit !found }' "$work/out" || fail "no row for $problem"
    error=$(column error "$problem")
    awk -v e="$error" -v most="${most:-1e-6}" 'BEGIN { exit !(e != "" && e > 0 && e < most) }' || fail "error of $problem: \"$error\""
    awk -v t="$(column ours_us "$problem")" 'BEGIN { exit !(t > 0) }' || fail "no time of $problem"
  done
  [ "$(wc -l <"$work/csv")" -eq $(($# + 1)) ] || fail "the CSV file has not $# cases"
  out "geometric mean"
  out "$# cases"
}

quick=--seconds=0.001 # three repetitions

# ---- on the device: batches, in place, backward, split, strides, several dimensions, primes
bench 0 --device $quick --csv "$work/csv" oc8 'oc16*4' ic12x10 ob100 '/oc8x6*3' oc37 oc8v3 oc4:-1:2x3:9:20
no_err; out "sim"
rows ocf8 'ocf16*4' icf12x10 ocb100 '/ocf8x6*3' ocf37 ocf8v3 ocf4:-1:2x3:9:20
distinct
for problem in ocf8 icf12x10 ocb100; do
  awk -v t="$(column ours_in_place_us $problem)" 'BEGIN { exit !(t > 0) }' || fail "no time of $problem in place"
done
[ -z "$(column ours_in_place_us ocf4:-1:2x3:9:20)$(column ours_out_of_place_us icf12x10)" ] || fail "times of what was not asked for"
[ "$(column passes icf12x10)" = 1 ] || fail "passes of icf12x10: $(column passes icf12x10)"
grep -q '"(tile 8 ' "$work/csv" || fail "no text of passes"

# ---- each execution to its end, as a program has it: whatever reaches its arrays
bench 0 --device --waited $quick --csv "$work/csv" oc8 'ic12*5' orf20x6 '/oc8x6*3' 'ok9e00*4'
no_err; out "each execution waited for"
rows ocf8 'icf12*5' orf20x6 '/ocf8x6*3' 'ok9e00*4'
bench 1 --device --waited $quick --csv "$work/csv" oc4:1:3x3:4:12; out "arrays without gaps"
bench 2 --host --waited oc8; err "--waited"

# ---- without FFTW in double precision: forward and backward
mkdir "$work/empty"
: >"$work/empty/libfftw3.so.3"
LD_LIBRARY_PATH=$work/empty bench 0 --device $quick --csv "$work/csv" oc8 ob30x2 /ic6x4 oc17 oc4:1:3x3:4:12
no_err; out "checked by round trip"
rows ocf8 ocb30x2 /icf6x4 ocf17 ocf4:1:3x3:4:12

# ---- what fails does not keep the others back
FFTW3_GPU_SIM_FAIL=launch:1 bench 1 --device $quick oc8 oc9
out "injected"; out "2 cases, 1 failed"
bench 1 --device $quick oc8 'oc8*0'
out "an empty batch"; out "2 cases, 1 failed"

# ---- real data: both directions, in place, batches, odd, prime, two and three dimensions, split, strides; r2r kinds
set -- orf12 orb12 'orf9*5' 'orb9*5' irf10x6 irb10x6 'irf1001*3' 'irb16x16*3' \
  orf4x3x8 'orb4x3x8*2' orf17 orb17 '/orf6x4' orf8:2:3 ok12e10 \
  ok8e01x6o11 ik9f ok9b ok7h 'ok9e00*3' ok7o00 ok10o10
bench 0 --device $quick --csv "$work/csv" "$@"
no_err; out "÷ complex"
rows "$@"
for problem in irf10x6 orb12 ok12e10; do
  awk -v t="$(column ours_per_complex $problem)" 'BEGIN { exit !(t > 0) }' || fail "no complex time for $problem"
done
[ -z "$(column ours_in_place_us orf12)" ] || fail "r2c was timed in place"
out "in place: timed from one array to another"
[ "$(column bytes irf10x6)" = 280 ] || fail "bytes of irf10x6: $(column bytes irf10x6)" # (60 + 80) / 2 reals of 4
[ "$(column bytes ok12e10)" = 48 ] || fail "bytes of ok12e10: $(column bytes ok12e10)"
bench 0 --device $quick oc8; ! grep -q complex "$work/out" || fail "a column for nothing"
LD_LIBRARY_PATH=$work/empty bench 0 --device $quick --csv "$work/csv" orf8x3 irb6x5 ok9e01 ok9e00x5o00 ok6f
no_err; out "checked by round trip"
rows orf8x3 irb6x5 ok9e01 ok9e00x5o00 ok6f

# ---- on the host, through the FFTW interface
bench 0 $quick --csv "$work/csv" oc8 'ic12x10*2' /ib9 oc4:-1:2x3:9:20
no_err; out "55 GB/s"
rows ocf8 'icf12x10*2' /icf9 ocf4:-1:2x3:9:20
distinct
grep -q '(gpu-' "$work/csv" || fail "the plans were not ours"
for figure in stock_1_thread_us link_floor_us ours_per_link_floor; do
  [ "$(column $figure ocf8)" ] || fail "no $figure"
done
bench 1 --host $quick or8; out "only complex transforms are timed"

# ---- suites
bench 0 --suite=peers --list
[ "$(wc -l <"$work/out")" -eq 210 ] || fail "peers has not 210 cases"
for case in 'pow2 ocf2*16777216' 'pow2 ocf16777216*2' '3d ocf160x160x160*8' '3d ocf1024x1024x1024' \
  'small3d ocf64x64x64*512' '2d ocf1080x1920*16' 'small2d ocf12x28*8192' 'qmc24 ocf24x24x24' 'qmc24 ocf24x24x24*54' \
  'f11f13 ocf210432*159' 'prime ocf1000003*33' 'smooth ocf2000000*16'; do
  grep -qxF "$case" "$work/out" || fail "peers lacks $case"
done
bench 0 --suite=host --list oc5
[ "$(wc -l <"$work/out")" -eq 26 ] || fail "host has not 25 cases"
out "qmc ocf24x24x24*27"; out "ocf5"
bench 0 --suite=passes --list
out "ocf4096x4096"; out "ocf1000003*16"

bench 0 --suite=real --list
[ "$(grep -cE '^(r2c|c2r)-' "$work/out")" -ge 60 ] || fail "real has not 60 cases of r2c and c2r"
for case in 'r2c-1d orf4096*8192' 'c2r-3d orb1024x1024x1024' 'r2c-2d orf1080x1920*16' 'c2r-prime orb10007*3353' \
  'r2r-dct1 ok129e00*260111' 'r2r-dct2-2d ok512e10x512e10*128'; do
  grep -qxF "$case" "$work/out" || fail "real lacks $case"
done

bench 0 --suite=r2r --list
[ "$(wc -l <"$work/out")" -eq 120 ] || fail "r2r has not 120 cases"
for case in 'dct1-1d ok1010e00*33222' 'dct4-3d ok256e11x256e11x256e11*2' 'dst1-small3d ok23o00x23o00x23o00*512' \
  'dst3-single ok65536o01' 'dst2-small2d ok32o10x32o10*8192'; do
  grep -qxF "$case" "$work/out" || fail "r2r lacks $case"
done

bench 0 --suite=double --list
[ "$(wc -l <"$work/out")" -eq 80 ] || fail "double has not 80 cases"
out "c2r-3d orb256x256x256"; out "prime ocf1000003*16"

# ---- double precision: the same table, errors of that precision
bench 0 --device --precision=double $quick --csv "$work/csv" oc8 orf12x3 orb100 ok12e10 /oc17 'oc1009*2'
no_err; out "double precision"
most=1e-15
rows ocf8 orf12x3 orb100 ok12e10 /ocf17 'ocf1009*2'
[ "$(column bytes ok12e10)" = 96 ] || fail "bytes of ok12e10: $(column bytes ok12e10)"
most=
most=1e-15
FFTW3_GPU_DOUBLE=double bench 0 --host --precision=double $quick --csv "$work/csv" oc8 'ic12x10*2' /ib9
rows ocf8 'icf12x10*2' /icf9
grep -q '(gpu-' "$work/csv" || fail "the plans were not ours"
most=
FFTW3_GPU_DOUBLE=single bench 0 --host --precision=double $quick --csv "$work/csv" oc8 'ic12x10*2' /ib9
rows ocf8 'icf12x10*2' /icf9
awk -v e="$(column error ocf8)" 'BEGIN { exit !(e > 1e-9) }' || fail "that was not computed in single precision"
bench 2 --precision=half oc8; err "no precision 'half'"

# ---- the plot: well-formed, a mark for each case, no class without a name
bench 0 --device $quick --svg "$work/plot.svg" oc8 orf12 ok9e00
no_err
[ "$(grep -c '<circle class="copy"' "$work/plot.svg")" -eq 3 ] || fail "not a mark for each case"
[ "$(grep -c '<circle class="peer"' "$work/plot.svg")" -eq 0 ] || fail "a peer on sim"
grep -q '<title>orf12: ' "$work/plot.svg" || fail "a mark without its problem"
grep -q 'fftw3-gpu bench, sim, 2' "$work/plot.svg" || fail "no title"
if command -v xmllint >/dev/null; then xmllint --noout "$work/plot.svg" || fail "the plot is not XML"
elif command -v python3 >/dev/null; then
  python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$work/plot.svg" || fail "the plot is not XML"
else tail -n 1 "$work/plot.svg" | grep -qx '</svg>' || fail "the plot has no end"
fi
! grep -qE 'nan|inf' "$work/plot.svg" || fail "a coordinate that is none"
bench 1 --device --svg "$work/none/svg" oc8; err "$work/none/svg"
bench 2 --host --svg "$work/plot.svg" oc8; err "--svg is for"

# ---- what is not understood
bench 2; err "a problem or a suite is missing"
bench 2 --suite=all; err "no suite 'all'"
bench 2 --seconds=0 oc8; err "--seconds=0"
bench 2 oc8 ocx; err "\"ocx\""
bench 1 --vkfft="$work/none.so" oc8; err "none.so"
bench 1 --vkfft=libm.so.6 oc8; err "not a CUDA library of pyvkfft"
bench 1 --csv "$work/none/csv" oc8; err "$work/none/csv"

finish
