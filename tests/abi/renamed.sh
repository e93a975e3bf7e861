#!/bin/sh
# renamed.sh: FFTW under another file's name, and within a library. Its planners call each other through the dynamic linker,
# so that they reach us, and their plans are executed by its own functions; what calls it within that library is a program
# like any other.
. "$(dirname "$0")/common.sh"
real=$(libfile $fftw.so.3)
[ -e "$real" ] || skip "no $fftw.so.3"
cp "$real" "$work/alias.so"
compile renamed -ldl
compile refuse -shared -fPIC -ldl
lookup=${lib%.so}_lookup.so
[ -e "$lookup" ] || lookup=

# right FILE LINES [OWN [PRELOAD:]]: with and without what answers dlsym, each line right.
right() {
  for preload in "$lib" "$lib${lookup:+:$lookup}"; do
    for settings in FFTW3_GPU_REPORT=$work/report FFTW3_GPU_TRACE=$work/trace FFTW3_GPU=force; do
      rm -f "$work/report" "$work/trace"
      env "$settings" FFTW3_GPU_BACKEND=sim FFTW3_GPU_REPORT="$work/report" FFTW3_GPU_DOUBLE=double \
        LD_PRELOAD="${4:-}$preload" ${4:+REFUSE="$fftw\.so"} "$work/renamed" "$1" ${3:-} >"$work/out" 2>"$work/err" ||
        fail "$1, $preload, $settings: status $?"
      [ "$(grep -c ': right' "$work/out")" = "$2" ] || { cat "$work/out"; fail "$1, $preload, $settings"; }
    done
  done
}
right "$work/alias.so" 3

archive=$($CC -print-file-name=$fftw.a)
# shellcheck disable=SC2086
if [ -e "$archive" ] && $CC -O1 -w -fPIC ${FFTW3F_CFLAGS:-} -DHOLDS -shared -o "$work/libholds.so" "$work/renamed.c" \
  -Wl,--whole-archive "$archive" -Wl,--no-whole-archive -lm 2>"$work/err"; then
  right "$work/libholds.so" 4 own
  awk -F '\t' '$1 == "icf16" && $2 == "sim" && $5 == 1 { ran = 1 } END { exit !ran }' "$work/report" ||
    { cat "$work/report"; fail "its own transform: not on sim"; }
  right "$work/libholds.so" 3 '' "$work/refuse:" # and no other FFTW is to be had
else
  echo "no library can be made of $fftw.a here"
fi
echo "plans of FFTW under other names are executed by it"
