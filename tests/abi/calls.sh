#!/bin/sh
# calls.sh: everything but planners answers as in stock FFTW, with each of its threads libraries.
. "$(dirname "$0")/common.sh"
for kind in threads omp; do
  [ -e "$(libfile ${fftw}_$kind.so)" ] || continue
  compile calls -lfftw3f_$kind -lfftw3f
  "$work/calls" "$work/wisdom" >"$work/stock" 2>&1 || fail "stock FFTW, $kind"
  for mode in auto off; do
    FFTW3_GPU=$mode LD_PRELOAD=$lib "$work/calls" "$work/wisdom" >"$work/$mode" 2>&1 || fail "$kind, $mode: status $?"
    diff "$work/stock" "$work/$mode" >"$work/diff" || { head -20 "$work/diff"; fail "$kind, $mode: other answers"; }
  done
  echo "$kind: $(wc -l <"$work/stock") answers"
done
[ -s "$work/stock" ] || skip "no threads library of FFTW"
