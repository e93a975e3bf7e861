#!/bin/sh
# replay.sh: what traces of different kinds of programs look like, and what a replay makes of good and bad ones.
. "$(dirname "$0")/common.sh"
need awk
program=${FG_PROGRAM:-$top_builddir/fftw3-gpu}
compile traced -lfftw3f -lpthread
cd "$work" || exit 99
program=$(cd "$OLDPWD" && cd "$(dirname "$program")" && pwd)/$(basename "$program")

# trace WAY: run it under the trace, which is then in the file WAY; what it says is in err.
trace() { FFTW3_GPU_TRACE=$1 LD_PRELOAD=$lib ./traced "$1" >out 2>err; }
expand() { awk -f "$src/trace.awk" "$1"; }

# holds FILE CALL COUNT: it has so many of these calls.
holds() {
  count=$(expand "$1" | grep -c "^t[0-9]* $2 ")
  [ "$count" -eq "$3" ] || { cat "$1"; fail "$1: $count of $2, not $3"; }
}

# lines FILE MOST: it has not more lines than that.
lines() { [ "$(wc -l <"$1")" -le "$2" ] || { head -50 "$1"; fail "$1: $(wc -l <"$1") lines, more than $2"; }; }

# replays FILE: it can be replayed, against stock FFTW, and results are the same.
replays() {
  "$program" replay --compare "$1" >out 2>err || { cat out err; fail "replay $1"; }
  grep -q '^[1-9][0-9]* results compared' out || { cat out; fail "$1: nothing compared"; }
  grep -qw 'nan\|inf' out && { cat out; fail "$1: numbers overflow"; }
}

# ---- kinds of programs
for way in steps alone anew grow kinds overlap threads team children closes many outlived; do
  trace $way || fail "$way: status $?"
  [ ! -s err ] || { cat err; fail "$way: not silent"; }
  tail -n 1 $way | grep -q ' done$' || fail "$way: it does not end with done"
  replays $way
done
replays kinds
[ "$(grep -c estimate out)" -eq 10 ] || { cat out; fail "kinds: not ten problems"; }
grep estimate out | awk '$(NF - 1) != 3 { exit 1 }' || { cat out; fail "kinds: not all are compared"; }
holds steps execute 20005; lines steps 20
holds alone execute 6000; lines alone 12
expand alone | awk -v real=$real '/ execute / { want = n++ % 2000 * 128 * real; split($4, at, "+"); if (at[2] != want) exit 1 }' ||
  fail "alone: the places of its transforms are other ones"
holds anew plan 1000; holds anew malloc 1000; lines anew 20
holds grow execute 3000; lines grow 10
holds overlap join 1
holds threads execute 16000; holds threads free 16
holds many execute 20000
holds closes execute 2; holds closes free 2

# ---- nothing of the program but what it called: another run, at other addresses, is the same
for way in steps anew overlap; do
  mv $way $way.before
  trace $way
  expand $way.before >a; expand $way >b
  cmp -s a b || { diff a b | head; fail "$way: two runs give two traces"; }
done

# ---- processes
[ "$(ls children.* | wc -l)" -eq 1 ] || fail "children: files $(ls children*)"
holds children.* execute 2; holds children execute 2; replays children.*
holds outlived.* execute 2; holds outlived.* plan 5; replays outlived.*
FFTW3_GPU_TRACE=by-%p.trace LD_PRELOAD=$lib ./traced anew & pid=$!
wait $pid
holds by-$pid.trace plan 1000
if command -v flock >/dev/null 2>&1; then
  cp anew busy
  flock busy sh -c "FFTW3_GPU_TRACE=busy LD_PRELOAD=$lib ./traced steps" || fail "busy"
  cmp -s busy anew || fail "a file that another process writes was written to"
  holds busy.* execute 20005
fi

