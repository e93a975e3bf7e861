# common.sh: what the tests of the ABI share.  Read by each of them; sets lib, src, work; 77 means skipped.
#
# They are about single precision; with FG_PRECISION=double about double precision: the same programs, in which the
# names are FFTW's other ones and float is double.  fftw is the real library's name, other that of the other precision,
# real the bytes of a real.
set -u
src=$(cd "$(dirname "$0")" && pwd)
top_builddir=${top_builddir:-.}
lib=${FG_LIBRARY:-$top_builddir/.libs/libfftw3_gpu.so}
CC=${CC:-cc} # may be several words
. "$(dirname "$0")/../no_settings.sh"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

skip() { echo "skipped: $*"; exit 77; }
fail() { echo "FAILED: $*"; exit 1; }
need() { for tool in "$@"; do command -v "$tool" >/dev/null 2>&1 || skip "no $tool"; done; }

[ -e "$lib" ] || skip "no $lib"
lib=$(cd "$(dirname "$lib")" && pwd)/$(basename "$lib")

case ${FG_PRECISION:=single} in
  single) fftw=libfftw3f other=libfftw3 api=fftwf legacy=sfftw real=4 ;;
  double) fftw=libfftw3 other=libfftw3f api=fftw legacy=dfftw real=8 ;;
  *) fail "no precision '$FG_PRECISION'" ;;
esac

# in_precision: standard input's text, in the precision at hand.
in_precision() {
  case $FG_PRECISION in
    single) cat ;;
    double) sed -f "$src/../double.sed" ;;
  esac
}

# compile NAME LIBRARIES...: tests/abi/NAME.c to $work/NAME; libraries are kept even if no symbol of theirs is used.
compile() {
  name=$1
  shift
  in_precision <"$src/$name.c" >"$work/$name.c"
  # shellcheck disable=SC2086,SC2046
  $CC -O1 -Wall ${FFTW3F_CFLAGS:-} -I"$src" -o "$work/$name" "$work/$name.c" -Wl,--no-as-needed \
    $(echo "$@" | in_precision) ${FFTW3F_LDFLAGS:-} -lm || fail "$name.c does not compile"
}

# calibrate [START]: a file in $work/cache that tells of a GPU that takes START ms (5) to start, 1 to plan, nothing to
# compute, and that is kept however slow it turns out to be.
calibrate() {
  FFTW3_GPU_CACHE=$work/cache "${FG_PROGRAM:-$top_builddir/fftw3-gpu}" info >"$work/info" || fail "info"
  host=$(sed -n 's/^machine  *\(.*\), .*/\1/p' "$work/info")
  cpu=$(sed -n 's/^machine  *.*, \(.*\)/\1/p' "$work/info")
  mkdir -p "$work/cache"
  {
    printf 'fftw3-gpu calibration 1\nhost %s\ncpu %s\ndevice sim\n' "$host" "$cpu"
    awk -v start="${1:-5}" '/^calibration/ { table = 1; next }
      table && NF < 4 { exit }
      !table { next }
      { sub(/^ +/, "") }
      $1 == "start" { $2 = start }
      $1 == "plan" || $1 == "overhead" { $2 = 1 }
      $1 == "worse" { $2 = 1e6 }
      { print }' "$work/info"
    echo end
  } >"$work/cache/calibration-$host"
  chmod go-w "$work/cache/calibration-$host"
}

# libfile NAME: path of that shared library as a program linked to it finds it; empty if there is none.
libfile() {
  $CC -print-file-name="$1" | xargs -r realpath -q 2>/dev/null
}
