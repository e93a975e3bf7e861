#!/bin/sh
# price.sh: executing a plan of the host costs at most 10 instructions more than in stock FFTW, counted by callgrind as
# the difference of two runs.
. "$(dirname "$0")/common.sh"
need valgrind awk
compile price -lfftw3f

# count PRELOAD EXECUTE TIMES: instructions of the whole run
count() {
  env ${1:+LD_PRELOAD="$1"} valgrind --tool=callgrind --callgrind-out-file=/dev/null "$work/price" "$2" "$3" \
    >"$work/out" 2>&1 || { cat "$work/out" >&2; return 1; }
  awk '/Collected/ { print $NF }' "$work/out"
}

# each PRELOAD EXECUTE: instructions of one execute
each() {
  few=$(count "$1" "$2" 1000) && many=$(count "$1" "$2" 2000) || return 1
  awk "BEGIN { printf \"%.2f\", ($many - $few) / 1000 }"
}

for execute in execute execute_dft ${legacy}_execute; do
  stock=$(each "" $execute) && ours=$(each "$lib" $execute) || fail "callgrind"
  awk "BEGIN { exit !($stock > 10) }" || fail "$execute: $stock instructions in stock FFTW cannot be"
  echo "$execute: $stock instructions in stock FFTW, $ours under the preload"
  awk "BEGIN { exit !($ours - $stock <= 10) }" || fail "$execute costs more than 10 instructions"
done
