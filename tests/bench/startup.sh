#!/bin/bash
# startup.sh: how much longer a program with small transforms takes from start to end under the preload.  Aim: 2 ms at
# most.  Options: common.sh.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"
times=200
[ -z "$quick" ] || times=3
about
"$programs/starts" "$times" "$library" "$programs/small_sizes" | tee "$out/startup.txt"
exit "${PIPESTATUS[0]}"
