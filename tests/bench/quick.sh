#!/bin/bash
# quick.sh: the scripts of this folder in their shortest form.  They must end well and print what they promise; times
# are never looked at.  And what the decision between host and GPU loses without either.
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0

# expect SCRIPT PATTERN...: its quick form succeeds and prints lines that match.
expect() {
  local script=$1 pattern
  shift
  "$here/$script.sh" --quick -o "$work/$script" >"$work/out" 2>&1 ||
    { echo "$script: exit status $?"; cat "$work/out"; failed=1; }
  for pattern in "$@"; do
    grep -q -E -e "$pattern" "$work/out" || { echo "$script: no line like '$pattern'"; cat "$work/out"; failed=1; }
  done
}

expect host '^\| ocf24x24x24 \| 4\.0 \| [0-9.]+ \|' '^4 problems, 24 results checked'
expect startup '^3 starts each: stock [0-9.]+ ms'
expect pin '^\| ocf24x24x24 \| [0-9.]+ '
expect throughput '^# preload, forced' 'ocf24x24x24.*right'
lines=('^\| navier_stokes \(process\) \|' '^results agree')
for line in afqmc:batched_2 'afqmc_double:double batched_2' 'condensate_double:double condensate'; do # where there is Fortran
  [ ! -s "${FG_BUILD:-.}/tests/programs/${line%%:*}.app" ] || lines+=("^\| ${line#*:} \|")
done
expect whole "${lines[@]}"
expect regret '^all +5 problems' '^MEASURE, all threads +2 problems' \
  '^the same, FFTW against itself +[1-5] problems' '^the same in one process +[1-5] problems' \
  '^all, those in one process +5 problems' '^added to each execution of [1-5] problems'

# What the decision loses by itself is no matter of times: a clock that only executions move, the same dice each time.
# (Without 1000003, whose tables are not paid for in that time, and cost what a processor of several is worth.)
grep -v 1000003 "$here/regret.txt" >"$work/problems"
"${FG_BUILD:-.}/tests/bench/decisions" -n 1 "$work/problems" >"$work/out" &&
  awk '{ n++ } $6 < 99 || $10 + 0 > 0 { bad = 1 } END { exit bad || n != 4 }' "$work/out" ||
  { echo "decisions: fewer than 99 % within 1.05, or some above 1.25"; cat "$work/out"; failed=1; }
exit $failed
