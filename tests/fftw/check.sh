#!/bin/bash
# check.sh off|auto|sim|cuda [COUNT [OPTION...]]: FFTW's own tests (check.pl with its bench, both unmodified),
# preloaded.
#
#   off, auto   COUNT random geometries for each set of options, threads too; everything must pass
#   sim, cuda   at least COUNT complex and COUNT real problems (r2c, c2r, r2r) for each OPTION of check.pl (default:
#               --estimate and --patient), all of which must run on that backend, none falling back; the report of the
#               library is the proof
#
# FG_DOUBLE says which double-precision bench: unset, the single-precision one; host, single or double: the double one
# with FFTW3_GPU_DOUBLE set so, computed in single verified to single precision's tolerance; default: with it unset.
#
# Environment: FG_LIBRARY the preloaded library, FG_FFTW_DIR where bench is built (fetched if missing), FG_SEED, FG_JOBS
# runs at once, FG_LISTS=0 for the random problems alone.
# Exit status: 0 passed, 1 failed, 77 FFTW's source is not to be had here.
set -eu
mode=${1:?usage: check.sh off|auto|sim|cuda [COUNT [OPTION...]]}
count=${2:-}
shift $(($# < 2 ? $# : 2))
options=("$@")
here=$(cd "$(dirname "$0")" && pwd)
library=${FG_LIBRARY:-$PWD/.libs/libfftw3_gpu.so}
dir=${FG_FFTW_DIR:-$PWD/fftw-tests}
seed=${FG_SEED:-20}

# What FFTW's rows in the report say of precision.
case ${FG_DOUBLE:-} in
  '') precision=single bench=bench ;;
  host | double | default) precision=double bench=bench-double ;;
  single) precision='double as single' bench=bench-double ;;
  *) echo "check.sh: FG_DOUBLE=$FG_DOUBLE makes no sense" >&2; exit 2 ;;
esac

[ -e "$library" ] || { echo "check.sh: $library is missing" >&2; exit 1; }
"$here/build.sh" "$dir" $([ $bench = bench ] && echo single || echo double)
dir=$(cd "$dir" && pwd)
work=$(mktemp -d "$dir/run.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" # bench keeps its wisdom file in the current folder

unset FFTW3_GPU FFTW3_GPU_BACKEND FFTW3_GPU_REPORT FFTW3_GPU_LOG FFTW3_GPU_LOG_FILE FFTW3_GPU_TRACE FFTW3_GPU_VERIFY \
  FFTW3_GPU_DOUBLE
case ${FG_DOUBLE:-} in host | single | double) export FFTW3_GPU_DOUBLE=$FG_DOUBLE ;; esac
case $mode in
  off) export FFTW3_GPU=off ;;
  auto) ;;
  sim) export FFTW3_GPU=force FFTW3_GPU_BACKEND=sim FFTW3_GPU_SIM_ABORT=1 ;;
  cuda) export FFTW3_GPU=force FFTW3_GPU_BACKEND=cuda ;;
  *) echo "check.sh: no mode '$mode'" >&2; exit 2 ;;
esac

# With a time limit real FFTW plans what it is left less well where it is PATIENT; nothing here depends on which plan it
# takes.
plain="env LD_PRELOAD=$library $dir/$bench"
# The tolerance that FFTW's tests have in single precision; in double it is 1e-10.
[ "${FG_DOUBLE:-}" != single ] || plain="$plain --verify-tolerance=1e-3"
limited="$plain -o timelimit=0.2"
output=$work/output
: >"$output"

# check_pl SEED ARGUMENT...: check.pl never seeds its generator, so this does.
check_pl() {
  perl -e 'srand(shift); my $script = shift; do $script; die $@ if $@' "$1" "$dir/source/tests/check.pl" \
    -v "$limited" "${@:2}" || { echo "FAIL: check.pl ${*:2}, seed $1"; return 1; }
}

# verify OPTIONS FILE: the problems of a list (one a line, # starts a comment), in one run of bench.
verify() {
  local list
  list=$(sed -e 's/#.*//' "$2" | tr -s ' \n' '\n' | sed -n -e 's/./--verify &/p')
  # shellcheck disable=SC2086 # words wanted
  $limited $1 --verbose=1 $list || { echo "FAIL: bench $1 with $(basename "$2")"; return 1; }
}

# job COMMAND...: in a folder of its own, beside the others, as many at once as there are processors; its report is its
# own.
jobs=0
job() {
  local folder=$work/job.$((jobs += 1))
  while [ "$(jobs -pr | wc -l)" -ge "${FG_JOBS:-$(nproc)}" ]; do wait -n || true; done
  mkdir "$folder"
  (
    cd "$folder"
    [ "$mode" = off ] || [ "$mode" = auto ] || export FFTW3_GPU_REPORT=$folder/report
    "$@" >output 2>&1 && touch passed
  ) &
}

