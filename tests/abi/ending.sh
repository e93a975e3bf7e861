#!/bin/sh
# ending.sh: a program that ends while the driver starts in the background: the driver's own exit handlers wait.
. "$(dirname "$0")/common.sh"
"${FG_PROGRAM:-$top_builddir/fftw3-gpu}" info | grep -q 'built without CUDA' && skip "built without CUDA"
compile many -lfftw3f -lpthread

# A driver of all the functions that the library looks for, each without a device.
sed -n 's/^ *FN(\(cu[A-Za-z0-9_]*\),.*/\1/p' "$src/../../cuda/cuda_driver.h" | grep -v '^cuInit$' |
  sed 's/.*/int &(void); int &(void) { return 100; }/' >"$work/others.c"
[ "$(wc -l <"$work/others.c")" -gt 30 ] || fail "the driver's functions were not found"
$CC -shared -fPIC -o "$work/libcuda.so.1" "$src/slow_cuda.c" "$work/others.c" -Wl,-soname,libcuda.so.1 -lpthread ||
  fail "slow_cuda.c does not compile"

run() {
  SLOW_CUDA_TRACE=1 LD_LIBRARY_PATH=$work FFTW3_GPU_CACHE=$work/cache LD_PRELOAD=$lib \
    "$work/many" "$@" 2>"$work/err" >"$work/out"
}
# However slowly this machine does one transform, it would be done before that long a start.
calibrate 600000
run 1 || fail "one transform: status $?, $(cat "$work/err")"
[ ! -s "$work/err" ] || fail "one transform started the driver"
calibrate
for thread in '' '24 thread'; do
  # shellcheck disable=SC2086
  run 1000 $thread || fail "status $?: $(cat "$work/err")"
  [ "$(cat "$work/err")" = started ] || fail "the driver was not started: $(cat "$work/err")"
done
echo "ended while the driver started"
