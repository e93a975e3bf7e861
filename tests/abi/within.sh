#!/bin/sh
# within.sh: programs and libraries that have a part of FFTW's archive in them: no plan is NULL, none is executed by an FFTW that
# does not know it; beside the system's FFTW and where there is none.
. "$(dirname "$0")/common.sh"
archive=$($CC -print-file-name=$fftw.a)
[ -e "$archive" ] || skip "no $fftw.a"
in_precision <"$src/within.c" >"$work/within.c"
compile refuse -shared -fPIC -ldl

# link FILE OPTION...: of within.c; where the archive has no code for that there is nothing to test.
link() {
  file=$1
  shift
  # shellcheck disable=SC2086
  $CC -O1 -w ${FFTW3F_CFLAGS:-} -o "$work/$file" "$@" -lm 2>"$work/err" || skip "$file cannot be linked: $(head -1 "$work/err")"
}

# right PROGRAM [PRELOAD:]
right() {
  for settings in FFTW3_GPU=off FFTW3_GPU=auto FFTW3_GPU_TRACE="$work/trace" FFTW3_GPU=force; do
    for report in '' "FFTW3_GPU_REPORT=$work/report"; do
      rm -f "$work/report" "$work/trace"
      env "$settings" ${report:+"$report"} FFTW3_GPU_BACKEND=sim FFTW3_GPU_DOUBLE=double LD_LIBRARY_PATH="$work" \
        LD_PRELOAD="${2:-}$lib" ${2:+REFUSE="$fftw\.so"} timeout 100 "$work/$1" >"$work/out" 2>"$work/err" ||
        { cat "$work/out" "$work/err"; fail "$1, $settings $report: status $?"; }
    done
  done
}

link libinside.so -DLIBRARY -shared -fPIC -Wl,-soname,libinside.so "$work/within.c" "$archive"
link linked "$work/within.c" "$work/libinside.so"
right linked
right linked "$work/refuse:"

# shellcheck disable=SC2086
link libuser.so -DLIBRARY -shared -fPIC -Wl,-soname,libuser.so "$work/within.c" -Wl,--no-as-needed -l${fftw#lib} ${FFTW3F_LDFLAGS:-}
link front -DOWN "$work/within.c" "$archive" "$work/libuser.so"
right front
# shellcheck disable=SC2086
link both -DOWN "$work/within.c" "$archive" "$work/libuser.so" -Wl,--no-as-needed -l${fftw#lib} ${FFTW3F_LDFLAGS:-}
right both

link wrapper.so -DWRAPPER -shared -fPIC "$work/within.c" -ldl
# shellcheck disable=SC2086
link ordinary -DOWN "$work/within.c" "$work/libuser.so" -l${fftw#lib} ${FFTW3F_LDFLAGS:-}
right ordinary "$work/wrapper.so:"
grep -q '	sim	' "$work/report" || { cat "$work/report"; fail "nothing of the wrapped ordinary program is on sim"; }
echo "what has FFTW within is right"
