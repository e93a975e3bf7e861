#!/bin/sh
# forking.sh: a child of fork finds the real FFTW's planner whole, though a thread of its parent's, whose transforms the device
# fails to do, was planning by it.  (Without fork's wait for that some ten of these children crashed.)
. "$(dirname "$0")/common.sh"
compile forking -l"${fftw#lib}" -lpthread
FFTW3_GPU=force FFTW3_GPU_BACKEND=sim FFTW3_GPU_SIM_FAIL=launch:1/1 FFTW3_GPU_LOG=error LD_PRELOAD="$lib" \
  "$work/forking" 4000 >"$work/out" 2>"$work/err" || { head -n 5 "$work/err"; fail "$(cat "$work/out")"; }
cat "$work/out"
