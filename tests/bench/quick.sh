#!/bin/bash
# quick.sh: the scripts of this folder in their shortest form.  They must end well and print what they promise; times
# are never looked at.
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

expect host '^\| ocf24x24x24 \| 4\.0 \| [0-9.]+ \|' '^3 problems, 18 results checked'
expect startup '^3 starts each: stock [0-9.]+ ms'
expect pin '^\| ocf24x24x24 \| [0-9.]+ '
expect throughput '^# preload, forced' 'ocf24x24x24.*right'
expect whole '^\| batched_2 \|' '^\| navier_stokes \(process\) \|' '^results agree'
expect regret '^all +5 problems' '^MEASURE, all threads +2 problems' '^added to each execution of [123] problems'
exit $failed
