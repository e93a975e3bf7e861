#!/bin/sh
# leaving.sh: a program that forks, leaves, destroys or goes on in another thread while FFTW plans can plan afterwards, as with stock
# FFTW.
. "$(dirname "$0")/common.sh"
case ${FFTW3F_CFLAGS:-} in
  *BEFORE_FFTW_3_3_9*) skip "FFTW has no fftw_threads_set_callback" ;;
esac
compile leaving -l"${fftw#lib}_threads" -l"${fftw#lib}" -lpthread
mv "$work/leaving" "$work/plain"
CC="$CC -DOWN_MEMALIGN"
compile leaving -l"${fftw#lib}_threads" -l"${fftw#lib}" -lpthread

# once PROGRAM CASE... [NAME=VALUE...]: as stock FFTW, and so under the library, which leaves these plans to it.
once() {
  program=$1
  shift
  timeout -s KILL 100 "$work/$program" "$@" >/dev/null 2>&1 || { echo "stock FFTW itself: $*"; return; }
  for mode in off auto steady; do
    env FFTW3_GPU=$mode FFTW3_GPU_BACKEND=cuda FFTW3_GPU_DEVICE=1000 LD_PRELOAD="$lib" timeout -s KILL 100 "$work/$program" "$@" \
      >/dev/null 2>"$work/err"
    status=$?
    [ $status -eq 0 ] || { cat "$work/err"; fail "$mode, $*: status $status"; }
  done
  passed="${passed:-}, $*"
}
once plain fork
once plain loop
once plain nested
once plain destroy
once plain waits
once plain waits safe
once plain task
once plain task safe
once plain tasks
once plain tasks safe
once leaving memalign
once leaving within
# Where stock FFTW's own child waits for ever.
for mode in auto steady; do
  env FFTW3_GPU=$mode FFTW3_GPU_BACKEND=cuda FFTW3_GPU_DEVICE=1000 LD_PRELOAD="$lib" timeout -s KILL 100 "$work/plain" fork safe \
    >/dev/null 2>"$work/err" || { cat "$work/err"; fail "$mode, fork safe"; }
done
# An execution on the device (sim) that needs the real FFTW, for its answer beside ours, while a plan of that, too large for
# the device, is in its loop: it waits for that a second at most.
for safe in "" safe; do
  # shellcheck disable=SC2086
  env FFTW3_GPU=force FFTW3_GPU_BACKEND=sim FFTW3_GPU_DOUBLE=double FFTW3_GPU_MEMORY=16K FFTW3_GPU_VERIFY=0.001 \
    FFTW3_GPU_CACHE="${FFTW3_GPU_CACHE:-$work}" FFTW3_GPU_REPORT="$work/report" LD_PRELOAD="$lib" timeout -s KILL 100 "$work/plain" executes $safe \
    >/dev/null 2>"$work/err"
  status=$?
  [ $status -eq 0 ] || { cat "$work/err"; fail "an execution in the loop $safe: status $status"; }
  awk -F '\t' '$2 == "sim" && $5 > 0 { ran = 1 } END { exit !ran }' "$work/report" || { cat "$work/report"; fail "nothing ran on sim"; }
  rm -f "$work/report"
done
[ "${passed:-}" = ", fork, loop, nested, destroy, waits, waits safe, task, task safe, tasks, tasks safe, memalign, within" ] || skip "stock FFTW does not do these: ${passed:-}"
echo "planned again after: ${passed#, }"
