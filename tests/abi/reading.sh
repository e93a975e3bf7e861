#!/bin/sh
# reading.sh: a program's function that reads or writes wisdom may leave by longjmp, and may wait for another thread that plans.
. "$(dirname "$0")/common.sh"
compile reading -lfftw3f -lpthread
for mode in off auto force; do
  for how in leave wait; do
    env FFTW3_GPU=$mode FFTW3_GPU_BACKEND=sim LD_PRELOAD="$lib" timeout -s KILL 60 "$work/reading" $how ||
      fail "$mode, $how: status $?"
  done
done
echo "read and left"
