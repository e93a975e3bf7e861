#!/bin/sh
# large.sh: what the device could never hold (sim has 8 GiB) is planned by FFTW with the program's flags, not at each
# execution.
. "$(dirname "$0")/common.sh"
compile large -lfftw3f

FFTW3_GPU=force FFTW3_GPU_BACKEND=sim LD_PRELOAD=$lib "$work/large" >"$work/out" || fail "status $?"
cat "$work/out"
grep -q '^20 (gpu' "$work/out" || fail "2^20 points are not on sim"
grep -q '^30 (dft' "$work/out" || fail "2^30 points are not the host's"
