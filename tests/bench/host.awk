# host.awk: the table of host.sh from what contest.c wrote.  Microseconds; the floor is bytes in and bytes out, each ÷
# 55 GB/s for one transform, together ÷ 101 GB/s for a batch (PCIe 5 x16).  Bounds, for 1 MB and more unless said: own
# memory 1.15 floors and 15 µs, foreign 1.8 floors, cuFFTW 3 times ours on the same kind of memory.  Below 1 MB the
# library as it is left to choose must not be slower than cuFFTW.
BEGIN { FS = "\t" }
/^#/ { if (!/^#problem/) print; next }
!($1 in seen) { problem[++problems] = $1; seen[$1] = 1; bytes[$1] = $3; both[$1] = $3 + $4 }
{ time[$1, $5] = $8 + 0; check[$1, $5] = $11 }

function cell(p, who) {
  if (check[p, who] == "WRONG" || check[p, who] == "died") return check[p, who]
  if (time[p, who] <= 0) return "–"
  return sprintf(time[p, who] < 10 ? "%.2f" : time[p, who] < 100 ? "%.1f" : "%.0f", time[p, who])
}

# value with its mark; good and all count by rule.  unknown: one of the two was not measured.
function bound(rule, text, unknown, holds) {
  if (unknown) return "–"
  all[rule]++
  if (holds) good[rule]++
  return holds ? text : "**" text "**"
}

function against_floor(p, who, most, counts,    t) {
  t = time[p, who]
  if (!counts) return t > 0 ? sprintf("%.2f", t / floor) : "–"
  return bound(who, sprintf("%.2f", t / floor), t <= 0, t <= most)
}

function against_cufftw(p, kind,    t, c) {
  t = time[p, (large ? "ours_" : "auto_") kind]
  c = time[p, "cufftw_" kind]
  if (t <= 0 || c <= 0 || check[p, "cufftw_" kind] == "WRONG") return "–"
  return bound("cufftw_" kind, sprintf(c < 10 * t ? "%.2f" : "%.0f", c / t), 0, c >= (large ? 3 : 1) * t)
}

function summary(rule, text) {
  if (all[rule]) printf "%s: %d of %d\n", text, good[rule], all[rule]
}

END {
  print "| problem | floor | own | ÷ floor | foreign | ÷ floor | auto | stock, 1 thread | all threads | MEASURE" \
    " | cuFFTW own | ÷ ours | cuFFTW foreign | ÷ ours |"
  print "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
  for (i = 1; i <= problems; i++) {
    p = problem[i]
    floor = both[p] / (p ~ /\*/ ? 101e3 : 55e3)
    large = bytes[p] >= 1e6
    printf "| %s | %.1f | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", p, floor, cell(p, "ours_own"),
      against_floor(p, "ours_own", 1.15 * floor + 15, large), cell(p, "ours_foreign"),
      against_floor(p, "ours_foreign", 1.8 * floor, large), cell(p, "auto_own"), cell(p, "stock_1"),
      cell(p, "stock_all"), cell(p, "measure_all"), cell(p, "cufftw_own"), against_cufftw(p, "own"),
      cell(p, "cufftw_foreign"), against_cufftw(p, "foreign")
    for (who in time) if (index(who, p SUBSEP) == 1 && check[who] == "right") right++
  }
  print ""
  summary("ours_own", "own memory within 1.15 floors + 15 us (1 MB and more)")
  summary("ours_foreign", "foreign memory within 1.8 floors (1 MB and more)")
  summary("cufftw_own", "cuFFTW at least 3 times ours (1 MB and more) or never faster (less), own memory")
  summary("cufftw_foreign", "the same, foreign memory")
  printf "%d problems, %d results checked\n", problems, right
  exit problems == 0
}
