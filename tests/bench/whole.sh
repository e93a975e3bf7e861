#!/bin/bash
# whole.sh: whole programs, unmodified: tests/programs/afqmc.f90 (orbitals in bulks, and one a call) and
# navier_stokes.c, with stock FFTW on one thread and on all, and under the preload; in double precision afqmc and
# condensate.f90, whose doubles are computed in double and in single.  Options: common.sh.
#
# Prints for each the program's own seconds of its loop and, in brackets, of the transforms in it, then the seconds of
# the process from start to end: medians of some rounds, in each of which all of them have their turn, since what a program
# does by itself was seen to take half as long again in one run as in the next.  Where time was up before the last round, or a
# program failed, how many there were stands behind.  Exit status 1 if one failed, results differ from stock FFTW's, or there
# is no navier_stokes (the others need a Fortran compiler: a line says which is not there), 75 if time was up.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"
apps=$build/tests/programs
rounds=3 steps=150 bulks=(1 27 54) points=256 flow_steps=2
cloud=(components=6 128 128 128) turns=10
[ -z "$quick" ] || rounds=2 steps=2 bulks=(1 2) points=16 cloud=(16 16 16) turns=2
status=0
[ -s "$apps/navier_stokes.app" ] || { echo "no program $apps/navier_stokes.app"; exit 1; }
: >"$out/whole.tsv"

# run VARIANT DOUBLE VARIABLES NAME TIMES PROGRAM ARGUMENT...: one run, held against the stock one of that name.  DOUBLE: 1
# where results are held to double precision.  TIMES: transforms one after the other, for the tolerance.
run() {
  local variant=$1 double=$2 variables=$3 name=$4 times=$5 begun result=$work/$1.$4
  shift 5
  [ $SECONDS -lt "$limit" ] || { echo "# no time left for $name, $variant" | tee -a "$out/whole.tsv"; return; }
  IFS=, read -r -a variables <<<"$variables"
  begun=$EPOCHREALTIME
  env "${variables[@]}" "$@" >"$result" 2>"$work/err" ||
    { echo "$name, $variant: failed"; cat "$work/err"; status=1; return; }
  awk -v variant="$variant" -v name="$name" -v whole="$(awk "BEGIN { print $EPOCHREALTIME - $begun }")" '
    BEGIN { OFS = "\t" }
    $2 == "seconds" { print variant, (name ~ /double/ ? "double " : "") $1, $3, $5 }
    END { print variant, name " (process)", whole, "" }' "$work/err" >>"$out/whole.tsv"
  awk -v exact=0 -v double="$double" -v times="$times" -f "$bench/../programs/compare.awk" "$work/stock.$name" "$result" ||
    { echo "$name, $variant: results differ from stock FFTW's"; status=1; }
}

# by_turns NAME TIMES PROGRAM ARGUMENT...: THREADS in an argument stands for the variant's.  A variant: its name, threads, whether
# results are held to double precision, and variables.
by_turns() {
  local round variant threads double variables
  [ -s "$3" ] || { echo "# no program $3"; return; }
  for ((round = 0; round < rounds; round++)); do
    for variant in "${variants[@]}"; do
      IFS='|' read -r variant threads double variables <<<"$variant"
      run "$variant" "$double" "$variables" "${@//THREADS/$threads}"
    done
  done
}

about
tune

# warm PROGRAM ARGUMENT...: kernels are compiled once in the life of a machine: not in what is timed.
warm() {
  [ ! -s "$apps/$1" ] || FFTW3_GPU=force LD_PRELOAD=$library "$apps/$1" "${@:2}" >/dev/null
}
if [ -z "$quick" ]; then
  warm navier_stokes.app "$points" 0
  warm afqmc.app steps=1 "${bulks[@]}"
  for way in single double; do
    FFTW3_GPU_DOUBLE=$way warm afqmc_double.app steps=1 "${bulks[@]}"
    FFTW3_GPU_DOUBLE=$way warm condensate_double.app steps=1 "${cloud[@]}"
  done
fi

variants=('stock|1||' "stock_all|$processors||")
[ -n "$quick" ] || variants+=("preload|1||$ours" "preload_all|$processors||$ours")
variants+=("forced|$processors||$forced")
for form in batched single; do
  by_turns "afqmc_$form" $((2 * steps)) "$apps/afqmc.app" "$form" "steps=$steps" threads=THREADS time "${bulks[@]}"
done
by_turns navier_stokes $((18 * flow_steps)) "$apps/navier_stokes.app" "$points" "$flow_steps" THREADS time

# Doubles are computed in both ways.
variants=('stock|1|1|' "stock_all|$processors|1|")
[ -n "$quick" ] || variants+=("preload_all_as_single|$processors||$ours,FFTW3_GPU_DOUBLE=single"
  "preload_all|$processors|1|$ours,FFTW3_GPU_DOUBLE=double")
variants+=("forced_as_single|$processors||$forced,FFTW3_GPU_DOUBLE=single"
  "forced|$processors|1|$forced,FFTW3_GPU_DOUBLE=double")
for form in batched single; do
  by_turns "afqmc_double_$form" $((2 * steps)) "$apps/afqmc_double.app" "$form" "steps=$steps" threads=THREADS time "${bulks[@]}"
done
by_turns condensate_double $((2 * turns)) "$apps/condensate_double.app" "steps=$turns" threads=THREADS time "${cloud[@]}"
awk -F '\t' -v rounds="$rounds" '
  /^#/ { next }
  !($1 in known) { known[$1] = 1; variant[++variants] = $1 }
  !($2 in seen) { seen[$2] = 1; name[++names] = $2 }
  {
    runs = ++count[$2, $1]
    time[$2, $1, runs] = $3
    inside[$2, $1, runs] = $4
  }
  function median(of, key, runs,    i, j, t, sorted) {
    for (i = 1; i <= runs; i++) {
      t = of[key, i]
      for (j = i - 1; j >= 1 && sorted[j] > t; j--) sorted[j + 1] = sorted[j]
      sorted[j + 1] = t
    }
    return runs % 2 ? sorted[(runs + 1) / 2] : (sorted[runs / 2] + sorted[runs / 2 + 1]) / 2
  }
  END {
    printf "| program |"
    for (v = 1; v <= variants; v++) printf " %s |", variant[v]
    printf "\n| --- |"
    for (v = 1; v <= variants; v++) printf " --- |"
    for (n = 1; n <= names; n++) {
      printf "\n| %s |", name[n]
      for (v = 1; v <= variants; v++) {
        key = name[n] SUBSEP variant[v]
        if (key in count) {
          printf " %.3f", median(time, key, count[key])
          if (inside[key, 1] != "") printf " (%.3f)", median(inside, key, count[key])
          if (count[key] < rounds) printf " of %d", count[key]
        }
        printf " |"
      }
    }
    print ""
  }' "$out/whole.tsv"
[ $status != 0 ] || echo "results agree"
[ $status != 0 ] || ! time_was_up "$out/whole.tsv" || status=75
exit $status
