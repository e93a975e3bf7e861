#!/bin/sh
# planning.sh: where the device fails executions plan by the real FFTW, of which a program knows nothing: another thread of it may
# plan meanwhile, by functions that never come to this library.  (Without the real FFTW's planner under our lock all of these runs
# crashed.)
. "$(dirname "$0")/common.sh"
CC="$CC -DFFTW_FILE=\"$fftw.so.3\"" compile planning -l"${fftw#lib}" -ldl -lpthread
for run in 1 2 3; do
  FFTW3_GPU=force FFTW3_GPU_BACKEND=sim FFTW3_GPU_SIM_FAIL=launch:1/1 FFTW3_GPU_LOG=error LD_PRELOAD="$lib" \
    "$work/planning" 20000 >"$work/out" 2>"$work/err" || { head -n 5 "$work/err"; fail "run $run: status $?"; }
done
cat "$work/out"
