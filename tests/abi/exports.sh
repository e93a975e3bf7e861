#!/bin/sh
# exports.sh: the library exports every public name of the installed fftw3.h, of fftw3_gpu.h, what libfftw3_gpu_lookup.so asks and every
# legacy Fortran name of the real libraries, data as data, and nothing else.
. "$(dirname "$0")/common.sh"
need nm cpp awk comm

# shellcheck disable=SC2086
printf '#include <fftw3.h>\n' | cpp -P ${FFTW3F_CFLAGS:-} - | tr '\n' ' ' | tr ';' '\n' >"$work/declarations"
: >"$work/functions"; : >"$work/data"

# of_precision LIBRARY API LEGACY: what that real library offers to programs.
of_precision() {
  grep -oE "^ *extern [^(]*[ *]$2_[a-z0-9_]+ *\\(" "$work/declarations" | grep -oE "$2_[a-z0-9_]+ *\\(\$" | tr -d ' (' \
    >"$work/$2"
  grep -oE "^ *extern const char $2_[a-z0-9_]+" "$work/declarations" | grep -oE "$2_[a-z0-9_]+" >"$work/$2.data"
  [ "$(wc -l <"$work/$2")" -ge 70 ] || fail "fftw3.h was not understood"
  [ "$(wc -l <"$work/$2.data")" -eq 3 ] || fail "fftw3.h has other data symbols than known"
  printf '%s\n' "$2_planner_nthreads" "$2_threads_set_callback" "$2_set_planner_hooks" "$2_copy_plan" "$3_copy_plan_" "$3_copy_plan__" \
    "$3_planner_nthreads_" "$3_planner_nthreads__" >>"$work/$2" # an older FFTW may lack them
  for real in "$1.so.3" "$1_threads.so.3"; do
    file=$(libfile "$real")
    [ -e "$file" ] || skip "no $real"
    nm -D --defined-only "$file" | awk -v name="^$3_" '$3 ~ name { print $3 }' >>"$work/$2"
  done
  [ "$(grep -c "^$3_" "$work/$2")" -ge 96 ] || fail "the real libraries have fewer Fortran names than known"
  cat "$work/$2" >>"$work/functions"
  cat "$work/$2.data" >>"$work/data"
}
of_precision libfftw3f fftwf sfftw
of_precision libfftw3 fftw dfftw
cat "$src/../../fftw3_gpu.h" "$src/../../src/lookup/lookup.h" | cpp -P - | grep -oE 'fftw3_gpu_[a-z_]+ *\(' | tr -d ' (' >>"$work/functions"

nm -D --defined-only "$lib" | awk '$2 ~ /[TW]/ { print $3 }' | sed 's/@.*//' | sort -u >"$work/got_functions"
nm -D --defined-only "$lib" | awk '$2 ~ /[DRBV]/ { print $3 }' | sed 's/@.*//' | sort -u >"$work/got_data"
nm -D --defined-only "$lib" | awk '$2 !~ /[TWDRBVA]/' >"$work/other"

sort -u "$work/functions" >"$work/wanted_functions"
sort -u "$work/data" >"$work/wanted_data"
bad=0
for what in functions data; do
  missing=$(comm -23 "$work/wanted_$what" "$work/got_$what")
  extra=$(comm -13 "$work/wanted_$what" "$work/got_$what")
  [ -z "$missing" ] || { echo "missing $what:" $missing; bad=1; }
  [ -z "$extra" ] || { echo "exported $what beyond FFTW's:" $extra; bad=1; }
done
[ ! -s "$work/other" ] || { echo "symbols of another type:"; cat "$work/other"; bad=1; }

# The real FFTW and CUDA are found at run time.
needed=$(readelf -d "$lib" 2>/dev/null | grep -E 'NEEDED.*(fftw|cuda|nvrtc)')
[ -z "$needed" ] || { echo "linked to what is to be found at run time: $needed"; bad=1; }
[ $bad -eq 0 ] || fail "exports"
echo "$(wc -l <"$work/wanted_functions") functions, $(wc -l <"$work/wanted_data") texts"
