# shellcheck shell=bash disable=SC2034
# common.sh: what the scripts of this folder share.  Read by each of them, with its arguments:
#
#   NAME.sh [--quick] [-t SECONDS] [-o FOLDER] [-l LIST]
#
#   --quick   a few small problems, the kernels on the processor (sim): a test that the script works
#   -t        begin nothing new after so many seconds: exit status 75 if something is left
#   -o        where the figures go (default: a folder that is removed at the end).  host.sh and regret.sh go on with
#             what they find there
#   -l        host.sh: the problems of LIST.txt in this folder (default: host)
#
# From the environment: FG_BUILD (with the built programs), FG_LIBRARY, FG_PROGRAM; FG_TUNE_ONCE=1: a machine that is
# calibrated already is not calibrated again.
set -u
bench=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${FG_BUILD:-$PWD}
library=${FG_LIBRARY:-$build/.libs/libfftw3_gpu.so}
program=${FG_PROGRAM:-$build/fftw3-gpu}
programs=$build/tests/bench
quick='' limit=1000000 out='' list=host
while [ $# -gt 0 ]; do
  case $1 in
    --quick) quick=yes ;;
    -t) limit=${2:?seconds}; shift ;;
    -o) out=${2:?folder}; shift ;;
    -l) list=${2:?list}; shift ;;
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
tune() {
  [ -z "$quick" ] || return 0
  [ -z "${FG_TUNE_ONCE:-}" ] || ! "$program" info | grep -q '^calibration .*/calibration-' || return 0
  "$program" tune
}

# to_do FILE LAST [MODE]: of problems (standard input: name, memory) those that FILE does not have yet: contest's rows of
# all contestants, of which LAST is the last, with MODE in front.
to_do() {
  awk -v last="$2" -v mode="${3:-}" -v table="$1" -F '[ \t]+' '
    BEGIN {
      first = mode != "" ? 2 : 1
      while ((getline <table) > 0)
        if ((mode == "" || $1 == mode) && $(first + 4) == last) { done[$first]; done[$first " " $(first + 1)] }
    }
    { key = NF > 1 && $2 != "" ? $1 " " $2 : $1 }
    !(key in done)' -
}

# The end of a table that another call may go on with.
time_was_up() { grep -q 'no time left' "$1"; }
begin_table() { touch "$1" && sed -i '/no time left/d' "$1"; }
