#!/bin/sh
# exports.sh: the library exports every public name of the installed fftw3.h, of fftw3_gpu.h and every legacy Fortran
# name of the real libraries, data as data, and nothing else.
. "$(dirname "$0")/common.sh"
need nm cpp awk comm

# shellcheck disable=SC2086
printf '#include <fftw3.h>\n' | cpp -P ${FFTW3F_CFLAGS:-} - | tr '\n' ' ' | tr ';' '\n' >"$work/declarations"
grep -oE '^ *extern [^(]*[ *]fftwf_[a-z0-9_]+ *\(' "$work/declarations" |
  grep -oE 'fftwf_[a-z0-9_]+ *\($' | tr -d ' (' >"$work/functions"
grep -oE '^ *extern const char fftwf_[a-z0-9_]+' "$work/declarations" | grep -oE 'fftwf_[a-z0-9_]+' >"$work/data"
[ "$(wc -l <"$work/functions")" -ge 70 ] || fail "fftw3.h was not understood"
[ "$(wc -l <"$work/data")" -eq 3 ] || fail "fftw3.h has other data symbols than known"
echo fftwf_copy_plan >>"$work/functions"
cpp -P "$src/../../fftw3_gpu.h" | grep -oE 'fftw3_gpu_[a-z_]+ *\(' | tr -d ' (' >>"$work/functions"

for real in libfftw3f.so.3 libfftw3f_threads.so.3; do
  file=$(libfile $real)
  [ -e "$file" ] || skip "no $real"
  nm -D --defined-only "$file" | awk '$3 ~ /^sfftw_/ { print $3 }' >>"$work/functions"
done
[ "$(grep -c '^sfftw_' "$work/functions")" -ge 96 ] || fail "the real libraries have fewer Fortran names than known"

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
