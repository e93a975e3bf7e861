#!/bin/sh
# planning.sh: where the device fails executions plan by the real FFTW, of which a program knows nothing: another thread of it may
# plan meanwhile, by functions that never come to this library.  (Without a lock in the real FFTW's planner all of these runs
# crashed.)  And a lock that is in use there already is left alone.
. "$(dirname "$0")/common.sh"
CC="$CC -DFFTW_FILE=\"$fftw.so.3\" -DTHREADS_FILE=\"${fftw}_threads.so.3\""
compile planning -l"${fftw#lib}" -ldl -lpthread

run() {
  env LD_PRELOAD="$lib" "$@" >"$work/out" 2>"$work/err" || {
    status=$?
    head -n 5 "$work/out" "$work/err"
    fail "$*: status $status"
  }
}
fails() { run FFTW3_GPU=force FFTW3_GPU_BACKEND=sim FFTW3_GPU_SIM_FAIL=launch:1/1 FFTW3_GPU_LOG=error timeout -s KILL 60 "$@"; }
for times in 1 2 3; do fails "$work/planning" beside 20000; done
cat "$work/out"
for setting in FFTW3_GPU=auto FFTW3_GPU=off "FFTW3_GPU_TRACE=$work/trace"; do
  run "$setting" timeout -s KILL 60 "$work/planning" apart 4000
done
run FFTW3_GPU=off "FFTW3_GPU_TRACE=$work/trace" timeout -s KILL 60 "$work/planning" apart 4000

# FFTW makes its planner when it is asked for its threads, and without a lock: not before there is one.
case ${FFTW3F_CFLAGS:-} in
  *BEFORE_FFTW_3_3_9*) ;; # nobody asks
  *)
    compile small -l"${fftw#lib}_threads" -l"${fftw#lib}"
    in_precision <"$src/asked.c" >"$work/asked.c"
    $CC -O1 -Wall ${FFTW3F_CFLAGS:-} -fPIC -shared -o "$work/libasked.so" "$work/asked.c" -ldl || fail "asked.c does not compile"
    env LD_PRELOAD="$work/libasked.so" FFTW3_GPU=auto "$work/small" >/dev/null 2>"$work/err" || fail "asked.c"
    lib="$lib $work/libasked.so" run FFTW3_GPU=auto "$work/small"
    grep -qx 'asked behind a plan' "$work/err" || fail "FFTW was not asked for its threads"
    ! grep 'asked first' "$work/err" || fail "FFTW without a planner was asked for its threads"
    ;;
esac

# With a threads library linked; that of OpenMP has no lock to give.
CC="$CC -DSAFE"
for kind in threads omp; do
  compile planning -l"${fftw#lib}_$kind" -l"${fftw#lib}" -ldl -lpthread
  fails "$work/planning" beside 10000
  fails "$work/planning" beside 10000 safe
done
echo "planned beside executions that plan"
