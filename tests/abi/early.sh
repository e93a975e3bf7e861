#!/bin/sh
# early.sh: a library of the program's that transforms in its constructor and in its destructor.
. "$(dirname "$0")/common.sh"
compile early -shared -fPIC -lfftw3f
mv "$work/early" "$work/libearly.so"
compile small "$work/libearly.so" -lfftw3f

for mode in auto off force; do
  FFTW3_GPU=$mode FFTW3_GPU_BACKEND=sim LD_PRELOAD=$lib "$work/small" >"$work/out" 2>&1 ||
    fail "FFTW3_GPU=$mode: status $?"
  [ ! -s "$work/out" ] || { cat "$work/out"; fail "FFTW3_GPU=$mode: not silent"; }
done
echo "before main and after it: the same as within"
