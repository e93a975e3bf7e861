#!/bin/bash
# surroundings.sh [BACKEND]: tests/soak/surroundings.c in each of its situations, on that backend (default sim).  In
# each the answers must be right and standard error silent; where nothing stands in the way of the device, no execution
# may fall back, and where it cannot be used, the log must say so.
set -u
source=${FG_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)} build=${FG_BUILD:-$PWD} backend=${1:-sim}
program=$build/tests/soak/surroundings
export FG_LIBRARY=${FG_LIBRARY:-$build/.libs/libfftw3_gpu.so}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/../no_settings.sh"
[ -x "$program" ] || { echo "skipped: no $program"; exit 77; }
cp "$program" "$FG_LIBRARY" "$work/" # a situation may run as another user
chmod 755 "$work"
export FFTW3_GPU_CACHE=$work/cache # nor may it reach the build folder
mkdir -m 1777 "$work/tmp" # where sim compiles; without descriptors it cannot tidy up
export TMPDIR=$work/tmp
program=$work/surroundings FG_LIBRARY=$work/$(basename "$FG_LIBRARY")
failed=0 passed=0 skipped=0

bad() {
  echo "$situation: $*"
  head -n 20 "$work/err" "$work/log" 2>/dev/null
  failed=$((failed + 1))
}

# try SITUATION EXPECT [NAME=VALUE…]: EXPECT is device (no fallback, no warning), host (one warning or more), any, or
# told (any, and what cannot be used is told of on standard error).
try() {
  situation=$1
  local expect=$2 status=0
  shift 2
  rm -f "$work/log" "$work/report"
  local preload=(LD_PRELOAD="$FG_LIBRARY")
  [ "$situation" != dlclosed ] || preload=()
  touch "$work/log" "$work/report" && chmod 666 "$work/log" "$work/report"
  timeout 300 env "${preload[@]}" FFTW3_GPU=force FFTW3_GPU_BACKEND="$backend" FFTW3_GPU_LOG=warn \
    FFTW3_GPU_LOG_FILE="$work/log" FFTW3_GPU_REPORT="$work/report" "$@" \
    "$program" "$situation" >"$work/out" 2>"$work/err" || status=$?
  [ $status != 77 ] || { echo "$situation $*: skipped"; skipped=$((skipped + 1)); return; }
  local before=$failed warnings
  warnings=$(grep -c . "$work/log")
  [ $status = 0 ] || bad "exit status $status"
  [ ! -s "$work/err" ] || [ "$expect" = told ] || bad "not silent"
  [ "$expect" != device ] || [ "$warnings" = 0 ] || bad "$warnings warnings"
  [ "$expect" != host ] || [ "$warnings" != 0 ] || bad "no warning"
  if [ "$expect" = device ] && ! awk -F '\t' -v backend="$backend" '
    /^#problem\t/ { for (c = 1; c <= NF; c++) column[$c] = c; next }
    $column["where"] == backend { ran += $column["executes"]; back += $column["fallbacks"] }
    END { exit !(ran > 0 && back == 0) }' "$work/report"; then
    bad "did not run on $backend: $(cat "$work/report")"
  fi
  [ $failed != "$before" ] || passed=$((passed + 1))
  echo "$situation $*: $warnings warnings"
}

try all device # also fills the folder of compiled kernels
chmod -R a+rX "$FFTW3_GPU_CACHE" 2>/dev/null
for s in atexit_after leaving_plans_behind dlclosed small_stacks alarm_storm other_arithmetic traps \
  descriptors_after_exec; do
  try $s device
done
# The CUDA driver has ended before these come to execute.
for s in atexit_before destructors threads_at_exit forks no_standard_descriptors close_all no_threads \
  no_address_space_to_plan no_address_space_to_execute no_locked_memory; do
  try $s any
done
try no_descriptors_to_plan told # nor to open the log
try no_descriptors_to_execute told
try all any HOME= XDG_CACHE_HOME=
try all told FFTW3_GPU_CACHE=/proc/nowhere
try all any FFTW3_GPU_CACHE= HOME="$work/nowhere" TMPDIR="$work/nowhere" # the driver makes its folder there
try all device FFTW3_GPU_MEMORY=1M
try all host FFTW3_GPU_MEMORY=1K
if [ "$backend" = cuda ]; then
  try memory_full host
  try all host CUDA_VISIBLE_DEVICES=
  try all told FFTW3_GPU_DEVICE=63
  try all host FFTW3_GPU_NVRTC="$program" FFTW3_GPU_CACHE="$work/empty" # no library
  try all told FFTW3_GPU_NVRTC=/nowhere
else
  try all host FFTW3_GPU_SIM_FAIL=alloc:1+
  try all told FFTW3_GPU_DEVICE=63
  try all host FFTW3_GPU_CXX=/nowhere FFTW3_GPU_CACHE="$work/empty"
fi

# With another user's rights: whoever starts the program must not say which files it reads and writes.
situation=secure
if [ "$(id -u)" = 0 ] && cp "$program" "$work/secure" && chown 65534 "$work/secure" && chmod 4755 "$work/secure"; then
  before=$failed status=0
  rm -f "$work"/secure-*
  FFTW3_GPU=force FFTW3_GPU_BACKEND="$backend" FFTW3_GPU_LOG_FILE="$work/secure-log" \
    FFTW3_GPU_CACHE="$work/secure-cache" FFTW3_GPU_REPORT="$work/secure-report" "$work/secure" secure || status=$?
  [ $status = 0 ] || [ $status = 77 ] || bad "exit status $status"
  [ -z "$(find "$work" -name 'secure-*')" ] || bad "a setting counted: $(find "$work" -name 'secure-*')"
  [ $status != 77 ] || skipped=$((skipped + 1))
  [ $status = 77 ] || [ $failed != "$before" ] || passed=$((passed + 1))
fi

# Four ranks of a parallel program at once on one device.
situation=ranks
for rank in 0 1 2 3; do
  env LD_PRELOAD="$FG_LIBRARY" FFTW3_GPU=force FFTW3_GPU_BACKEND="$backend" FFTW3_GPU_LOG=warn \
    FFTW3_GPU_LOG_FILE="$work/log$rank" OMPI_COMM_WORLD_LOCAL_RANK=$rank OMPI_COMM_WORLD_LOCAL_SIZE=4 "$program" all &
  pids[rank]=$!
done
before=$failed
for rank in 0 1 2 3; do
  wait "${pids[rank]}" || bad "rank $rank: exit status $?"
  [ ! -s "$work/log$rank" ] || bad "rank $rank: $(cat "$work/log$rank")"
done
[ $failed != "$before" ] || passed=$((passed + 1))

echo "$passed situations survived, $failed not, $skipped could not be had"
[ $failed = 0 ]
