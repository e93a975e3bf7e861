#!/bin/sh
# cancel.sh: planning compiles, reads and writes files, and executing waits for the device: none of it ends a thread
# half way.
. "$(dirname "$0")/common.sh"
compile cancel -lfftw3f -lpthread

for mode in off auto force; do
  FFTW3_GPU=$mode FFTW3_GPU_BACKEND=sim FFTW3_GPU_CACHE=$work/cache FFTW3_GPU_REPORT=$work/report LD_PRELOAD=$lib \
    "$work/cancel" || fail "FFTW3_GPU=$mode: status $?"
done
grep -q 'sim' "$work/report" || fail "nothing ran on sim"
echo "cancelled after the transform, not within"
