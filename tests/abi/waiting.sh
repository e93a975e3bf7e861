#!/bin/sh
# waiting.sh: a program with one transform of middling size does not open the GPU; one with many ends up there, by the
# calibration in the cache folder; neither is harmed by ending while the GPU starts.
. "$(dirname "$0")/common.sh"
compile many -lfftw3f -lpthread

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

# However slowly this machine does one transform, it is done before that long a start.
calibrate 600000
run one -- 1
[ "$(where one)" = host ] || fail "one transform went to $(where one)"
grep -q 'until the GPU pays' "$work/one.report" || fail "one transform did not wait"
[ "$(cat "$work/one.out")" = '(waiting-' ] || fail "one: $(cat "$work/one.out")"

calibrate # whatever sim takes is fast enough
run ending -- 1000
run many -- gpu
[ "$(cat "$work/many.out")" = '(gpu-ocf2' ] || fail "many: $(cat "$work/many.out")"
[ "$(where many)" = 'host sim' ] || fail "many transforms went to $(where many)"
grep -q 'after [0-9]* executions on the host' "$work/many.report" || fail "the report does not tell of the switch"

run steady FFTW3_GPU=steady -- 1000
[ "$(where steady)" = host ] || fail "steady went to $(where steady)"
run absent FFTW3_GPU_SIM_FAIL=nonsense -- 1000
[ "$(where absent)" = host ] || fail "without a GPU it went to $(where absent)"

# Where the loader finds no driver nobody waits for it; where it does, it is not loaded for one transform.
reason() { # FOLDER: the reason in the report
  env FFTW3_GPU_REPORT="$work/reason.report" LD_LIBRARY_PATH="$1" LD_DEBUG=files LD_DEBUG_OUTPUT="$work/opened" \
    LD_PRELOAD="$lib" "$work/many" 1 >"$work/out" 2>"$work/err" || fail "driver in $1: status $?"
  awk -F '\t' 'NR > 1 { print $3 }' "$work/reason.report"
  rm -f "$work/reason.report"
}
if "${FG_PROGRAM:-$top_builddir/fftw3-gpu}" info | grep -q '^cuda  *none: no CUDA driver'; then
  [ "$(reason "$work")" = 'no GPU: the CUDA driver (libcuda.so.1) was not found' ] ||
    fail "without a driver: $(reason "$work")"
  mkdir "$work/driver"
  echo 'int nothing;' >"$work/nothing.c"
  $CC -shared -fPIC -o "$work/driver/libcuda.so.1" "$work/nothing.c" || fail "no shared library"
  [ "$(reason "$work/driver")" = 'until the GPU pays' ] || fail "with a driver: $(reason "$work/driver")"
  if grep -q 'calling init: .*libcuda' "$work"/opened*; then fail "the driver was loaded for one transform"; fi

  # A program that ends leaves what it has learned: that this machine is not sixteen times slower than it should be.
  mkdir "$work/learns"
  sed 's/^seen_cache .*/seen_cache      16         times    x/; s/^device sim/device none/' "$work"/cache/calibration-* \
    >"$work/learns/learned-$host"
  chmod go-w "$work/learns/learned-$host"
  learns() { FFTW3_GPU_CACHE=$work/learns LD_LIBRARY_PATH=$work/driver LD_PRELOAD=$lib "$work/many" "$1" >/dev/null; }
  seen() { awk '$1 == "seen_cache" { print $2 }' "$work/learns/learned-$host"; }
  learns 1 || fail "learning: status $?"
  [ "$(seen)" = 16 ] || fail "one execution teaches $(seen)"
  learns 40000 || fail "learning: status $?"
  awk -v s="$(seen)" 'BEGIN { exit !(s > 0 && s < 15) }' || fail "40000 executions teach $(seen)"
  FFTW3_GPU_CACHE=$work/learns "${FG_PROGRAM:-$top_builddir/fftw3-gpu}" info | grep -q '^calibration .*/learned-' ||
    fail "what was learned is not in force"
fi

# A device that is not there: told once, and the host answers.
settings='FFTW3_GPU=force FFTW3_GPU_BACKEND=sim FFTW3_GPU_DEVICE=7'
env $settings LD_PRELOAD="$lib" "$work/many" 3 >"$work/out" 2>"$work/err" || fail "no such device: status $?"
[ "$(cat "$work/out")" = '(dft-rank' ] || fail "no such device: $(cat "$work/out")"
[ "$(cat "$work/err")" = "fftw3-gpu: error: FFTW3_GPU_DEVICE=7: there is no such GPU, only number 0; transforms stay on \
the host" ] || fail "no such device: $(cat "$work/err")"
echo "one waits, many switch: $(awk -F '\t' 'NR == 3 { print $3 }' "$work/many.report")"
