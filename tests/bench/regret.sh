#!/bin/bash
# regret.sh: does the library ever choose badly?  Every problem of regret.txt, planned with FFTW_ESTIMATE and
# FFTW_MEASURE, on one of FFTW's threads and on all, is timed by turns in three processes: stock FFTW, the preload as
# users have it after `fftw3-gpu tune`, and the preload with FFTW3_GPU=force.  The regret is the second's time ÷ the
# better of the other two. Results are held against stock FFTW's.  A fourth is stock FFTW once more: its time ÷ the first's
# is what comes of chance where nobody chooses.  Options: common.sh.
#
# Of problems under 10 µs each process makes three plans, with arrays elsewhere; of others, where it seems to be above 1.05,
# all are timed again, up to twice; all rounds count: arrays that lie badly are no regret.
#
# Where stock FFTW is faster, and below a millisecond, two processes of the same program do not agree within a twentieth: FFTW
# measures another plan in each, and arrays and tables lie elsewhere.  So of these overhead.c says what the preload takes
# more than FFTW's own function in one process, with the same plan and arrays: what it costs to leave a plan to FFTW.
#
# Leaves regret.tsv (contest.c describes it) and overhead.tsv (overhead.c), both with the mode in front.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"
modes=(e_1 e_all m_1 m_all)
problems=$bench/regret.txt warm=ocf128x128x128
timing=(-t 0.03 -r 5 -w 0.05 -p 0.25 -x 1.05)
if [ -n "$quick" ]; then
  modes=(e_1 m_all) problems=$work/problems warm=ocf64 timing=(-t 0.001 -r 2 -p 0.1)
  printf '%s\n' 'ocf64 own' 'irf12x12*3 foreign' 'ocf4096 own e_1' >"$problems"
fi
status=0

# select_problems MODE: those of that mode, as contest.c reads them, in an order whose every beginning is a fair sample
# of all sizes.
select_problems() {
  awk -v mode="$1" '
    /^#/ { next }
    { wanted = NF < 3; for (i = 3; i <= NF; i++) wanted = wanted || $i == mode }
    wanted { place = NR * 0.6180339887; print place - int(place), $1, $2 }' "$problems" |
    LC_ALL=C sort | cut -d ' ' -f 2-
}

# Kernels are compiled once in the life of a machine: beforehand, by all processors.
compile() {
  local part parts=$((processors / 2))
  for ((part = 0; part < parts; part++)); do
    awk -v part=$part -v parts=$parts 'NR % parts == part' "$work/e_all" >"$work/part.$part"
    "$programs/contest" -t 0.0001 -r 1 -c "forced=-,1,estimate,$forced" -f "$work/part.$part" >/dev/null &
  done
  wait
}

# contest MODE SHARES: one mode, for that share of the time that is left but for a fifth, which beside needs.
contest() {
  local mode=$1 threads=1 patience=estimate left=$(((limit * 4 / 5 - SECONDS) / $2))
  [ "${mode#*_}" = 1 ] || threads=$processors
  [ "${mode%_*}" = e ] || patience=measure
  select_problems "$mode" | to_do "$out/regret.tsv" control "$mode" >"$work/$mode"
  [ -s "$work/$mode" ] || return 0
  "$programs/contest" -c "stock=-,$threads,$patience" -c "auto=-,$threads,$patience,$ours" \
    -c "forced=-,$threads,$patience,$forced" -c "control=-,$threads,$patience" \
    "${timing[@]}" -W "$warm" -d $((left > 0 ? left : 0)) -f "$work/$mode" |
    sed -u "s/^#*/&$mode\t/" >>"$out/regret.tsv"
  [ "${PIPESTATUS[0]}" = 0 ] || status=1
}

# left_to_fftw MODE: the problems of that mode that stock FFTW does in less than a millisecond, and sooner than the GPU.
left_to_fftw() {
  awk -F '\t' -v mode="$1" '
    $1 != mode { next }
    $6 == "stock" { stock = $9 }
    $6 == "forced" && stock > 0 && stock < 1000 && (!($9 > 0) || stock <= $9) {
      print $2 ($3 == "foreign" ? ",foreign" : "")
    }' "$out/regret.tsv"
}

# beside MODE SHARES: what the preload adds to each of these, in one process; in that share of the time that is left.
beside() {
  local left seconds=$(((limit - SECONDS) / $2)) options=(${quick:+-q} -W "$warm")
  [ "${1#*_}" = 1 ] || options+=(-n "$processors")
  [ "${1%_*}" = e ] || options+=(-m)
  options+=(-d $((seconds > 0 ? seconds : 0)))
  mapfile -t left < <(left_to_fftw "$1")
  LD_PRELOAD=$library "$programs/overhead" "${options[@]}" "${left[@]}" | sed -u "s/^#*/&$1\t/" >>"$out/overhead.tsv"
  [ "${PIPESTATUS[0]}" = 0 ] || status=1
}

about
tune
begin_table "$out/regret.tsv"
select_problems e_all | to_do "$out/regret.tsv" control e_all >"$work/e_all"
[ -n "$quick" ] || compile
echo "# tuned and compiled after $SECONDS s"
for ((i = 0; i < ${#modes[@]}; i++)); do
  contest "${modes[i]}" $((${#modes[@]} - i))
  echo "# ${modes[i]} done after $SECONDS s"
done
: >"$out/overhead.tsv"
for ((i = 0; i < ${#modes[@]}; i++)); do beside "${modes[i]}" $((${#modes[@]} - i)); done
echo "# beside each other after $SECONDS s"
grep -E 'WRONG|died' "$out/regret.tsv"
awk -f "$bench/regret.awk" "$out/regret.tsv" "$out/overhead.tsv" || time_was_up "$out/regret.tsv" || status=1
[ $status != 0 ] || ! time_was_up "$out/regret.tsv" || status=75
exit $status
