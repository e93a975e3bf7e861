#!/bin/sh
# allocator.sh: a program with an allocator of its own gets its memory from that, as from stock FFTW.
. "$(dirname "$0")/common.sh"
compile allocator -lfftw3f -lpthread
"$work/allocator" 2>"$work/err" || skip "stock FFTW does not go with it: $(cat "$work/err")"
for settings in FFTW3_GPU=off FFTW3_GPU=auto "FFTW3_GPU_REPORT=$work/report"; do
  env "$settings" FFTW3_GPU_BACKEND=cuda FFTW3_GPU_DEVICE=1000 LD_PRELOAD="$lib" "$work/allocator" 2>"$work/err" || fail "$settings: status $?: $(cat "$work/err")"
done
echo "all memory was the program's own"
