#!/bin/bash
# pin.sh: arrays of malloc pinned in place (FFTW3_GPU_PIN=register) beside the same through staging and arrays of
# fftwf_malloc, after a second of executions each.  Options: common.sh.  Leaves pin.tsv (contest.c describes it) and
# prints a table in microseconds.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"

seed=$(date +%s) watch=${library%.so}_watch.so
options=(-s "$seed" -t 0.1 -r 5 -w 1)
problems=(ocf64x64x64 ocf128x128x128 ocf256x256x256 ocf24x24x24 ocf24x24x24*54 ocf1024*4096)
[ -z "$quick" ] || options=(-s "$seed" -t 0.001 -r 2 -w 0.05) problems=(ocf24x24x24 icf60x60*3)
about
echo "# seed $seed"
status=0
"$programs/contest" -c "stock=own,$processors,estimate" -c "own=own,1,estimate,$forced" \
  -c "staged=foreign,1,estimate,$forced" \
  -c "register=foreign,1,estimate,${forced/"$library"/"$library:$watch"},FFTW3_GPU_PIN=register" \
  "${options[@]}" -d "$limit" "${problems[@]}" >"$out/pin.tsv" || status=$?
grep -E 'WRONG|died' "$out/pin.tsv"
awk -F '\t' '
  /^[io]/ { if (!($1 in seen)) order[++n] = $1; seen[$1]; median[$1, $5] = $8 }
  END {
    print "| problem | own | staged | register | register / own |\n| --- | --- | --- | --- | --- |"
    for (i = 1; i <= n; i++) {
      p = order[i]
      own = median[p, "own"]
      in_place = median[p, "register"]
      printf "| %s | %.1f | %.1f | %.1f | %.2f |\n", p, own, median[p, "staged"], in_place,
        (own > 0 ? in_place / own : 0)
    }
  }' "$out/pin.tsv"
exit $status
