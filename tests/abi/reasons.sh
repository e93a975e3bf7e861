#!/bin/sh
# reasons.sh: of a plan on arrays of the device the report says what failed, though more has failed since, and what a message was in
# has been freed: its former content is overwritten here.
. "$(dirname "$0")/common.sh"
# shellcheck disable=SC2086 # several options
$CC -O1 -Wall -Wextra -DFFTW3_GPU_WEAK -I"$src/../.." ${FFTW3F_CFLAGS:-} -o "$work/reasons" "$src/reasons.c" \
  ${FFTW3F_LDFLAGS:-} -lfftw3f || fail "reasons.c does not compile"

# says FAULTS TEXT: that is the reason, and the result is right.
says() {
  rm -f "$work/report"
  FFTW3_GPU=force FFTW3_GPU_BACKEND=sim FFTW3_GPU_SIM_FAIL=$1 FFTW3_GPU_REPORT=$work/report MALLOC_PERTURB_=165 LD_PRELOAD=$lib \
    "$work/reasons" 2>"$work/err" || { cat "$work/err"; fail "$1: status $?"; }
  [ "$(awk -F '\t' '$1 == "ocf16" { print $3 }' "$work/report")" = "$2" ] ||
    { cat "$work/report"; fail "$1: another reason than $2"; }
}
says compile:1+ 'sim: compile call 1 fails (injected); fallback: sim: compile call 3 fails (injected)'
says launch:1+,chain:1+,wait:4 'arrays on the device; fallback: sim: launch call 1 fails (injected)'
echo "reasons are what they were"
