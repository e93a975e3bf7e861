#!/bin/bash
# check.sh [sim|cuda]: the error against double FFTW is close to stock float FFTW's, length by length.
#
# Bound: 1.2 times stock for smooth lengths (no prime factor above 13), 1.5 times for the others, mostly convolutions.
# Batches and rounds make each figure an average over some ten thousand points, so that it is stable.
# Environment: FG_LIBRARY, FG_AGAINST_DOUBLE the program, FG_ACCURACY_TABLE a file that gets the table.
set -eu
mode=${1:-sim}
library=${FG_LIBRARY:-$PWD/.libs/libfftw3_gpu.so}
program=${FG_AGAINST_DOUBLE:-$PWD/tests/accuracy/against_double}
[ -x "$program" ] || { echo "check.sh: $program was not built (needs double FFTW, libfftw3)" >&2; exit 77; }

# length*batch for rank 1; the batch is large where the length is small.
problems=(ocf2*4000 icb3*3000 ocf4*2000 ocb5*2000 icf6*1000 ocf7*1000 ocf8*1000 icf9*1000 ocb11*800 ocf12*800 icf13*600
  ocf15*500 ocf16*500 icb24*400 ocf32*300 ocf45*200 ocf49*200 ocb60*150 icf64*150 ocf100*100 ocf121*80 icf125*80
  ocb128*64 ocf210*40 ocf243*40 icf256*32 ocf360*24 ocf512*16 ocb1000*8 icf1024*8 ocf2048*4 ocf3125*2 ocf4096*2 icf8192
  ocf10000*2 ocb16384*2 icf65536 ocf100000 ocf30030
  ocf17*300 icf19*300 ocb34*200 ocf37*200 ocb43*200 icf59*150 ocf61*150 ocf74*100 ocf2368*6 ocb67*150 icf127*60
  ocf211*40 ocf509*20 ocb2003*6 ocf4001*4 icb8191*4 ocf97*60 icf101*60 ocf257*20 ocb509*10 ocf1009*4 icf1999*2 icb10007
  ocf65521
  ocf16x16*20 icb12x30*10 ocf17x8*20 ocf8x8x8*10 icf6x10x7*8 ocb48x64 icf100x120 ocf24x24x24
  ocb30x19x12)
# Real data: every kind, even, odd and prime, several dimensions.
for n in 4*2000 9*1000 16*500 17*300 32*300 64*150 101*60 105*60 128*64 360*24 1000*8 1009*4 1024*8 2187*4 4096*2 \
  10007 65536
do
  problems+=(orf$n orb$n)
done
for n in 8*1000 15*500 17*300 37*200 60*150 74*100 128*64 131*60 243*40 257*20 1000*8 1024*8 4095*2 10000*2; do
  for kind in f b h e01 e10 e11 o01 o10 o11; do problems+=("ok${n%\**}$kind*${n#*\*}"); done
done
for n in 9*1000 17*400 38*200 65*150 129*64 132*60 1025*8 4097*2; do problems+=("ok${n%\**}e00*${n#*\*}"); done
for n in 7*1000 15*500 36*200 63*150 127*64 130*60 1023*8 4095*2; do problems+=("ok${n%\**}o00*${n#*\*}"); done
problems+=(orf12x30*10 orb16x16*20 orf24x24x24 orb6x10x7*8 orf100x120 orb17x8*20 ok20e10x24o11*8 ok9e00x16h*20
  ok12f*200)
if [ "$mode" = cuda ]; then
  problems+=(icf99991 ocf100003 ocb131072 ocf262144 icf720720
    ocf1048576 ocb1000000 icf1048583 ocf4194304 ocf16777216
    ocf1024x1024 icb720x1280 ocf1009x512 ocf128x128x128 icf100x90x80 ocf256x256x256 ocb64x1021x17)
fi

stock=$("$program" -r 3 "${problems[@]}")
report=$(mktemp)
trap 'rm -f "$report"' EXIT
ours=$(env LD_PRELOAD="$library" FFTW3_GPU=force FFTW3_GPU_BACKEND="$mode" FFTW3_GPU_SIM_ABORT=1 \
  FFTW3_GPU_REPORT="$report" "$program" -r 3 "${problems[@]}")

# Every plan ran on the backend, or the comparison says nothing.
awk -F '\t' -v want="$mode" '
  $1 == "#problem" { for (i = 1; i <= NF; i++) column[$i] = i; next }
  $(column["where"]) != want || $(column["fallbacks"]) != 0 { print "not on " want ": " $0; wrong++ }
  { rows++ }
  END { exit !(rows > 0 && !wrong) }' "$report"

paste <(echo "$stock") <(echo "$ours") | awk -F '\t' '
  function smooth(text, n, i, parts) {
    sub(/\*.*/, "", text); sub(/^[a-z]*/, "", text)
    split(text, parts, "x")
    for (i in parts) { # the transform behind a kind ab = 00 is that of n - 1 or n + 1
      n = parts[i]; sub(/[fbheo].*/, "", n)
      parts[i] = n + (parts[i] ~ /e00/ ? -1 : parts[i] ~ /o00/ ? 1 : 0)
    }
    for (i in parts) for (n = 2; n <= 13; n++) while (parts[i] % n == 0) parts[i] /= n
    for (i in parts) if (parts[i] != 1) return 0
    return 1
  }
  BEGIN { print "problem\tstock\tours\tratio\tbound" }
  {
    bound = smooth($1) ? 1.2 : 1.5
    ratio = $2 > 0 ? $4 / $2 : ($4 > 0 ? 99 : 1)
    verdict = ratio <= bound ? "" : "\tTOO LARGE"
    printf "%s\t%s\t%s\t%.2f\t%.1f%s\n", $1, $2, $4, ratio, bound, verdict
    if (verdict != "") wrong++
  }
  END { printf "%d problems, %d above their bound\n", NR, wrong; exit !(NR > 0 && !wrong) }' |
  tee ${FG_ACCURACY_TABLE:+"$FG_ACCURACY_TABLE"}
exit "${PIPESTATUS[1]}"
