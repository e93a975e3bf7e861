# shellcheck shell=sh
# no_settings.sh: a script that reads this runs with the library's defaults, whatever its caller has set or preloaded.  Only
# the folder of compiled kernels is kept.  Nor does the caller's language count: with a decimal comma awk would read and print
# other numbers.
for setting in $(env | sed -n 's/^\(FFTW3_GPU[A-Z0-9_]*\)=.*/\1/p'); do
  test "$setting" = FFTW3_GPU_CACHE || unset "$setting"
done
unset LD_PRELOAD
LC_ALL=C
export LC_ALL
