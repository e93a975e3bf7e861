#!/bin/bash
# build.sh DIR [double]: build FFTW's test program, unmodified, with threads, as DIR/bench (single precision) or
# DIR/bench-double.
#
# Only libbench2 and tests/ are compiled; the FFTW they call is the system's shared library.  Exit status: 0 done,
# 77 the source or a library is missing.
set -eu
dir=${1:?usage: build.sh DIR [double]}
precision=${2:-single}
here=$(cd "$(dirname "$0")" && pwd)
cc=${CC:-cc}

mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
exec 9>"$dir/lock" # several tests may want the program at once
flock 9
case $precision in
  single) bench=bench config=config library=libfftw3f option=--enable-float ;;
  double) bench=bench-double config=config-double library=libfftw3 option=--disable-float ;;
  *) echo "build.sh: no precision '$precision'" >&2; exit 2 ;;
esac
[ -x "$dir/$bench" ] && exit 0
"$here/fetch.sh" "$dir"

libraries=("-l${library#lib}_threads" "-l${library#lib}" -lpthread -lm)
echo 'int main(void) { return 0; }' >"$dir/try.c"
$cc -o "$dir/try" "$dir/try.c" "${libraries[@]}" 2>"$dir/build.log" || {
  echo "build.sh: the stock $library and ${library}_threads do not link (Debian: libfftw3-dev)" >&2
  exit 77
}

# FFTW's configure is run for config.h alone.
mkdir -p "$dir/$config"
(cd "$dir/$config" && CC=$cc ../source/configure --quiet $option --enable-shared --disable-static \
  --disable-fortran --enable-threads) >>"$dir/build.log" 2>&1 || { tail -n 20 "$dir/build.log" >&2; exit 1; }

# libbench2 is an archive: the programs replace some of its members.
compile() {
  cd "$dir/source"
  mkdir -p "$dir/$config/objects"
  for file in libbench2/*.c; do
    $cc -w -O2 -DHAVE_CONFIG_H -I"$dir/$config" -I. -c -o "$dir/$config/objects/$(basename "$file" .c).o" "$file" || return
  done
  ar rcs "$dir/$config/libbench2.a" "$dir/$config"/objects/*.o
  $cc -w -O2 -pthread -DHAVE_CONFIG_H -I"$dir/$config" -I. -o "$dir/$bench.new" \
    tests/bench.c tests/hook.c tests/fftw-bench.c "$dir/$config/libbench2.a" "${libraries[@]}"
}
(compile) >>"$dir/build.log" 2>&1 || { tail -n 20 "$dir/build.log" >&2; exit 1; }
mv "$dir/$bench.new" "$dir/$bench"
