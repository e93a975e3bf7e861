#!/bin/bash
# whole.sh: whole programs, unmodified: tests/programs/afqmc.f90 (orbitals in bulks, and one a call) and
# navier_stokes.c, with stock FFTW on one thread and on all, and under the preload; in double precision afqmc and
# condensate.f90, whose doubles are computed in double and in single.  Options: common.sh.
#
# Prints for each the program's own seconds of its loop and, in brackets, of the transforms in it, then the seconds of
# the process from start to end.  Exit status 1 if results differ from stock FFTW's.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"
apps=$build/tests/programs
steps=300 bulks=(1 27 54) points=256 flow_steps=2
cloud=(components=6 128 128 128) turns=50
[ -z "$quick" ] || steps=2 bulks=(1 2) points=16 cloud=(16 16 16) turns=2
status=0 double='' # what results are held to
: >"$out/whole.tsv"

# run VARIANT VARIABLES NAME TIMES PROGRAM ARGUMENT...: one run, held against the stock one of that name.  TIMES:
# transforms one after the other, for the tolerance.
run() {
  local variant=$1 variables=$2 name=$3 times=$4 begun result=$work/$1.$3
  shift 4
  [ $SECONDS -lt "$limit" ] || { echo "# no time left for $name, $variant" | tee -a "$out/whole.tsv"; return; }
  IFS=, read -r -a variables <<<"$variables"
  begun=$EPOCHREALTIME
  env "${variables[@]}" "$@" >"$result" 2>"$work/err" || { echo "$name, $variant: failed"; cat "$work/err"; status=1; }
  awk -v variant="$variant" -v name="$name" -v whole="$(awk "BEGIN { print $EPOCHREALTIME - $begun }")" '
    BEGIN { OFS = "\t" }
    $2 == "seconds" { print variant, (name ~ /double/ ? "double " : "") $1, $3, $5 }
    END { print variant, name " (process)", whole, "" }' "$work/err" >>"$out/whole.tsv"
  awk -v exact=0 -v double="$double" -v times="$times" -f "$bench/../programs/compare.awk" "$work/stock.$name" "$result" ||
    { echo "$name, $variant: results differ from stock FFTW's"; status=1; }
}

# variant NAME VARIABLES THREADS
variant() {
  local form
  for form in batched single; do
    [ ! -s "$apps/afqmc.app" ] ||
      run "$1" "$2" "afqmc_$form" $((2 * steps)) "$apps/afqmc.app" "$form" "steps=$steps" "threads=$3" time \
        "${bulks[@]}"
  done
  run "$1" "$2" navier_stokes $((18 * flow_steps)) "$apps/navier_stokes.app" "$points" "$flow_steps" "$3" time
}

# double_variant NAME VARIABLES THREADS
double_variant() {
  local form
  [ -s "$apps/condensate_double.app" ] || return 0
  for form in batched single; do
    run "$1" "$2" "afqmc_double_$form" $((2 * steps)) "$apps/afqmc_double.app" "$form" "steps=$steps" "threads=$3" time \
      "${bulks[@]}"
  done
  run "$1" "$2" condensate_double $((2 * turns)) "$apps/condensate_double.app" "steps=$turns" "threads=$3" time \
    "${cloud[@]}"
}

# doubles NAME VARIABLES THREADS: computed in both ways.
doubles() {
  double='' double_variant "$1_as_single" "$2,FFTW3_GPU_DOUBLE=single" "$3"
  double=1 double_variant "$1" "$2,FFTW3_GPU_DOUBLE=double" "$3"
}

about
tune
if [ -z "$quick" ]; then # kernels are compiled once in the life of a machine: not in what is timed
  FFTW3_GPU=force LD_PRELOAD=$library "$apps/navier_stokes.app" "$points" 0 >/dev/null
  [ ! -s "$apps/afqmc.app" ] || FFTW3_GPU=force LD_PRELOAD=$library "$apps/afqmc.app" steps=1 "${bulks[@]}" >/dev/null
  for way in single double; do
    [ -s "$apps/condensate_double.app" ] || continue
    export FFTW3_GPU_DOUBLE=$way
    FFTW3_GPU=force LD_PRELOAD=$library "$apps/afqmc_double.app" steps=1 "${bulks[@]}" >/dev/null
    FFTW3_GPU=force LD_PRELOAD=$library "$apps/condensate_double.app" steps=1 "${cloud[@]}" >/dev/null
    unset FFTW3_GPU_DOUBLE
  done
fi
variant stock "" 1
variant stock_all "" "$processors"
if [ -z "$quick" ]; then
  variant preload "$ours" 1
  variant preload_all "$ours" "$processors"
fi
variant forced "$forced" "$processors"

double=1 double_variant stock "" 1
double=1 double_variant stock_all "" "$processors"
[ -n "$quick" ] || doubles preload_all "$ours" "$processors"
doubles forced "$forced" "$processors"
awk -F '\t' '
  /^#/ { next }
  !($1 in known) { known[$1] = 1; variant[++variants] = $1 }
  !($2 in seen) { seen[$2] = 1; name[++names] = $2 }
  { time[$2, $1] = $3; inside[$2, $1] = $4 }
  END {
    printf "| program |"
    for (v = 1; v <= variants; v++) printf " %s |", variant[v]
    printf "\n| --- |"
    for (v = 1; v <= variants; v++) printf " --- |"
    for (n = 1; n <= names; n++) {
      printf "\n| %s |", name[n]
      for (v = 1; v <= variants; v++)
        if (!((name[n], variant[v]) in time)) printf " |"
        else printf inside[name[n], variant[v]] != "" ? " %.3f (%.3f) |" : " %.3f |", time[name[n], variant[v]],
          inside[name[n], variant[v]]
    }
    print ""
  }' "$out/whole.tsv"
[ $status != 0 ] || echo "results agree"
[ $status != 0 ] || ! time_was_up "$out/whole.tsv" || status=75
exit $status
