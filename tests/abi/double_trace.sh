#!/bin/sh
# double_trace.sh: traces of programs in double precision, and in both, and their replay.
here=$(cd "$(dirname "$0")" && pwd)
FG_PRECISION=double
export FG_PRECISION
sh "$here/trace.sh" && sh "$here/replay.sh" || exit

# ---- both precisions in one trace; wrong only by what single precision is where that computes
. "$here/common.sh"
mixed=$top_builddir/tests/programs/mixed.app program=${FG_PROGRAM:-$top_builddir/fftw3-gpu}
[ -e "$mixed" ] || exit 0
FFTW3_GPU_TRACE=$work/mixed LD_PRELOAD=$lib "$mixed" >"$work/out" || fail "mixed: status $?"
for call in malloc plan free set_timelimit; do
  [ "$(grep -c " $call .*precision=double" "$work/mixed")" -gt 0 ] || [ $call = set_timelimit ] ||
    fail "mixed: no $call in double precision"
  [ "$(grep " $call " "$work/mixed" | grep -vc precision=double)" -gt 0 ] || fail "mixed: no $call in single precision"
done
for double in double single; do
  FFTW3_GPU=force FFTW3_GPU_BACKEND=sim FFTW3_GPU_DOUBLE=$double \
    "$program" replay --compare "$work/mixed" >"$work/out" || { cat "$work/out"; fail "mixed: replay, $double"; }
  awk -v double=$double '/ double:/ && $4 == "sim" && $(NF - 1) > 0 { ran++; bad += ($NF < 1e-12) != (double == "double") }
    END { exit !ran || bad }' "$work/out" || { cat "$work/out"; fail "mixed: replay, $double: differences"; }
done
echo "both precisions in one trace"
