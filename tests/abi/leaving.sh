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
[ "${passed:-}" = ", fork, loop, nested, destroy, waits, waits safe, task, task safe, tasks, tasks safe, memalign" ] || skip "stock FFTW does not do these: ${passed:-}"
echo "planned again after: ${passed#, }"
