#!/bin/bash
# host.sh: one execution on arrays of the host: this library, stock FFTW and cuFFTW, by turns on the same problems with
# fresh random input, every result held against stock FFTW's first.  Options: common.sh.
#
# Leaves host.tsv (contest.c describes it) and prints a table in Markdown with the bounds that are missed in bold; what is
# missed fails nothing, a wrong result does.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"

# cuFFT's FFTW interface: by name, as the loader finds it.
find_cufftw() {
  local name
  for name in libcufftw.so.12 libcufftw.so.11 libcufftw.so; do
    LD_PRELOAD=$name env true 2>&1 | grep -q 'cannot be preloaded' || { echo "$name"; return; }
  done
}

seed=$(date +%s)
options=(-s "$seed" -f "$bench/host.txt" -t 0.08 -r 4 -p 8 -w 0.01 -W ocf64x64x64 -d "$limit")
[ -z "$quick" ] || options=(-s "$seed" -t 0.001 -r 2 -p 0.1 ocf64 ocf24x24x24 ocf60x60*3)
contestants=(-c "stock_1=own,1,estimate" -c "stock_all=own,$processors,estimate" -c "measure_all=own,$processors,measure"
  -c "ours_own=own,1,estimate,$forced" -c "ours_foreign=foreign,1,estimate,$forced" -c "auto_own=own,1,estimate,$ours"
  -c "auto_foreign=foreign,1,estimate,$ours")
cufftw=$(find_cufftw)
if [ -n "$cufftw" ] && [ -z "$quick" ]; then
  contestants+=(-c "cufftw_own=own,1,estimate,LD_PRELOAD=$cufftw" -c "cufftw_foreign=foreign,1,estimate,LD_PRELOAD=$cufftw")
fi
about
tune
echo "# seed $seed, $processors threads, cuFFTW: ${cufftw:-none}"
status=0
"$programs/contest" "${contestants[@]}" "${options[@]}" >"$out/host.tsv" || status=$?
grep -E 'WRONG|died' "$out/host.tsv"
awk -f "$bench/host.awk" "$out/host.tsv" || status=1
exit $status
