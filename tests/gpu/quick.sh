#!/bin/bash
# quick.sh: run keeps what is finished, stops what is not in time, and goes on in the next call: with a bundle of scripts
# in place of programs, then with some real ones on sim.
here=$(cd "$(dirname "$0")" && pwd)
build=${FG_BUILD:-$PWD}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
. "$here/../no_settings.sh"
failed=0
bad() { echo "FAILED: $*"; cat "$work/said"; failed=1; }

# run STATUS OPTION...: tests/gpu/run ends like that.
run() {
  local expected=$1 status=0
  shift
  "$here/run" -b "$work/bundle" -o "$work/out" "$@" >"$work/said" 2>&1 || status=$?
  [ $status = "$expected" ] || bad "run $*: status $status instead of $expected"
}

# state CASE VERDICT TIMES: so often it is in the state.
state() {
  local found
  found=$(awk -F '\t' -v c="$1" -v v="$2" '$2 == c && $3 == v' "$work/out/state" | wc -l)
  [ "$found" = "$3" ] || bad "$1 $2: $found times instead of $3"
}

# program NAME LINE...
program() {
  local path=$work/bundle/$1
  shift
  mkdir -p "$(dirname "$path")"
  printf '%s\n' '#!/bin/sh' "$@" >"$path"
  chmod +x "$path"
}

mkfifo "$work/never"
program fftw3-gpu 'echo nothing is to be told of here'
program tests/unit/good 'echo well done'
program tests/unit/absent 'echo no such thing' 'exit 77'
program tests/unit/endless "read never <'$work/never'"
program examples/resident 'echo in vain' 'exit 1'
program tests/gpu/cuda_program 'exit 0'
echo first >"$work/bundle/commit"

# The one that does not end is left; what is finished is kept, also in the file that survives the machine.
run 75 -c 6 -s 30 -p "$work/packed" unit
state good passed 1
state absent skipped 1
state endless passed 0
grep -q '^unit *1 of *3 passed, 1 skipped' "$work/said" || bad 'no summary'
tar -tzf "$work/packed" | grep -q 'unit-good.log' || bad 'the log is not in the packed file'

# Elsewhere, with a packed bundle, and it ends there: the others are not run again.
# What an older bundle had is no case of this one.
rm -rf "$work/out"
program tests/unit/endless 'echo at last'
program tests/unit/former 'exit 1'
tar -C "$work/bundle" -czf "$work/bundle.tgz" .
run 0 -p "$work/packed" -b "$work/bundle.tgz" -k endless unit
rm "$work/bundle/tests/unit/former"
tar -C "$work/bundle" -czf "$work/bundle.tgz" .
touch -d @0 "$work/bundle.d/unpacked"
run 0 -p "$work/packed" -b "$work/bundle.tgz" unit
state good passed 1
state endless passed 1
run 0 unit
state endless passed 1

# An older packed file takes nothing away from what is here.
printf 'unit\tgood\tpassed\t0\tonce more\n' >>"$work/out/state"
touch -d @0 "$work/packed"
run 0 -p "$work/packed" unit
state good passed 2

# What fails is told of, and tried again.
run 1 -k alone resident
state alone FAILED 1
grep -q 'FAILED: alone' "$work/said" || bad 'no word of the failure'
program examples/resident 'echo right'
run 0 -k alone resident
state alone passed 1

# Of another commit all is run again.
echo second >"$work/bundle/commit"
run 0 unit
[ "$(wc -l <"$work/out/state")" = 3 ] || bad 'a state of another commit'
run 2 nonsense
run 2 -c soon unit
run 2 -k 'no such' unit

# Real ones.
if [ -x "$build/tests/unit/test_roots" ]; then
  rm -rf "$work/out"
  status=0
  FFTW3_GPU_BACKEND=sim "$here/run" -b "$build" -o "$work/out" -c 300 -k '^(test_roots|test_notation|force)$' \
    unit resident >"$work/said" 2>&1 || status=$?
  [ $status = 0 ] || bad "on sim: status $status"
  state test_roots passed 1
  state force passed 1
fi
exit $failed
