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
echo "silent, no GPU library among $(grep -c 'calling init' "$work/files") objects"
