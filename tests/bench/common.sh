# shellcheck shell=bash disable=SC2034
# common.sh: what the scripts of this folder share.  Read by each of them, with its arguments:
#
#   NAME.sh [--quick] [-t SECONDS] [-o FOLDER]
#
#   --quick   a few small problems, the kernels on the processor (sim): a test that the script works
#   -t        begin nothing new after so many seconds
#   -o        where the figures go (default: a folder that is removed at the end)
#
# From the environment: FG_BUILD (with the built programs), FG_LIBRARY, FG_PROGRAM.
set -u
bench=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${FG_BUILD:-$PWD}
library=${FG_LIBRARY:-$build/.libs/libfftw3_gpu.so}
program=${FG_PROGRAM:-$build/fftw3-gpu}
programs=$build/tests/bench
quick='' limit=1000000 out=''
while [ $# -gt 0 ]; do
  case $1 in
    --quick) quick=yes ;;
    -t) limit=${2:?seconds}; shift ;;
    -o) out=${2:?folder}; shift ;;
    *) echo "$0: no option $1"; exit 2 ;;
  esac
  shift
done
[ -f "$library" ] || { echo "no library $library"; exit 99; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
[ -n "$out" ] || out=$work
mkdir -p "$out"

# Settings of the caller would be in force for stock FFTW's rivals only, and not the defaults.
. "$bench/../no_settings.sh"
processors=$(nproc)
ours=LD_PRELOAD=$library
forced=$ours,FFTW3_GPU=force
if [ -n "$quick" ]; then
  forced=$forced,FFTW3_GPU_BACKEND=sim
  processors=2
fi

# What was measured, and where: for whoever reads the figures later.  A bundle says which commit it was made of.
about() {
  local commit=''
  [ ! -s "$build/commit" ] || commit=", commit $(cat "$build/commit")"
  echo "# $(date -u '+%Y-%m-%d %H:%M'), $processors processors, $("$program" --version 2>/dev/null | head -n 1)$commit"
  [ -n "$quick" ] || "$program" info 2>/dev/null | sed -n 's/^cuda  */# /p'
  [ -n "$quick" ] || nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | sed 's/^/# /'
}

# Calibrate the choice between host and GPU, as users do once for a machine.
tune() { if [ -z "$quick" ] && "$program" --help 2>&1 | grep -q -E '^ *tune\b'; then "$program" tune; fi; }
