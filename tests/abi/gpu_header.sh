#!/bin/sh
# gpu_header.sh: fftw3_gpu.h is C99 and C++ by itself, before and after fftw3.h; the example runs with and without the
# library, and a program may look functions up.
. "$(dirname "$0")/common.sh"
CXX=${CXX:-c++} # may be several words, as CC
top=$src/../..
need "${CXX%% *}"

try() { # try NAME COMPILER... : $work/NAME.c holds it
  name=$1
  shift
  # shellcheck disable=SC2086
  "$@" -pedantic -Wall -Wextra -Werror -I"$top" ${FFTW3F_CFLAGS:-} -c -o "$work/$name.o" "$work/$name.c" ||
    fail "$name: $*"
}
use='int f(fftwf_plan p) { return fftw3_gpu_execute_stream(p, 0); }
int g(fftw_plan p, fftw3_gpu_job **j) { return fftw3_gpu_double(FFTW3_GPU_DOUBLE_SINGLE) | fftw3_gpu_start_double(p, j); }
int h(fftw_plan p) { return fftw3_gpu_execute_stream(p, 0); }'
printf '#include <%s>\n' fftw3_gpu.h fftw3_gpu.h >"$work/alone.c"
echo 'int (*f)(void) = fftw3_gpu_version;' >>"$work/alone.c"
{ printf '#include <%s>\n' fftw3.h fftw3_gpu.h; echo "$use"; } >"$work/after.c"
{ printf '#include <%s>\n' fftw3_gpu.h fftw3.h; echo "$use"; } >"$work/before.c"
cat >"$work/info.c" <<'END'
#include <fftw3_gpu.h>
int f(const struct fftwf_plan_s *p) {
  fftw3_gpu_info info = FFTW3_GPU_INFO_INIT;
  return fftw3_gpu_plan_info(p, &info) == 0 && info.size == sizeof info && info.route == FFTW3_GPU_ROUTE_HOST;
}
END
# shellcheck disable=SC2086
for name in alone after before info; do
  try $name $CC -std=c99 -xc
  try $name $CXX -std=c++11 -xc++
done

# Every function of the header is in symbols.map, and the other way round but for what another library asks.
$CC -E -P "$top/fftw3_gpu.h" | grep -oE 'fftw3_gpu_[a-z_]+ *\(' | tr -d ' (' | sort -u >"$work/declared"
grep -oE '^ *fftw3_gpu_[a-z_]+;' "$top/compat/symbols.map" | tr -d ' ;' | grep -v '^fftw3_gpu_instead' | sort -u >"$work/exported"
diff "$work/declared" "$work/exported" || fail "fftw3_gpu.h and symbols.map differ"

# shellcheck disable=SC2086
$CC -O1 -Wall -Wextra -fPIE -pie -I"$top" ${FFTW3F_CFLAGS:-} -o "$work/example" "$top/examples/resident.c" \
  ${FFTW3F_LDFLAGS:-} -lfftw3f -lm || fail "the example does not compile"
[ "$("$work/example" 2>&1)" = "on the host: right" ] || fail "the example without the library"
export FFTW3_GPU_BACKEND=sim
for mode in force auto off; do
  rm -f "$work/report"
  FFTW3_GPU=$mode FFTW3_GPU_REPORT=$work/report LD_PRELOAD=$lib "$work/example" >"$work/out" 2>"$work/err" ||
    fail "the example, $mode: $(cat "$work/err")"
  grep -q '^on the host: right$' "$work/out" || fail "the example, $mode: $(cat "$work/out")"
  [ "$(grep -c 'in the background: right' "$work/err")" = 2 ] || fail "the example, $mode: $(cat "$work/err")"
  [ $mode = off ] || grep -q '^on the device: right$' "$work/err" || fail "the example, $mode: $(cat "$work/err")"
  ! grep -q wrong "$work/out" "$work/err" || fail "the example, $mode"
  awk -F '\t' '$2 == "sim" && $3 ~ /stream of the program/ { seen += $5 } END { exit seen != 1 }' "$work/report" ||
    [ $mode = off ] || fail "the example, $mode: the stream's execution is not in the report: $(cat "$work/report")"
done
grep -q 'route 0' "$work/err" || fail "off is not the host"

cat >"$work/lookup.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
int main(void) {
  int (*version)(void);
  *(void **)&version = dlsym(RTLD_DEFAULT, "fftw3_gpu_version");
  if (version) printf("%d\n", version());
  else puts("absent");
  return 0;
}
END
$CC -o "$work/lookup" "$work/lookup.c" -ldl || fail "lookup"
[ "$("$work/lookup")" = absent ] || fail "a function without the library"
[ "$(LD_PRELOAD=$lib "$work/lookup")" -ge 100 ] || fail "no function under the preload"
echo "$(wc -l <"$work/declared") functions"
