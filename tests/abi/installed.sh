#!/bin/sh
# installed.sh: the libraries, and the kernels that came with them, are found from where the library and the program lie,
# wherever that is, and are used without any compiler; a file that is not theirs is told of once and left alone.
. "$(dirname "$0")/common.sh"
archive=${FG_BUILD:-$top_builddir}/cuda/kernels.fgk
fakes=${FG_BUILD:-$top_builddir}/tests/unit/.libs
program=${FG_PROGRAM:-$top_builddir/fftw3-gpu}
bin=$work/moved${FG_BINDIR:-/usr/local/bin}
libdir=$work/moved${FG_LIBDIR:-/usr/local/lib}
mkdir -p "$bin" "$libdir/fftw3-gpu"
cp "$program" "$bin/fftw3-gpu"
cp "$lib" "$libdir/libfftw3_gpu.so"
real=$(cd "$libdir" && pwd -P)

# The program preloads the library that was moved with it, also under another name of the folder.
[ "$("$bin/fftw3-gpu" path)" = "$real/libfftw3_gpu.so" ] || fail "path: $("$bin/fftw3-gpu" path)"
"$bin/fftw3-gpu" run -- env >"$work/out" 2>"$work/err" || fail "run: status $?"
! grep -q '^#define HAVE_LOOKUP' "${FG_BUILD:-$top_builddir}/config.h" || grep -q 'no libfftw3_gpu_lookup.so' "$work/err" ||
  fail "run does not say that a library is missing"
grep -q "^LD_PRELOAD=$real/libfftw3_gpu.so" "$work/out" || { cat "$work/out"; fail "run: not what was moved"; }
ln -s moved "$work/link"
[ "$("$work/link${FG_BINDIR:-/usr/local/bin}/fftw3-gpu" path)" = "$real/libfftw3_gpu.so" ] || fail "path through a link"
mv "$libdir/libfftw3_gpu.so" "$work/away"
"$bin/fftw3-gpu" path 2>"$work/err" | grep -q "$real" && fail "path: what is not there"
"$bin/fftw3-gpu" run -- true 2>"$work/err" && [ ! -e "${FG_LIBDIR:-/usr/local/lib}/libfftw3_gpu.so" ] && fail "run without the library"
mv "$work/away" "$libdir/libfftw3_gpu.so"

[ -e "$archive" ] || skip "no kernels were compiled with the library"
[ -e "$fakes/libcuda.so.1" ] || skip "no fake driver"
cp "$archive" "$libdir/fftw3-gpu/kernels.fgk"

# known PROGRAM FILE: what its info says of kernels.
known() {
  FFTW3_GPU_CACHE=$work/cache "$1" info >"$work/out" 2>"$work/err" || fail "info: status $?"
  grep -q "^  .* of .*$2, by NVRTC" "$work/out" || { cat "$work/out" "$work/err"; fail "$1 does not know $2"; }
}
known "$program" cuda/kernels.fgk
known "$bin/fftw3-gpu" "moved.*/fftw3-gpu/kernels.fgk"
(cd "$bin" && PATH=$bin:$PATH && known fftw3-gpu "moved.*/fftw3-gpu/kernels.fgk") || exit

# plan: a program plans a transform of a common size on a driver that takes anything.
compile one_plan -lfftw3f
plan() {
  rm -rf "$work/cache"
  LD_LIBRARY_PATH=$fakes FFTW3_GPU=force FFTW3_GPU_BACKEND=cuda FFTW3_GPU_CACHE=$work/cache FFTW3_GPU_NVRTC=/nowhere \
    FFTW3_GPU_LOG=${1:-warn} LD_PRELOAD=$libdir/libfftw3_gpu.so "$work/one_plan" >"$work/out" 2>"$work/err" ||
    fail "one_plan: status $?"
}
plan debug
grep -q "kernels in .*moved.*/kernels.fgk" "$work/err" || { cat "$work/err"; fail "the library does not find them"; }
grep -q '^(gpu' "$work/out" || { cat "$work/out" "$work/err"; fail "they are not used"; }

head -c 100000 "$archive" >"$libdir/fftw3-gpu/kernels.fgk"
plan
! grep -q '^(gpu' "$work/out" || fail "kernels from a file that is cut short"
[ "$(grep -c 'kernels.fgk: cut short' "$work/err")" = 1 ] || { cat "$work/err"; fail "not told of once"; }

rm "$libdir/fftw3-gpu/kernels.fgk"
plan
! grep -q '^(gpu' "$work/out" || fail "kernels from nowhere"
! grep -q kernels.fgk "$work/err" || fail "a missing file is told of"
echo "found in the build folder and moved; cut short and missing: left alone"