# ---- killed: what it did is there
(trace killed) 2>/dev/null && fail "killed: it was not"
holds killed execute 11
"$program" replay killed >out 2>err || fail "replay killed"
grep -q 'the program was killed' err || fail "killed: no message"
head -c $(($(wc -c <killed) - 20)) killed >cut
"$program" replay cut >out 2>err || fail "replay of a trace that is cut off"
grep -q 'line [0-9]* is cut off' err || { cat err; fail "cut: no message"; }

# ---- files that cannot be, or are not ours: one message, and the program does what it does
echo precious >other
for file in other /nowhere/trace /dev/null; do
  FFTW3_GPU_TRACE=$file LD_PRELOAD=$lib ./traced anew >out 2>err || fail "$file: status $?"
  [ "$(wc -l <err)" -eq 1 ] && grep -q "FFTW3_GPU_TRACE=.*$file: " err || { cat err; fail "$file: not one message"; }
done
[ "$(cat other)" = precious ] || fail "a file that is no trace was written over"

# ---- options
FFTW3_GPU_TRACE=again "$program" replay --threads team >out 2>err || { cat err; fail "replay --threads"; }
holds again execute 4000
grep -q ' t[123] execute ' again || { cat again; fail "replay --threads: one thread did it all"; }
expand team | sed 's/^t[0-9]*//' | sort >a
expand again | sed 's/^t[0-9]*//' | sort >b
cmp -s a b || { diff a b | head; fail "replay --threads makes other calls"; }
"$program" replay --threads --compare team >out 2>err; [ $? -eq 2 ] || fail "replay --threads --compare"
FFTW3_GPU=off "$program" replay --most=10 --times=3 --csv=table steps >out || fail "options"
awk -F , 'NR == 2 && ($7 != 3 * (5 * 10 * 3 + 5) || $13 != 15005) { bad = 1 } END { exit bad || NR != 3 }' table ||
  { cat table; fail "the table's counts"; }
awk -F , 'NR == 1 { for (c = 1; c <= NF; c++) column[$c] = c; if (NF != length(column)) bad = 1; next }
  { mean = $column["mean_us"] - 1e6 * $column["total_s"] / $column["executions"]
    recorded = $column["recorded_mean_us"] - 1e6 * $column["recorded_total_s"] / $column["recorded_executions"]
    bad = bad || mean * mean > 1e-8 || recorded * recorded > 1e-8 || $column["median_us"] == "" }
  END { exit bad || NR != 3 }' table || { cat table; fail "means are not those of the sums"; }
awk '$1 == "problem" { if (!/mean us +recorded/ || /median/) exit 1 }' out || { cat out; fail "the table mixes means"; }
FFTW3_GPU=off "$program" replay --most=10 --compare steps >out || fail "replay --compare --most"
awk '$1 == "problem" { if (!/FFTW med\. +ours med\. +FFTW\/ours/ || /mean|recorded/) exit 1 }' out ||
  { cat out; fail "the comparison mixes means and medians"; }
grep -q 'FFTW was compared with FFTW' out || fail "FFTW beside FFTW, and nothing said"
FFTW3_GPU=force FFTW3_GPU_BACKEND=sim "$program" replay --most=10 --compare steps >out || fail "replay --compare on sim"
grep -q 'FFTW was compared with FFTW' out && { cat out; fail "sim taken for the host"; }
for option in --times=0 --times=x --most= --csv --dance; do
  "$program" replay $option steps >out 2>err
  [ $? -eq 2 ] || fail "replay $option: status $?"
done
"$program" replay >out 2>err; [ $? -eq 2 ] || fail "replay without a file"

# By wisdom a program may plan without arrays under any flags; a trace has no wisdom.
{
  printf 'fftw3-gpu-trace 1\nprogram x\n'
  echo '+1 t0 array a0 mod=0 kind=foreign'
  echo '+2 t0 plan p0 kind=dft format=interleaved sign=-1 dims=64:2:2 batch=- flags=0 threads=1 in=null out=null'
  echo '+3 t0 execute p0 in=a0 out=a0'
  echo '+9 done'
} >nothing
replays nothing

