#!/bin/sh
# waiting.sh: a program with one transform of middling size does not open the GPU; one with many ends up there, by the
# calibration in the cache folder; neither is harmed by ending while the GPU starts.
. "$(dirname "$0")/common.sh"
compile many -lfftw3f -lpthread
calibrate # whatever sim takes is fast enough

# run NAME [SETTING=VALUE...] -- ARGUMENT: stdout, stderr, report
run() {
  name=$1
  shift
  settings=
  while [ "$1" != -- ]; do settings="$settings $1"; shift; done
  # shellcheck disable=SC2086
  env FFTW3_GPU_BACKEND=sim FFTW3_GPU_CACHE="$work/cache" FFTW3_GPU_REPORT="$work/$name.report" $settings \
    LD_PRELOAD="$lib" "$work/many" "$2" >"$work/$name.out" 2>"$work/$name.err" || fail "$name: status $?"
  [ ! -s "$work/$name.err" ] || { cat "$work/$name.err"; fail "$name: not silent"; }
}
# where NAME: the places of its rows, in order
where() { awk -F '\t' 'NR > 1 { printf "%s%s", sep, $2; sep = " " }' "$work/$1.report"; }

run one -- 1
[ "$(where one)" = host ] || fail "one transform went to $(where one)"
grep -q 'until the GPU pays' "$work/one.report" || fail "one transform did not wait"
[ "$(cat "$work/one.out")" = '(waiting-' ] || fail "one: $(cat "$work/one.out")"

run ending -- 1000
run many -- gpu
[ "$(cat "$work/many.out")" = '(gpu-ocf2' ] || fail "many: $(cat "$work/many.out")"
[ "$(where many)" = 'host sim' ] || fail "many transforms went to $(where many)"
grep -q 'after [0-9]* executions on the host' "$work/many.report" || fail "the report does not tell of the switch"

run steady FFTW3_GPU=steady -- 1000
[ "$(where steady)" = host ] || fail "steady went to $(where steady)"
run absent FFTW3_GPU_SIM_FAIL=nonsense -- 1000
[ "$(where absent)" = host ] || fail "without a GPU it went to $(where absent)"
echo "one waits, many switch: $(awk -F '\t' 'NR == 3 { print $3 }' "$work/many.report")"
