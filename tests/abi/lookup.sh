#!/bin/sh
# lookup.sh: libfftw3_gpu_lookup.so answers dlsym for FFTW's functions, and leaves all else as it was.
. "$(dirname "$0")/common.sh"
lookup=${lib%.so}_lookup.so
[ -e "$lookup" ] || skip "no $lookup: not for this machine"
# shellcheck disable=SC2086
$CC -O1 -w -DNEXT -shared -fPIC -o "$work/libnext.so" "$src/lookup.c" || fail "the library does not compile"
# (With nothing optimised away, RTLD_NEXT must still be the caller's.)
CC="$CC -O0" compile lookup -ldl "-L$work" -lnext "-Wl,-rpath,$work"

# told PRELOAD: what the program is told with it.
told() { LD_PRELOAD=$1 "$work/lookup" "$work/libnext.so" || fail "status $?, with '$1'" >&2; }
others() { sed '1,/^--$/d'; }

told '' >"$work/stock" || exit
grep -q '^behind the library: libc' "$work/stock" && grep -q '^first: libnext' "$work/stock" || { cat "$work/stock"; fail "the test itself"; }
for preload in "$lib:$lookup" "$lookup:$lib"; do
  told "$preload" >"$work/told" || exit
  [ "$(grep -c ': libfftw3_gpu.so' "$work/told")" = 3 ] || { cat "$work/told"; fail "$preload: not the library's functions"; }
  others <"$work/stock" >"$work/expected"
  others <"$work/told" | diff "$work/expected" - || fail "$preload: other answers"
done
told "$lookup" | diff "$work/stock" - || fail "without the library: other answers"
told "$lib" | diff "$work/stock" - || fail "the library alone: other answers"

# A program that opens FFTW itself, in each mode, is part of tests/programs (local_dlsym).
if [ -n "${PYTHON3:-}" ]; then
  cat >"$work/opens.py" <<'P'
import ctypes
fftw = ctypes.CDLL("libfftw3f.so.3")
fftw.fftwf_plan_dft_1d.restype = ctypes.c_void_p
fftw.fftwf_plan_dft_1d.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_uint]
fftw.fftwf_execute.argtypes = [ctypes.c_void_p]
n = 64
x = (ctypes.c_float * (2 * n))()
x[2] = 1
plan = fftw.fftwf_plan_dft_1d(n, x, x, -1, 1 << 6)
fftw.fftwf_execute(plan)
print("%.4f %.4f" % (x[2 * 16], x[2 * 16 + 1]))
P
  LD_PRELOAD=$lib:$lookup FFTW3_GPU=force FFTW3_GPU_BACKEND=sim FFTW3_GPU_REPORT=$work/report "$PYTHON3" "$work/opens.py" \
    >"$work/out" || fail "ctypes: status $?"
  [ "$(sed 's/-0.0000/0.0000/' "$work/out")" = "0.0000 -1.0000" ] || { cat "$work/out"; fail "ctypes"; }
  awk -F '\t' '$1 == "icf64" || $1 == "ic64" || $1 ~ /64/ && $2 == "sim" { ran = 1 } END { exit !ran }' "$work/report" ||
    { cat "$work/report"; fail "ctypes: not on sim"; }
fi
echo "FFTW's functions are the library's, all else is as it was"
