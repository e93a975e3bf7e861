#!/bin/sh
# handlers.sh: handlers that come in the midst of this library's work, and end the process or need it themselves.
. "$(dirname "$0")/common.sh"
compile handlers -lfftw3f
watch=$(dirname "$lib")/libfftw3_gpu_watch.so

for setting in TRACE REPORT; do
  for run in 1 2 3 4 5; do
    env "FFTW3_GPU_$setting=$work/$setting" LD_PRELOAD="$lib" timeout -s KILL 20 "$work/handlers" exit
    status=$?
    [ "$status" -eq 7 ] || fail "exit, FFTW3_GPU_$setting: status $status"
  done
done
FFTW3_GPU_PIN=register FFTW3_GPU_BACKEND=sim LD_PRELOAD="$lib:$watch" timeout -s KILL 60 "$work/handlers" fork >"$work/out" ||
  fail "fork: status $?"
grep -q '^end$' "$work/out" || fail "fork: $(cat "$work/out")"
echo "ended, and forked"
