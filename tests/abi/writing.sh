#!/bin/sh
# writing.sh: what the library cannot write does not end the program: neither a pipe that nobody reads, nor a file larger than it
# may be (ulimit -f), nor a report that another process has locked.
. "$(dirname "$0")/common.sh"
compile small -lfftw3f

# Nobody reads: the first process of the pipe is gone before the second begins.
for setting in FFTW3_GPU_LOG=info FFTW3_GPU=nonsense FFTW3_GPU_REPORT=- FFTW3_GPU_UNKNOWN=1; do
  { sleep 0.2; env "$setting" LD_PRELOAD="$lib" "$work/small" 2>&1 >/dev/null; echo $? >"$work/status"; } | true
  [ "$(cat "$work/status")" = 0 ] || fail "$setting into a pipe without a reader: status $(cat "$work/status")"
done

for setting in FFTW3_GPU_TRACE FFTW3_GPU_REPORT FFTW3_GPU_LOG_FILE; do
  dd if=/dev/zero of="$work/full" bs=1024 count=4 2>/dev/null
  (ulimit -f 1 && exec env "$setting=$work/full" FFTW3_GPU_LOG=info LD_PRELOAD="$lib" "$work/small" 2>/dev/null) ||
    fail "$setting beyond ulimit -f: status $?"
done

if command -v flock >/dev/null 2>&1; then
  : >"$work/locked"
  flock "$work/locked" env FFTW3_GPU_REPORT="$work/locked" LD_PRELOAD="$lib" timeout -s KILL 30 "$work/small" ||
    fail "a locked report: status $?"
  [ -s "$work/locked" ] || fail "a locked report is not written"
fi
echo "written or not, the program goes on"
