#!/bin/sh
# fftw2.sh: programs and plugins of FFTW 2, some of whose functions have names of FFTW 3's, go on with it, beside plugins of FFTW 3.
. "$(dirname "$0")/common.sh"

# build WHAT FILE OPTIONS...
build() {
  what=$1 file=$2
  shift 2
  # shellcheck disable=SC2086
  $CC -O2 -D"$what" -o "$work/$file" "$src/fftw2.c" "$@" || fail "$file does not compile"
}
build LIBRARY libfftw.so.2 -fPIC -shared -Wl,-soname,libfftw.so.2
build REAL librfftw.so.2 -fPIC -shared -Wl,-soname,librfftw.so.2
ln -s libfftw.so.2 "$work/libfftw.so"
ln -s librfftw.so.2 "$work/librfftw.so"
here="-L$work -Wl,-rpath,$work -Wl,--no-as-needed"
build THIRD libthird.so -fPIC -shared
# shellcheck disable=SC2086
{
  build PROGRAM program $here -lrfftw -lfftw -lthird -ldl
  build PLUGIN plugin.so -fPIC -shared $here -lfftw -lthird
  build WRAPPER libwrapper.so -fPIC -shared $here -lfftw
  build WRAPPED wrapped $here -lwrapper -ldl
  build STARTER starter.so -fPIC -shared $here -lfftw -lpthread
}
# shellcheck disable=SC2086
build OTHER other.so -fPIC -shared -Wl,--no-as-needed -lfftw3
build HOST host -ldl

# same COMMAND...: it says what it says without this library.
same() {
  "$@" >"$work/stock" 2>&1 || fail "$*: status $? without the library"
  for mode in off auto force; do
    env FFTW3_GPU=$mode FFTW3_GPU_BACKEND=sim LD_PRELOAD="$lib" "$@" >"$work/out" 2>&1 || fail "$mode, $*: status $?"
    diff "$work/stock" "$work/out" || fail "$mode, $*: another FFTW answered"
  done
}
same "$work/program"
same "$work/program" "$work/plugin.so"
same "$work/host" "$work/plugin.so"
same "$work/wrapped"
# Before glibc 2.35 whose function called is asked of the loader, whose lock a plugin's constructor has (compat/object.c).
printf '#include <features.h>\n#if __GLIBC_PREREQ(2, 35)\nasked of nobody\n#endif\n' >"$work/libc.c"
$CC -E "$work/libc.c" 2>"$work/err" | grep -q '^asked of nobody' &&
  same timeout -s KILL 60 "$work/wrapped" "$work/starter.so"
same "$work/host" "$work/other.so"
grep -q '^16 0$' "$work/stock" || fail "the plugin of FFTW 3"
for mode in off auto force; do # (without the library this plugin's plans would be destroyed by FFTW 2)
  env FFTW3_GPU=$mode FFTW3_GPU_BACKEND=sim LD_PRELOAD="$lib" "$work/program" "$work/other.so" >"$work/out" 2>&1 ||
    fail "$mode, both: status $?"
  grep -q '^16 0$' "$work/out" || fail "$mode, both"
done
echo "FFTW 2 by itself, and beside FFTW 3"
