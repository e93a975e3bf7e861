#!/bin/bash
# throughput.sh: 16 threads that execute one plan, and a plan each, against one thread; results checked.  Options:
# common.sh.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"
threads=16 seconds=0.2
problems=(ocf4096 ocf24x24x24 ocf24x24x24*27 ocf64x64x64 ocf1024*256 ocf1048576 ocf128x128x128)
[ -z "$quick" ] || threads=3 seconds=0.001 problems=(ocf64 ocf24x24x24)
status=0

# series NAME VARIABLE=VALUE...
series() {
  echo "# $1"
  shift
  [ $SECONDS -lt "$limit" ] || { echo "# no time left"; return; }
  env "$@" "$programs/throughput" "$threads" "$seconds" "${problems[@]}" || status=1
}

about
{
  series "stock"
  series "preload" "$ours"
  IFS=, read -r -a variables <<<"$forced"
  series "preload, forced" "${variables[@]}"
} >"$out/throughput.tsv"
cat "$out/throughput.tsv"
[ $status != 0 ] || ! time_was_up "$out/throughput.tsv" || status=75
exit $status
