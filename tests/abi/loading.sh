#!/bin/sh
# loading.sh: the loader is never asked for the real FFTW under a lock of ours, which somebody may wait for who has the loader's.
. "$(dirname "$0")/common.sh"
compile loading -l"${fftw#lib}_threads" -l"${fftw#lib}" -ldl -lpthread
# shellcheck disable=SC2086
$CC -O1 -w ${FFTW3F_CFLAGS:-} -DPLUGIN -shared -fPIC -o "$work/plugin.so" "$work/loading.c" ${FFTW3F_LDFLAGS:-} -l"${fftw#lib}" ||
  fail "the plugin does not compile"

lookup=$(dirname "$lib")/libfftw3_gpu_lookup.so
[ -e "$lookup" ] || lookup= # not for this machine
for preload in "$lib" "$lib${lookup:+:$lookup}"; do
  for mode in auto off; do
    for call in malloc threads; do
      FFTW3_GPU=$mode LD_PRELOAD=$preload timeout -s KILL 20 "$work/loading" "$work/plugin.so" $call >"$work/out" ||
        fail "$preload, FFTW3_GPU=$mode, $call: status $?: $(cat "$work/out")"
    done
  done
done
cat "$work/out"
