#!/bin/bash
# soak.sh [BACKEND [OPTION…]]: tests/soak/soak.c under the library on that backend (default sim, where calls fail
# again and again), with those options (default: some seconds' worth), FG_SOAK=soak_double: in double precision.
# Results must be right, memory must not grow, and each execution that real FFTW had to answer must be one line in the
# log; with --once there must be none.
set -u
build=${FG_BUILD:-$PWD} backend=${1:-sim}
[ $# = 0 ] || shift
program=$build/tests/soak/${FG_SOAK:-soak} library=${FG_LIBRARY:-$build/.libs/libfftw3_gpu.so}
[ -x "$program" ] || { echo "skipped: no $program"; exit 77; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/../no_settings.sh"
export FFTW3_GPU_CACHE=${FFTW3_GPU_CACHE:-$build/kernel-cache}
failed=0

# A sanitizer's library comes first, or it refuses to run; it keeps freed memory, so that growth says nothing.
sanitizer=$(ldd "$library" | awk '/lib(asan|ubsan|tsan)/ { printf "%s ", $3 }')
growth=()
[ -z "$sanitizer" ] || growth=(--growth=4000)

# all_there NAME: none fell back, and what no solver can do is at most one in twenty.
all_there() {
  awk '{ there = $1; back = $7; host = $(NF - 2); exit !(there > 0 && back == 0 && 20 * host <= there) }' "$work/counts" ||
    { echo "$1: not on the device: $(cat "$work/counts")" && failed=1; }
}

# soak NAME OPTION… [-- NAME=VALUE…]
soak() {
  local name=$1 options=() status=0
  shift
  while [ $# -gt 0 ] && [ "$1" != -- ]; do options+=("$1") && shift; done
  [ $# = 0 ] || shift
  rm -f "$work/report" "$work/log"
  echo "== $name"
  env LD_PRELOAD="$sanitizer$library" FFTW3_GPU=force FFTW3_GPU_BACKEND="$backend" FFTW3_GPU_REPORT="$work/report" \
    FFTW3_GPU_LOG=warn FFTW3_GPU_LOG_FILE="$work/log" "$@" "$program" "${options[@]}" "${growth[@]}" || status=$?
  [ $status = 0 ] || { echo "$name: exit status $status" && failed=1; }
  awk -F '\t' -v backend="$backend" '
    /^#problem\t/ { for (c = 1; c <= NF; c++) column[$c] = c; next }
    $column["where"] == backend { ran += $column["executes"]; back += $column["fallbacks"]; next }
    { host += $column["executes"] }
    END {
      print ran + 0 " executions on " backend ", of which " back + 0 " were answered by real FFTW; " host + 0 \
        " planned there" }' "$work/report" | tee "$work/counts"
  local fallbacks told
  fallbacks=$(sed 's/.*of which \([0-9]*\).*/\1/' "$work/counts")
  told=$(grep -v 'after fork$' "$work/log" 2>/dev/null | grep -c ': executed on the host: ')
  [ "$fallbacks" = "$told" ] || { echo "$name: $fallbacks fallbacks, but $told lines in the log" && failed=1; }
  [[ " ${options[*]} " != *" --once "* ]] || all_there "$name"
  sed 's/fftw3-gpu: [a-z]*: \([^:]*\): .*\( fails\|after fork\|lost\|memory\).*/\1:\2/' "$work/log" 2>/dev/null |
    sort | uniq -c | sort -rn | head -n 5
}

if [ $# -gt 0 ]; then
  soak "$backend" "$@"
elif [ "$backend" = sim ]; then
  often=alloc:5/29,copy:7/61,launch:9/97,wait:11/83,stream:40/41,pinned:3/17,compile:5/19,event:50/53,order:60/211
  soak "nothing fails" --count=1200 # all with the same problems, so that kernels are compiled once
  soak "calls fail" --count=1200 -- FFTW3_GPU_SIM_FAIL=$often
  watch=$(dirname "$library")/libfftw3_gpu_watch.so
  soak "any memory is pinned" --count=600 -- FFTW3_GPU_PIN=register LD_PRELOAD="$sanitizer$watch $library" \
    FFTW3_GPU_SIM_FAIL=any:50/97
  soak "little memory" --count=600 -- FFTW3_GPU_MEMORY=64K
  # In place it may be lost while results are written over the input, which ends the process (doc/reliability.md). It is warned of
  # once.
  soak "the device is lost" --count=600 --apart -- FFTW3_GPU_SIM_FAIL=lost:4000 FFTW3_GPU_LOG=debug
  # Any lengths; where blocks hold little, they take the passes of large ones.
  once=(--any --once --elements=3000)
  soak "any lengths" "${once[@]}" --problems=40 -- FFTW3_GPU_SIM_ABORT=1
  soak "any lengths, small blocks" "${once[@]}" --problems=30 --seed=2 -- FFTW3_GPU_SIM_ABORT=1 FFTW3_GPU_SIM_SMALL=4096
  program=$build/tests/soak/soak_double
  soak "any lengths, double" "${once[@]}" --problems=30 --seed=3 -- FFTW3_GPU_SIM_ABORT=1 FFTW3_GPU_SIM_SMALL=16384/4
else
  soak "$backend"
fi
exit $failed