# ---- bad traces: bad LINE TEXT... with the head before the text
bad() {
  number=$1
  shift
  { printf 'fftw3-gpu-trace 1\nprogram x\n'; printf '%s\n' "$@"; echo '+9 done'; } >bad
  "$program" replay bad >out 2>err
  status=$?
  [ $status -eq 1 ] && grep -q "bad:$number: " err || { cat bad err; fail "bad trace: status $status"; }
}
bad 3 'nonsense'
bad 3 '+1 t0 dance'
bad 4 '+1 t0 cleanup' '+x t0 cleanup'
bad 3 '+1 t0 malloc'
bad 3 '+1 t0 malloc p0 bytes=1'
bad 3 '+1 t0 malloc a0 bytes=x'
bad 3 '+1 t0 malloc a0 bytes=-1'
bad 3 '+1 t0 execute p0 in=a0 out=a0'
bad 3 '+1 t0 plan p0 kind=dft format=interleaved sign=-1 dims=8:2:2 batch=- flags=64 threads=1 in=a0 out=a0'
for problem in 'kind=dft format=interleaved dims=8:2 batch=-' 'kind=dft format=interleaved dims=0:2:2 batch=-' \
  'kind=dct format=interleaved dims=8:2:2 batch=-' 'kind=dft dims=8:2:2 batch=-'; do
  bad 4 '+1 t0 malloc a0 bytes=64' "+1 t0 plan p0 $problem sign=-1 flags=64 in=a0 out=a0"
done
bad 3 '+1 t0 join a0 at=a1+4'
plan='+1 t0 plan p0 kind=dft format=interleaved sign=-1'
bad 5 '+1 t0 malloc a0 bytes=64' "$plan dims=90000000000000:2:2 batch=9:2:2 flags=64 in=a0 out=a0" '+1 t0 execute p0'
bad 4 '+1 t0 malloc a0 bytes=64' "$plan dims=900000000000000:2:2 batch=- flags=0 in=a0 out=a0"
bad 5 '+1 t0 malloc a0 bytes=64' "$plan dims=8:2:2 batch=- flags=64 in=a0 out=a0" \
  '+1 t0 execute p0 in=a0 out=a0 x9000000000000000000 step=9,9'
bad 5 '+1 t0 malloc a0 bytes=64' '+1 t0 plan p0 kind=dft format=split dims=8:2:2 batch=- flags=64 in=a0 out=a0,a0+4' \
  '+1 t0 execute p0'
bad 7 '+1 t0 malloc a0 bytes=256' '+1 t0 malloc a1 bytes=256' \
  '+1 t0 plan p0 kind=dft format=split sign=-1 dims=8:1:1 batch=- flags=64 in=a0,a1 out=a0,a1' '+1 t0 free a1' '+1 t0 execute p0'
printf 'fftw3-gpu-trace 1\nprogram x\n+1 t0 cl\000eanup\n+2 t0 dance\n+9 done\n' >bad
"$program" replay bad >out 2>err; [ $? -eq 1 ] && grep -q 'bad:3: a zero byte' err || { cat err; fail "a zero byte"; }
set --
while [ $# -lt 30 ]; do set -- "$@" 'repeat 2'; done
bad 27 "$@"
bad 4 'repeat 4000000000' 'repeat 4000000000' '+1 t0 cleanup' 'end' 'end'
bad 3 'repeat x'
bad 3 'end'
bad 4 '+1 done' '+2 t0 cleanup'
echo 'no trace' >bad
"$program" replay . >out 2>err; [ $? -eq 1 ] && grep -q 'Is a directory' err || fail "a folder"
"$program" replay bad >out 2>err; [ $? -eq 1 ] && grep -q 'bad:1: not a trace' err || fail "no trace"
"$program" replay /nowhere >out 2>err; [ $? -eq 1 ] && grep -q '/nowhere: No such file' err || fail "no file"
echo "all passed"
