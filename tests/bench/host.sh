#!/bin/bash
# host.sh: one execution on arrays of the host: this library, stock FFTW and cuFFTW, by turns on the same problems with
# fresh random input, every result held against stock FFTW's first.  Options: common.sh.
#
# Leaves LIST.tsv (contest.c describes it) and prints a table in Markdown with the bounds that are missed in bold; what
# is missed fails nothing, a wrong result does.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"

# cuFFT's FFTW interface: by name, as the loader finds it.
find_cufftw() {
  local name
  for name in libcufftw.so.12 libcufftw.so.11 libcufftw.so; do
    LD_PRELOAD=$name env true 2>&1 | grep -q 'cannot be preloaded' || { echo "$name"; return; }
  done
}

seed=$(date +%s) warm=ocf128x128x128
options=(-s "$seed" -t 0.08 -r 4 -p 8 -w 0.01)
grep -v '^#' "$bench/$list.txt" >"$work/all"
if [ -n "$quick" ]; then
  options=(-s "$seed" -t 0.001 -r 2 -p 0.1) warm=ocf64
  printf '%s\n' ocf64 ocf24x24x24 'ocf60x60*3' 'irf12x30*2' >"$work/all"
fi
stock=(-c "stock_1=own,1,estimate")
contestants=("${stock[@]}" -c "stock_all=own,$processors,estimate" -c "measure_all=own,$processors,measure"
  -c "ours_own=own,1,estimate,$forced" -c "ours_foreign=foreign,1,estimate,$forced")
cufftw=$(find_cufftw)
if [ -n "$cufftw" ] && [ -z "$quick" ]; then
  contestants+=(-C "cufftw_own=own,1,estimate,LD_PRELOAD=$cufftw"
    -C "cufftw_foreign=foreign,1,estimate,LD_PRELOAD=$cufftw")
fi
about
tune
echo "# seed $seed, $processors threads, cuFFTW: ${cufftw:-none}"
status=0 last=${contestants[-1]%%=*}
begin_table "$out/$list.tsv"
to_do "$out/$list.tsv" "$last" <"$work/all" >"$work/problems"
"$programs/contest" "${contestants[@]}" "${options[@]}" -d $((limit - SECONDS)) -f "$work/problems" >>"$out/$list.tsv" ||
  status=$?

# What is shorter than 1 MB also as users have it, in a process that has begun to use its GPU.
awk -F '\t' '/^[io]/ && $3 < 1e6 && $5 == "stock_1" { print $1 }' "$out/$list.tsv" | sort -u |
  to_do "$out/$list.tsv" auto_foreign >"$work/shorts"
[ ! -s "$work/shorts" ] || "$programs/contest" "${stock[@]}" -c "auto_own=own,1,estimate,$ours" \
  -c "auto_foreign=foreign,1,estimate,$ours" "${options[@]}" -d $((limit - SECONDS)) -W "$warm" -f "$work/shorts" \
  >"$work/short" || status=$?
grep -s -e auto_ -e 'no time left' "$work/short" >>"$out/$list.tsv"
grep -E 'WRONG|died' "$out/$list.tsv"
awk -f "$bench/host.awk" "$out/$list.tsv" || status=1
[ $status != 0 ] || ! time_was_up "$out/$list.tsv" || status=75
exit $status
