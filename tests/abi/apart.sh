#!/bin/sh
# apart.sh: a program of one precision never looks for the other one's real library, whatever is switched on.
. "$(dirname "$0")/common.sh"

# looked_for WHAT SETTING... -- PROGRAM ARGUMENT...: the files that it opened or tried to open are in $work/files
looked_for() {
  what=$1
  shift
  settings=
  while [ "$1" != -- ]; do settings="$settings $1"; shift; done
  shift
  rm -f "$work"/opened*
  # shellcheck disable=SC2086
  env $settings FFTW3_GPU_BACKEND=sim LD_PRELOAD="$lib" LD_DEBUG=files,libs LD_DEBUG_OUTPUT="$work/opened" "$@" \
    >"$work/out" 2>&1 || { cat "$work/out"; fail "$what: status $?"; }
  cat "$work"/opened* >"$work/files" 2>/dev/null
  grep -q "$(basename "$lib")" "$work/files" || skip "this dynamic linker does not tell what it opens"
  grep -q "$fftw\.so" "$work/files" || fail "$what: the own library was not opened"
  if grep -E "$other(\.|_threads|_omp)" "$work/files"; then fail "$what: the other's library was looked for"; fi
}

each_precision() {
  rm -f "$work/small" "$work/calls"
  compile small -l"${fftw#lib}"
  compile calls -l"${fftw#lib}_threads" -l"${fftw#lib}"
  for mode in auto off force; do
    looked_for "$fftw, $mode" FFTW3_GPU=$mode -- "$work/small"
    looked_for "$fftw, $mode, all" FFTW3_GPU=$mode FFTW3_GPU_REPORT="$work/report" FFTW3_GPU_TRACE="$work/trace" \
      FFTW3_GPU_LOG=debug FFTW3_GPU_LOG_FILE="$work/log" -- "$work/calls" "$work/wisdom"
    looked_for "$fftw, replay, $mode" FFTW3_GPU=$mode -- "${FG_PROGRAM:-$top_builddir/fftw3-gpu}" replay "$work/trace"
    rm "$work/trace"
  done
  [ "$(awk -F '\t' 'NR > 1 { print $13 }' "$work/report" | sort -u)" = "$FG_PRECISION" ] ||
    fail "$fftw: the report has other precisions"
  rm "$work/report"
}
each_precision
FG_PRECISION=double fftw=libfftw3 other=libfftw3f api=fftw legacy=dfftw
each_precision
echo "neither of the two needs the other"
