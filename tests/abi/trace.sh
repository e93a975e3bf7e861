#!/bin/sh
# trace.sh: FFTW3_GPU_TRACE records every call of programs that make them all, under every mode, and a replay makes the
# same ones again: its own trace has the same lines.
. "$(dirname "$0")/common.sh"
need awk
program=${FG_PROGRAM:-$top_builddir/fftw3-gpu}
compile plans -lfftw3f
compile fortran_plans -lfftw3f
made="plans fortran_plans"
if [ -e "$(libfile ${fftw}_threads.so)" ]; then
  compile calls -lfftw3f_threads -lfftw3f
  made="$made calls"
fi

# expand FILE: its calls, a line each.
expand() { awk -f "$src/trace.awk" "$1"; }

# round MODE PROGRAM: trace it, replay that and trace the replay.
round() {
  rm -f "$work/first" "$work/second"
  FFTW3_GPU=$1 LD_PRELOAD=$lib "$work/$2" "$work/wisdom" >"$work/plain" 2>&1 || fail "$2, $1"
  FFTW3_GPU=$1 FFTW3_GPU_TRACE=$work/first LD_PRELOAD=$lib "$work/$2" "$work/wisdom" >"$work/traced" 2>&1 ||
    fail "$2, $1, traced"
  FFTW3_GPU=$1 FFTW3_GPU_TRACE=$work/second "$program" replay "$work/first" >"$work/out" 2>&1 ||
    { cat "$work/out"; fail "$2, $1: replay"; }
  expand "$work/first" >"$work/a"
  expand "$work/second" >"$work/b"
  [ "$(wc -l <"$work/a")" -gt 50 ] || fail "$2, $1: hardly anything traced"
  cmp -s "$work/a" "$work/b" || { diff "$work/a" "$work/b" | head -20; fail "$2, $1: a replay makes other calls"; }
}

for mode in auto off; do
  for name in $made; do
    round $mode "$name"
    # calls.c prints hashes, and a wrapped plan is made anew for parts that lie otherwise than in its own arrays.
    [ "$name" = calls ] || cmp -s "$work/plain" "$work/traced" ||
      { diff "$work/plain" "$work/traced" | head -20; fail "$name, $mode: other answers when traced"; }
    echo "$name, $mode: $(wc -l <"$work/a") calls in $(wc -l <"$work/first") lines"
    cp "$work/a" "$work/$name.calls"
  done
done

# Each planner of C, and everything that is none, is there.
for planner in $(sed -n 's/^ *'$api'_\(plan_[a-z0-9_]*\);.*/\1/p' "$src/../../compat/symbols.map" | grep -v nthreads); do
  rm -f "$work/first"
  [ -s "$work/by" ] || for name in plans fortran_plans; do
    FFTW3_GPU_TRACE=$work/first LD_PRELOAD=$lib "$work/$name" >/dev/null 2>&1
    grep -o 'by=[a-z0-9_]*' "$work/first" >>"$work/by"
  done
  grep -qx "by=${api}_$planner" "$work/by" || fail "no line of ${api}_$planner"
done
case ${FFTW3F_CFLAGS:-} in
  *BEFORE_FFTW_3_3_9*) newer='' ;;
  *) newer='planner_nthreads threads_set_callback' ;;
esac
for call in malloc free array plan execute destroy_plan print_plan flops cost estimate_cost cleanup cleanup_threads \
  init_threads plan_with_nthreads make_planner_thread_safe set_timelimit \
  alignment_of forget_wisdom export_wisdom import_wisdom import_system_wisdom $newer; do
  [ ! -e "$work/calls.calls" ] || cat "$work"/*.calls | grep -q "^t0 $call\b" || fail "no line of $call"
done
