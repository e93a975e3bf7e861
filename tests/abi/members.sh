#!/bin/sh
# members.sh: a transform of a batch never changes another one's result, nor does it with stock FFTW.
. "$(dirname "$0")/common.sh"
compile members -lfftw3f

"$work/members" || fail "stock FFTW"
FFTW3_GPU=force FFTW3_GPU_BACKEND=sim FFTW3_GPU_REPORT=$work/report LD_PRELOAD=$lib "$work/members" || fail "status $?"
awk -F '\t' '/^#problem/ { for (i = 1; i <= NF; i++) if ($i == "where") column = i; next }
  $column == "sim" { sim++; next } { host++ } END { print sim + 0, "on sim,", host + 0, "not"; exit !(sim > 60 && !host) }' \
  "$work/report" || fail "not all were on sim"
