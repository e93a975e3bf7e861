#!/bin/sh
# quiet.sh: a program whose transforms are all small opens neither the CUDA driver nor NVRTC, makes no kernel store, and
# prints not one byte.
. "$(dirname "$0")/common.sh"
compile small -lfftw3f

HOME=$work XDG_CACHE_HOME=$work/cache LD_PRELOAD=$lib LD_DEBUG=files LD_DEBUG_OUTPUT=$work/opened \
  "$work/small" >"$work/out" 2>&1 || fail "small: status $?"
[ ! -s "$work/out" ] || { cat "$work/out"; fail "not silent"; }
cat "$work"/opened* >"$work/files" 2>/dev/null
grep -q "$(basename "$lib")" "$work/files" || skip "this dynamic linker does not tell what it opens"
if grep -E 'libcuda|libnvrtc' "$work/files"; then fail "the GPU was asked for"; fi
[ ! -e "$work/cache" ] || fail "a cache folder was made"
if command -v strace >/dev/null 2>&1 && strace -o "$work/null" true 2>/dev/null; then
  HOME=$work strace -f -o "$work/calls" -e trace=open,openat,stat,newfstatat,access -E LD_PRELOAD="$lib" \
    "$work/small" ||
    fail "small under strace"
  grep -q "$lib" "$work/calls" || fail "strace does not tell what is opened"
  if grep -E 'calibration|fftw3-gpu"' "$work/calls"; then fail "a file was looked for"; fi
fi
echo "silent, no GPU library among $(grep -c 'calling init' "$work/files") objects"
