#!/bin/sh
# plans.sh: every planner answers as stock FFTW does: NULL where it does, the same plan where that stays on the host.
. "$(dirname "$0")/common.sh"
compile plans -lfftw3f
compile fortran_plans -lfftw3f

for program in plans fortran_plans; do
  "$work/$program" >"$work/stock" ||
    { grep expected "$work/stock"; fail "stock FFTW does not do what $program.c says"; }
  for mode in auto off; do
    FFTW3_GPU=$mode LD_PRELOAD=$lib "$work/$program" >"$work/$mode" 2>"$work/err" || fail "$program, $mode"
    diff "$work/stock" "$work/$mode" >"$work/diff" || { head -20 "$work/diff"; fail "$program, $mode: other plans"; }
    [ ! -s "$work/err" ] || { cat "$work/err"; fail "$program, $mode: not silent"; }
  done
  echo "$program: $(grep -c '^[0p] ' "$work/stock") calls, $(grep -c '^0 ' "$work/stock") of them NULL"
done
