#!/bin/sh
# writing.sh: what the library cannot write does not end the program: neither a pipe that nobody reads, nor a file larger than it
# may be (ulimit -f), nor a report that another process has locked.
. "$(dirname "$0")/common.sh"
compile small -lfftw3f
compile lengths -lfftw3f

# Nobody reads: the last of the pipe, which ends at once, is gone.
for setting in FFTW3_GPU_LOG=info FFTW3_GPU=nonsense FFTW3_GPU_REPORT=- FFTW3_GPU_UNKNOWN=1; do
  { sleep 0.2; env "$setting" LD_PRELOAD="$lib" "$work/small" 2>&1 >/dev/null; echo $? >"$work/status"; } | true
  [ "$(cat "$work/status")" = 0 ] || fail "$setting into a pipe without a reader: status $(cat "$work/status")"
done

# It goes away while the report, which is more than a pipe holds, waits for it.
{ env FFTW3_GPU_REPORT=- LD_PRELOAD="$lib" "$work/lengths" 3000 2>&1 >/dev/null; echo $? >"$work/status"; } |
  { sleep 1; head -c 10 >/dev/null; }
[ "$(cat "$work/status")" = 0 ] || fail "a report that is read in part: status $(cat "$work/status")"

# beyond WHAT SETTING...: a limit that the file reaches, which is told; 8 blocks of a half or a whole KB.
beyond() {
  what=$1
  shift
  (ulimit -f 8 && exec env "$@" LD_PRELOAD="$lib" "$work/lengths" 300 2>"$work/err") || fail "$what beyond ulimit -f: status $?"
}
beyond "a trace" FFTW3_GPU_TRACE="$work/trace"
grep -q "File too large" "$work/err" || { cat "$work/err"; fail "the trace's end is not told"; }
beyond "a report" FFTW3_GPU_REPORT="$work/report"
grep -q "File too large" "$work/err" || { cat "$work/err"; fail "the report's end is not told"; }
beyond "a log" FFTW3_GPU_LOG=debug FFTW3_GPU_LOG_FILE="$work/log"
size=$(wc -c <"$work/log")
[ "$size" -ge 4096 ] || fail "the log did not reach its limit: $size bytes"
beyond "kernels on sim" FFTW3_GPU=force FFTW3_GPU_BACKEND=sim FFTW3_GPU_CACHE="$work/cache"

# A pipe with a name that nobody has opened to read: it is told, and not waited for.
if mkfifo "$work/pipe" 2>/dev/null; then
  for settings in "FFTW3_GPU_LOG=info FFTW3_GPU_LOG_FILE=$work/pipe" "FFTW3_GPU_REPORT=$work/pipe"; do
    # shellcheck disable=SC2086
    env $settings LD_PRELOAD="$lib" timeout -s KILL 30 "$work/small" >/dev/null 2>"$work/err" || fail "$settings: status $?"
    grep -q "$work/pipe: " "$work/err" || { cat "$work/err"; fail "$settings: it is not told"; }
  done
fi

if command -v flock >/dev/null 2>&1; then
  : >"$work/locked"
  flock "$work/locked" env FFTW3_GPU_REPORT="$work/locked" LD_PRELOAD="$lib" timeout -s KILL 30 "$work/small" ||
    fail "a locked report: status $?"
  [ -s "$work/locked" ] || fail "a locked report is not written"
fi
echo "written or not, the program goes on"
