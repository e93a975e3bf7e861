#!/bin/sh
# alone.sh: without any FFTW in the system planners return NULL, the log says why, once, and all else is harmless.
. "$(dirname "$0")/common.sh"
compile alone "$lib" -Wl,-rpath,"$(dirname "$lib")"
compile refuse -shared -fPIC -ldl

# alone SETTING...: run it where no FFTW can be opened; what it prints goes to $work/out
alone() {
  env "$@" LD_PRELOAD="$work/refuse" REFUSE=$fftw'[._]' "$work/alone" >"$work/out" 2>&1 ||
    { cat "$work/out"; fail "alone $*: not as it should be"; }
}

for mode in auto off; do
  alone FFTW3_GPU=$mode
  [ ! -s "$work/out" ] || { cat "$work/out"; fail "not silent"; }
  alone FFTW3_GPU=$mode FFTW3_GPU_LOG=error
  [ "$(grep -c "$fftw.so.3" "$work/out")" -eq 1 ] || { cat "$work/out"; fail "the log does not say once why"; }
done
echo "NULL plans, and: $(cat "$work/out")"
