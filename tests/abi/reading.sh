#!/bin/sh
# reading.sh: a program's function that reads or writes wisdom may leave by longjmp, and may wait for another thread that plans.
# Wisdom of stock FFTW is enough for a plan from wisdom alone, which may be the device's as any other.
. "$(dirname "$0")/common.sh"
compile reading -lfftw3f -lpthread
for mode in off auto force; do
  for how in leave wait; do
    env FFTW3_GPU=$mode FFTW3_GPU_BACKEND=sim LD_PRELOAD="$lib" timeout -s KILL 60 "$work/reading" $how ||
      fail "$mode, $how: status $?"
  done
done

"$work/reading" keep "$work/wisdom" || fail "stock FFTW keeps no wisdom"
for mode in off auto force; do
  env FFTW3_GPU=$mode FFTW3_GPU_BACKEND=sim LD_PRELOAD="$lib" "$work/reading" known "$work/wisdom"
  status=$?
  case $mode in force) wanted=0 ;; *) wanted=12 ;; esac
  [ $status -eq $wanted ] || fail "$mode, known to stock FFTW's wisdom: status $status, not $wanted"
done

# And wisdom of ours alone where there is no GPU: a plan of the real FFTW.
env FFTW3_GPU=force FFTW3_GPU_BACKEND=sim LD_PRELOAD="$lib" "$work/reading" keep "$work/ours" || fail "no wisdom of ours"
grep -q fftw3-gpu-wisdom "$work/ours" || fail "no list of ours"
for mode in auto force; do
  env FFTW3_GPU=$mode FFTW3_GPU_BACKEND=cuda FFTW3_GPU_DEVICE=1000 LD_PRELOAD="$lib" "$work/reading" known "$work/ours" \
    2>"$work/err"
  status=$?
  [ $status -eq 12 ] || { cat "$work/err"; fail "$mode, known to our wisdom, no GPU: status $status, not 12"; }
done
# Nor where the device is not to be used for it.
if [ "$FG_PRECISION" = double ]; then
  env FFTW3_GPU=force FFTW3_GPU_BACKEND=sim FFTW3_GPU_DOUBLE=host LD_PRELOAD="$lib" "$work/reading" known "$work/ours"
  status=$?
  [ $status -eq 12 ] || fail "known to our wisdom, doubles are the host's: status $status, not 12"
fi
echo "read and left"
