#!/bin/sh
# lookup.sh: libfftw3_gpu_lookup.so answers dlsym for the functions of the FFTW that the library stands for, and leaves all
# else as it was.
. "$(dirname "$0")/common.sh"
lookup=${lib%.so}_lookup.so
config=${FG_BUILD:-$top_builddir}/config.h
grep -q '^#define HAVE_LOOKUP' "$config" || skip "not for this machine"
[ -e "$lookup" ] || fail "no $lookup"
real=$(libfile libfftw3f.so.3)
[ -e "$real" ] || skip "no libfftw3f.so.3"
case $(uname -m) in x86_64) version=GLIBC_2.2.5 ;; *) version=GLIBC_2.17 ;; esac

library() { # NAME OPTIONS...
  name=$1
  shift
  $CC -O1 -w -shared -fPIC -o "$work/$name" "$src/lookup.c" "$@" || fail "$name does not compile"
}
library libnext.so -DNEXT
library libwrapper.so -DWRAPPER -ldl
library libsees.so -DSEES_DLSYM "-DVERSION=\"$version\"" -ldl
library libother.so -DOTHER
library libfftw3xc.so -DOTHER
library libfftw3f_custom.so.3 -DOTHER
cp "$real" "$work/libfftw3f-copy.so.3"
compile lookup -ldl "-L$work" -lnext "-Wl,-rpath,$work"
others() { sed '1,/^--$/d'; }

# told PRELOAD: what the program is told with it.
told() {
  LD_PRELOAD=$1 "$work/lookup" "$work/libother.so" "$work/libfftw3xc.so" "$work/libfftw3f_custom.so.3" \
    "$work/libfftw3f-copy.so.3" >"$work/told" || fail "status $?, with '$1'"
}
same() { # WHAT: as without any preload
  diff "$work/expected" "$work/told" || fail "$1: other answers"
}

told ''
cp "$work/told" "$work/expected"
for line in 'behind the library: libc' 'first: libnext' "another namespace's: 0" "somebody else's: libfftw3f-copy" \
  'execute: libfftw3f.so'; do
  grep -q "^$line" "$work/told" || { cat "$work/told"; fail "the test itself: $line"; }
done
told "$lookup"
same "without the library"
told "$lib"
same "the library alone"
questions=$(sed -n '1,/^--$/p' "$work/expected" | grep -c ': libfftw3')
others <"$work/expected" >"$work/expected.others"
mv "$work/expected.others" "$work/expected"
for preload in "$lib:$lookup" "$lookup:$lib"; do
  told "$preload"
  [ "$(grep -c ': libfftw3_gpu.so' "$work/told")" = "$questions" ] ||
    { cat "$work/told"; fail "$preload: not the library's functions"; }
  others <"$work/told" >"$work/told.others"
  mv "$work/told.others" "$work/told"
  same "$preload"
done

# Others who stand between a program and FFTW go on to do so, and find FFTW behind them.
told "$lib:$lookup:$work/libwrapper.so"
[ "$(grep -c '^wrapped' "$work/told")" = 0 ] || { cat "$work/told"; fail "a wrapper that the program went past"; }
compile lookup -ldl "-L$work" -lnext -lfftw3f "-Wl,-rpath,$work"
told "$lib:$lookup:$work/libwrapper.so"
# Once for what the program took by dlsym, once for what it is linked to: both are the library's, which calls the wrapper as FFTW.
[ "$(grep -c '^wrapped' "$work/told")" = 2 ] || { cat "$work/told"; fail "a wrapper behind the library finds itself"; }
told "$work/libwrapper.so:$lib:$lookup"
grep -q ': libfftw3_gpu.so' "$work/told" || { cat "$work/told"; fail "a wrapper in front of the library"; }
for preload in "$lib:$lookup:$work/libsees.so" "$work/libsees.so:$lib:$lookup"; do
  told "$preload"
  grep -q '^seen: strlen' "$work/told" || { cat "$work/told"; fail "$preload: another dlsym is passed over"; }
done

# What compares the library with stock FFTW still finds that one.
program=${FG_PROGRAM:-$top_builddir/fftw3-gpu}
accuracy() {
  FFTW3_GPU=force FFTW3_GPU_BACKEND=sim "$@" accuracy --data=random --precision=single --csv="$work/csv" icf64 >/dev/null ||
    fail "accuracy"
}
accuracy "$program"
mv "$work/csv" "$work/csv.alone"
accuracy "$program" run -- "$program"
cmp "$work/csv.alone" "$work/csv" || fail "accuracy under run compares the library with itself"

# A program in C that opens FFTW itself, in each mode, is part of tests/programs (local_dlsym).
if [ -n "${PYTHON3:-}" ]; then
  cat >"$work/opens.py" <<'P'
import ctypes, sys
double = sys.argv[1] == "fftw"
fftw = ctypes.CDLL("libfftw3.so.3" if double else "libfftw3f.so.3")
plan_1d, execute = fftw[sys.argv[1] + "_plan_dft_1d"], fftw[sys.argv[1] + "_execute"]
plan_1d.restype = ctypes.c_void_p
plan_1d.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_uint]
execute.argtypes = [ctypes.c_void_p]
n = 64
x = ((ctypes.c_double if double else ctypes.c_float) * (2 * n))()
x[2] = 1
execute(plan_1d(n, x, x, -1, 1 << 6))
print("%.4f %.4f" % (abs(x[2 * 16]), x[2 * 16 + 1]))
P
  for api in fftwf fftw; do
    [ -e "$(libfile "lib${api%f}3${api#fftw}.so.3")" ] || continue
    rm -f "$work/report"
    FFTW3_GPU_DOUBLE=double LD_PRELOAD=$lib:$lookup FFTW3_GPU=force FFTW3_GPU_BACKEND=sim FFTW3_GPU_REPORT=$work/report \
      "$PYTHON3" "$work/opens.py" $api >"$work/out" || fail "ctypes, $api: status $?"
    [ "$(cat "$work/out")" = "0.0000 -1.0000" ] || { cat "$work/out"; fail "ctypes, $api"; }
    awk -F '\t' '$1 == "icf64" && $2 == "sim" { ran = 1 } END { exit !ran }' "$work/report" ||
      { cat "$work/report"; fail "ctypes, $api: not on sim"; }
  done
fi
echo "$questions functions are the library's, all else is as it was"
