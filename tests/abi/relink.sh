#!/bin/sh
# relink.sh: a program linked to this library alone works: the real FFTW is found by its SONAME, or else at the path
# that configure recorded.
. "$(dirname "$0")/common.sh"
compile small "$lib" -Wl,-rpath,"$(dirname "$lib")"
compile refuse -shared -fPIC -ldl
"$work/small" >"$work/out" 2>&1 || fail "small: status $?"
[ ! -s "$work/out" ] || { cat "$work/out"; fail "not silent"; }

grep -q "/$fftw\.so" "$lib" || { echo "found by SONAME; no path was recorded"; exit 0; }
LD_PRELOAD=$work/refuse REFUSE="^$fftw\.so" "$work/small" >"$work/out" 2>&1 || fail "recorded path: status $?"
[ ! -s "$work/out" ] || { cat "$work/out"; fail "recorded path: not silent"; }
echo "found by SONAME and by path"
