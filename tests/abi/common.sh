# common.sh: what the tests of the ABI share.  Read by each of them; sets lib, src, work; 77 means skipped.
set -u
src=$(cd "$(dirname "$0")" && pwd)
top_builddir=${top_builddir:-.}
lib=${FFTW3_GPU_LIB:-$top_builddir/.libs/libfftw3_gpu.so}
CC=${CC:-cc}
unset FFTW3_GPU FFTW3_GPU_BACKEND FFTW3_GPU_LOG FFTW3_GPU_LOG_FILE FFTW3_GPU_REPORT FFTW3_GPU_TRACE FFTW3_GPU_VERIFY LD_PRELOAD
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

skip() { echo "skipped: $*"; exit 77; }
fail() { echo "FAILED: $*"; exit 1; }
need() { for tool in "$@"; do command -v "$tool" >/dev/null 2>&1 || skip "no $tool"; done; }

[ -e "$lib" ] || skip "no $lib"
lib=$(cd "$(dirname "$lib")" && pwd)/$(basename "$lib")

# compile NAME LIBRARIES...: tests/abi/NAME.c to $work/NAME; libraries are kept even if no symbol of theirs is used.
compile() {
  name=$1
  shift
  # shellcheck disable=SC2086
  $CC -O1 -Wall ${FFTW3F_CFLAGS:-} -o "$work/$name" "$src/$name.c" -Wl,--no-as-needed "$@" ${FFTW3F_LDFLAGS:-} -lm ||
    fail "$name.c does not compile"
}

# libfile NAME: path of that shared library as a program linked to it finds it; empty if there is none.
libfile() {
  "$CC" -print-file-name="$1" | xargs -r realpath -q 2>/dev/null
}
