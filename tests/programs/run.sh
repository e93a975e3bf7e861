#!/bin/sh
# run.sh PROGRAM: run a test program as it is, then under the preload in every mode. It must end well, print the
# same results (compare.awk), and say nothing more on stderr; "off" must give the same bits. Where the kernels run
# on the CPU ("sim"), the report must show that the program's transforms really went there.  A program in double
# precision (NAME_double) must agree as doubles do; once more with FFTW3_GPU_DOUBLE=single, to single precision.
#
# From the environment: FG_SOURCE and FG_BUILD (the project's two roots), FG_LIBRARY (the preload; set and empty:
# none, the program is run against itself), MPIEXEC, PYTHON3, FFTW3_GPU_CACHE. Exit status 77: something that it
# needs is missing.
set -u

program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
name=$(basename "$program")
name=${name%.*}
form=${name%_double}
double=$(test "$form" = "$name" || echo 1)
source=${FG_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${FG_BUILD:-$PWD}
library=${FG_LIBRARY-$build/.libs/libfftw3_gpu.so}
plugin=$build/tests/programs/.libs/plugin.so
export OMPI_MCA_btl_base_warn_component_unused=0 # Open MPI 5 tells of networks that it cannot use
mpi="${MPIEXEC:-mpirun} --allow-run-as-root --oversubscribe -n 2"
python=${PYTHON3:-/usr/bin/python3}

work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM

# Settings of the caller would make the modes something else.
. "$(dirname "$0")/../no_settings.sh"
FFTW3_GPU_CACHE=${FFTW3_GPU_CACHE:-$build/kernel-cache}
export FFTW3_GPU_CACHE

fail() {
  echo "$name, $*"
  failed=yes
}

# run MODE [NAME=VALUE…]: stdout and stderr to MODE.out and MODE.err.
run() {
  mode=$1
  shift
  case $form in
    afqmc) timeout 900 env "$@" "$program" 1 $(test "$double" && echo 27 54 || echo 4) ;;
    local_plugin) timeout 900 env "$@" "$program" "$plugin" ;;
    local_mpi) timeout 900 $mpi env "$@" "$program" ;;
    pyfftw_calls) timeout 900 env "$@" "$python" "$program" ;;
    *) timeout 900 env "$@" "$program" ;;
  esac >"$work/$mode.out" 2>"$work/$mode.err"
  status=$?
  test $status -eq 0 || fail "$mode: exit status $status"
  test $status -eq 0 || head -n 20 "$work/$mode.err"
  return $status
}

# agree MODE EXACT DOUBLE: the run in this mode against the stock one; DOUBLE: to double precision.
agree() {
  awk -v exact="$2" -v double="$3" -f "$source/tests/programs/compare.awk" "$work/stock.out" "$work/$1.out" >"$work/differences" ||
    fail "$1: results differ from stock FFTW's" "$(echo; head -n 20 "$work/differences")"
  cmp -s "$work/stock.err" "$work/$1.err" ||
    fail "$1: not silent on stderr" "$(echo; diff "$work/stock.err" "$work/$1.err" | head -n 20)"
}

# ran_on_sim PRECISION (empty: any).  What went where: programs whose transforms the preload can see must have run some of them on sim, none of them in
# vain.  A forked child falls back by design.
# What is only copied keeps double precision.
ran_on_sim() {
  test "$form" != local_dlsym || test "$preload" != "$library" || return # it asks the library that has FFTW, not the preload
  test -s "$work/report" || { fail "sim: no report"; return; }
  awk -F '\t' -v forking="$(test "$form" = forking && echo 1)" -v precision="$1" '
    function copies(problem,   size) {
      gsub(/^[^0-9]*|[*v].*/, "", problem)
      for (c = split(problem, size, "x"); c; c--) if (size[c] !~ /^1([^0-9]|$)/) return 0
      return 1
    }
    /^#problem\t/ { for (c = 1; c <= NF; c++) column[$c] = c; next }
    { expected = precision == "double as single" && copies($1) ? "double" : precision }
    $column["where"] == "sim" && precision && $column["precision"] != expected { print "not in " precision ":", $0; bad = 1 }
    $column["where"] == "sim" && $column["executes"] > 0 { ran++ }
    $column["where"] == "sim" && $column["fallbacks"] > 0 && !forking { print "fell back:", $0; bad = 1 }
    { rows++ }
    END { print ran + 0 " of " rows + 0 " problems ran on sim"; exit bad || !ran }' "$work/report" >"$work/where" ||
    fail "sim:" "$(cat "$work/where")" "$(echo; head -n 30 "$work/report")"
}

test -s "$program" || { echo "skipped: $name could not be built here"; exit 77; }
test -z "$library" || test -f "$library" || { echo "no library $library"; exit 99; }
preload=$library # and what answers dlsym, but for one mode
test ! -f "${library%.so}_lookup.so" || preload=$library:${library%.so}_lookup.so
failed=no

run stock
test $status -ne 77 || { echo "skipped: $(cat "$work/stock.err")"; exit 77; }
test $status -eq 0 || exit 1
run off LD_PRELOAD="$preload" FFTW3_GPU=off && agree off 1 "$double"
run auto LD_PRELOAD="$preload" && agree auto 0 "$double"
run force LD_PRELOAD="$library" FFTW3_GPU=force && agree force 0 "$double"

# on_sim MODE DOUBLE PRECISION [SETTING]
on_sim() {
  mode=$1
  rm -f "$work/report"
  run "$mode" LD_PRELOAD="$preload" FFTW3_GPU=force FFTW3_GPU_BACKEND=sim FFTW3_GPU_REPORT="$work/report" $4 || return
  agree "$mode" 0 "$2"
  test -z "$library" || ran_on_sim "$3"
}
if test "$double"; then
  on_sim single '' 'double as single' FFTW3_GPU_DOUBLE=single
  on_sim sim 1 double FFTW3_GPU_DOUBLE=double
else
  on_sim sim '' "$(test "$form" = mixed || test "$form" = apart || echo single)" ''
fi
test $failed = no || exit 1
echo "$name: $(wc -l <"$work/stock.out") lines agree in all modes; $(cat "$work/where" 2>/dev/null)"