# Wait for all jobs; their outputs become one.
finish_jobs() {
  local folder
  wait
  for folder in "$work"/job.*; do
    cat "$folder/output" >>"$output"
    [ -e "$folder/passed" ] || give_up "$(tail -n 1 "$folder/output")"
  done
}

give_up() {
  tail -n 15 "$output"
  echo "FAIL: $1"
  exit 1
}

# One line a verified problem: its text and three errors.
verified() { grep -cE "^$1 [-+.e0-9]+ [-+.e0-9]+ [-+.e0-9]+\$" "$output" || true; }

complex='/*[io][fb]c[^ ]*'
real='(/*[io][fb]r[^ ]*|[io]k[^ ]*)'

host_checks() {
  local set
  for set in '' --estimate --nthreads=2 '--threads_callback --nthreads=2'; do
    grep -q threads_callback "$dir/source/tests/check.pl" || set=${set#--threads_callback } # FFTW before 3.3.9
    # shellcheck disable=SC2086 # several options
    job check_pl "$seed" -r "-c=$count" --maxsize=5000 --verify-rounds=2 $set
  done
  # Planning that a limit cuts short leaves no wisdom to validate: small problems without one.
  job check_pl "$seed" -r "-c=$count" --maxsize=400 --verify-rounds=2 --validate-wisdom "$plain"
  finish_jobs
  echo "$(verified '[^ ]+') problems verified with FFTW3_GPU=${FFTW3_GPU:-auto}, $precision"
}

# All problems of the reports (on standard input) ran where they should.
# 'reason' of a row that may stay on the host: what FFTW's manual leaves undefined.
read_report() {
  awk -F '\t' -v want="$mode" -v precision="$precision" '
    function copies(problem,   size) { # which keep double precision
      gsub(/^[^0-9]*|[*v].*/, "", problem)
      for (i = split(problem, size, "x"); i; i--) if (size[i] !~ /^1([^0-9]|$)/) return 0
      return 1
    }
    $1 == "#problem" { for (i = 1; i <= NF; i++) column[$i] = i; next }
    $(column["executes"]) == 0 { next }
    { fallbacks += $(column["fallbacks"]) }
    { expected = precision == "double as single" && copies($1) ? "double" : precision }
    $(column["where"]) == want && $(column["precision"]) == expected {
      plans += $(column["plans"]); executes += $(column["executes"])
      next
    }
    $(column["reason"]) ~ /zero stride|overlap/ { print "allowed on the host: " $0; next }
    { print "ran elsewhere: " $0; wrong++ }
    END {
      printf "report: %d plans and %d executions on %s, %d elsewhere, %d fallbacks\n", plans, executes, want, wrong,
        fallbacks
      exit !(plans > 0 && !wrong && !fallbacks)
    }'
}

device_checks() {
  local option geometries=$(((count + 5) / 6)) maxsize=60000 shard shards=1 wanted=$((count * ${#options[@]}))
  [ "$mode" = sim ] && maxsize=6000
  [ "$geometries" -lt 64 ] || shards=8
  for option in "${options[@]}"; do
    # A random geometry is eight complex problems, six to eight real ones (directions, placements, formats), and two of
    # r2r.
    for ((shard = 0; shard < shards; shard++)); do
      job check_pl $((seed + shard)) -r "-c=$(((geometries + shards - 1) / shards))" --maxsize=$maxsize \
        --verify-rounds=2 "$option"
    done
    [ "${FG_LISTS:-1}" != 0 ] || continue
    job verify "-o ${option#--} --verify-rounds=2" "$here/strides.txt"
    [ "$mode" = sim ] || job verify "-o ${option#--} --verify-rounds=1" "$here/large.txt"
  done
  finish_jobs
  [ "$(verified "$complex")" -ge "$wanted" ] || give_up "fewer than $wanted complex problems with ${options[*]}"
  [ "$(verified "$real")" -ge "$wanted" ] || give_up "fewer than $wanted real problems with ${options[*]}"
  cat "$work"/job.*/report | read_report || give_up 'the report shows problems that did not run where they should'
  echo "$(verified "$complex") complex, $(verified "$real") real problems verified on $mode (${options[*]}), $precision"
}

case $mode in
  off | auto)
    count=${count:-4}
    host_checks
    ;;
  *)
    count=${count:-300}
    [ ${#options[@]} -gt 0 ] || options=(--estimate --patient)
    device_checks
    ;;
esac
if grep -nE '^(hangup|interrupted|killed|FAILED)' "$output"; then give_up 'check.pl was stopped'; fi
