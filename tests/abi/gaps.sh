#!/bin/sh
# gaps.sh: what lies between the elements of an array is neither read nor taken for its own: by real FFTW's answers where the device
# fails, and where two arrays lie in each other's gaps.
. "$(dirname "$0")/common.sh"
compile gaps -l"${fftw#lib}" -ldl -lm
set -- FFTW3_GPU=force FFTW3_GPU_BACKEND=sim FFTW3_GPU_DOUBLE=double FFTW3_GPU_CACHE="${FFTW3_GPU_CACHE:-$work}" \
  FFTW3_GPU_REPORT="$work/report" LD_PRELOAD="$lib"

# once WHAT [NAME=VALUE...]
once() {
  what=$1
  shift
  # shellcheck disable=SC2086 # an amount behind it
  env "$@" timeout -s KILL 100 "$work/gaps" $what 2>"$work/err"
  status=$?
  [ $status != 77 ] || skip "no such plan, or no address space"
  [ $status = 0 ] || { cat "$work/err"; fail "$what ${*##*SIM_FAIL}: status $status"; }
}

for hole in "hole 131072" "hole 80000000000"; do
  once "$hole" "$@"
  once "$hole" "$@" FFTW3_GPU_SIM_FAIL=launch:1+
done
once device "$@"
once woven "$@"
grep -q sim "$work/report" || fail "nothing ran on sim"
lost=29
while [ $lost -lt 50 ]; do
  once woven "$@" FFTW3_GPU_LOG=error FFTW3_GPU_SIM_FAIL=lost:$lost
  cat "$work/err" >>"$work/told"
  lost=$((lost + 1))
done
grep -q 'device lost' "$work/told" || fail "the device was never lost"
rm -f "$work/report"
once woven "$@" FFTW3_GPU_MEMORY=600K
grep -q 'in parts' "$work/report" || { cat "$work/report"; fail "not in parts"; }
grep -q overlap "$work/report" && { cat "$work/report"; fail "woven arrays overlap"; }
echo "gaps stay what they are, on the device and where it fails"
