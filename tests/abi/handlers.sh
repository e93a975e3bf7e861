#!/bin/sh
# handlers.sh: handlers that come in the midst of this library's work, and end the process or need it themselves.
. "$(dirname "$0")/common.sh"
compile handlers -lfftw3f
watch=$(dirname "$lib")/libfftw3_gpu_watch.so
[ -e "$watch" ] || fail "no $watch"

# exits SETTING MICROSECONDS RUNS: the report's lock is held for moments only, the trace's most of the time.
exits() {
  for run in $(seq "$3"); do
    env "FFTW3_GPU_$1=$work/$1" LD_PRELOAD="$lib" timeout -s KILL 20 "$work/handlers" exit "$2"
    status=$?
    [ "$status" -eq 7 ] || fail "exit, FFTW3_GPU_$1, run $run: status $status"
  done
}
exits TRACE 30000 5
exits REPORT 1500 60
FFTW3_GPU_PIN=register FFTW3_GPU_BACKEND=sim LD_PRELOAD="$lib:$watch" timeout -s KILL 60 "$work/handlers" fork >"$work/out" ||
  fail "fork: status $?"
grep -q '^end$' "$work/out" || fail "fork: $(cat "$work/out")"
echo "ended, and forked"
