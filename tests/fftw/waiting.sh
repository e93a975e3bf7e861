#!/bin/bash
# waiting.sh: FFTW's bench verifies plans of every kind while they switch from the host to the device (sim).
FG_SOURCE=${FG_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
. "$FG_SOURCE/tests/abi/common.sh"
dir=${FG_FFTW_DIR:-$PWD/fftw-tests}
"$src/build.sh" "$dir" || exit $?
dir=$(cd "$dir" && pwd)
calibrate
problems=(ocf24x24x24 icb20x20x30 /icf24x24x24 orf32x32x32 orb32x32x30 irf24x24x26 ocf360x40 okf24e10x24o01x20h)

# verify ROUNDS SETTING...: all problems, each in a process of its own
verify() {
  local rounds=$1 problem
  shift
  for problem in "${problems[@]}"; do
    (cd "$work" && env FFTW3_GPU_BACKEND=sim FFTW3_GPU_CACHE="$work/cache" FFTW3_GPU_SIM_ABORT=1 "$@" \
      LD_PRELOAD="$lib" "$dir/bench" -oestimate --verify-rounds="$rounds" --verify "$problem") >"$work/out" 2>&1 ||
      { cat "$work/out"; fail "$problem $*"; }
  done
}

verify 1 FFTW3_GPU=force # kernels are compiled, so that the switch comes early
verify 40 FFTW3_GPU_REPORT="$work/report"
awk -F '\t' '/^#/ { next }
  $5 > 0 { seen[$1] = seen[$1] ($2 == "host" ? "h" : "s"); executed += $5 }
  $6 > 0 { print "fell back:", $0; bad = 1 }
  END {
    for (problem in seen) both += seen[problem] ~ /h/ && seen[problem] ~ /s/
    print both + 0, "problems verified on both sides of the switch,", executed + 0, "executions"
    exit bad || !both
  }' "$work/report" || fail "nothing switched"
