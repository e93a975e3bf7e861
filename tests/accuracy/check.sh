#!/bin/bash
# check.sh [sim|cuda]: errors against long double FFTW are close to those of stock FFTW in the same precision, length by
# length, and every problem ran on the backend.
#
# Bound: 1.2 times stock for smooth lengths (no prime factor above 13) and sums of products, 1.5 times for the others,
# mostly convolutions.
# Batches and rounds make each figure a mean over some ten thousand points, so that it is stable.
# Environment: FG_PROGRAM, FG_ACCURACY_TABLE a file that gets the tables.
set -eu
mode=${1:-sim}
program=${FG_PROGRAM:-$PWD/fftw3-gpu}
export FFTW3_GPU_BACKEND=$mode FFTW3_GPU_SIM_ABORT=1
for name in libfftw3f.so.3 libfftw3l.so.3; do
  ldconfig -p | grep -qF "$name " || [ -n "$(find ${LD_LIBRARY_PATH//:/ } -name $name 2>/dev/null)" ] ||
    { echo "check.sh: no $name" >&2; exit 77; }
done

# length*batch for rank 1; the batch is large where the length is small.
smooth=(ocf2*4000 icb3*3000 ocf4*2000 ocb5*2000 icf6*1000 ocf7*1000 ocf8*1000 icf9*1000 ocb11*800 ocf12*800 icf13*600
  ocf15*500 ocf16*500 icb24*400 ocf32*300 ocf45*200 ocf49*200 ocb60*150 icf64*150 ocf100*100 ocf121*80 icf125*80
  ocb128*64 ocf210*40 ocf243*40 icf256*32 ocf360*24 ocf512*16 ocb1000*8 icf1024*8 ocf2048*4 ocf3125*2 ocf4096*2 icf8192
  ocf10000*2 ocb16384*2 icf65536 ocf100000 ocf30030
  ocf16x16*20 icb12x30*10 ocf8x8x8*10 icf6x10x7*8 ocb48x64 icf100x120 ocf24x24x24)
others=(ocf17*300 icf19*300 ocb34*200 ocf37*200 ocb43*200 icf59*150 ocf61*150 ocf74*100 ocf2368*6 ocb67*150 icf127*60
  ocf211*40 ocf509*20 ocb2003*6 ocf4001*4 icb8191*4 ocf97*60 icf101*60 ocf257*20 ocb509*10 ocf1009*4 icf1999*2 icb10007
  ocf65521 ocf17x8*20 ocb30x19x12)
# Real data: every kind, even, odd and prime, several dimensions.
for n in 4*2000 9*1000 16*500 32*300 64*150 105*60 128*64 360*24 1000*8 1024*8 2187*4 4096*2 65536; do
  smooth+=("orf$n" "orb$n")
done
for n in 17*300 101*60 1009*4 10007; do others+=("orf$n" "orb$n"); done
for kind in f b h e01 e10 e11 o01 o10 o11; do
  for n in 8*1000 15*500 60*150 128*64 243*40 1000*8 1024*8 4095*2 10000*2; do smooth+=("ok${n%\**}$kind*${n#*\*}"); done
  for n in 17*300 37*200 74*100 131*60 257*20; do others+=("ok${n%\**}$kind*${n#*\*}"); done
done
smooth+=(ok9e00*1000 ok17e00*400 ok65e00*150 ok129e00*64 ok1025e00*8 ok4097e00*2
  ok2e11*4000 ok2o11*4000 ok7o00*1000 ok15o00*500 ok63o00*150 ok127o00*64 ok1023o00*8 ok4095o00*2
  orf12x30*10 orb16x16*20 orf20x20*20 orb20x20*20 orb22x22*10 orf24x24x24 orb6x10x7*8 orf100x120 ok20e10x24o11*8 ok9e00x16h*20 ok12f*200)
# Primes as sums of products; in double precision from 47 on as convolutions with such sums, and sums of odd multiples.
smooth+=(orf41*150 orb43*140 ok44e00*140 ok40o00*150 orf47*140 orb47*140 ok48e00*140 orb59*110 orf67*100
  ok142e00*70 ok158o00*60 ok584e00*15)
others+=(ok38e00*200 ok132e00*60 ok36o00*200 ok130o00*60 orb17x8*20)
if [ "$mode" = cuda ]; then
  smooth+=(ocb131072 ocf262144 icf720720 ocf1048576 ocb1000000 icf4194304 ocf16777216 ocf1024x1024 icb720x1280
    ocf128x128x128 icf100x90x80 ocf256x256x256)
  others+=(icf99991 ocf100003 icf1048583 ocf1009x512 ocb64x1021x17)
fi

status=0
{
  "$program" accuracy --data=random --rounds=3 --limit=1.2 "${smooth[@]}" || status=1
  "$program" accuracy --data=random --rounds=3 --limit=1.5 "${others[@]}" || status=1
} >"${FG_ACCURACY_TABLE:=$(mktemp)}"
cat "$FG_ACCURACY_TABLE"
exit $status
