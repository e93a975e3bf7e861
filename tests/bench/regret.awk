# regret.awk: what regret.sh found: of how many problems the regret is within the bounds, between processes and (where stock
# FFTW is faster) in one; the worst of the latter, and what the preload adds to short transforms.
BEGIN { FS = "\t" }
/^#?[em]_.*no time left/ { skipped++; next }
/^#/ { next }
NF == 5 { beside[$1 "\t" $2 "\t" $3] = 1 + $5 / $4; if ($4 < 1e4 && (!shorts++ || $5 > most)) { most = $5; worst = $0 }; next }
{ key = $1 "\t" $2 "\t" $3; if (!(key in seen)) { seen[key] = ++keys; name[keys] = key; mode[keys] = $1 } }
{ time[key, $6] = $9 + 0; low[key, $6] = $10; high[key, $6] = $11 }

function least(a, b) { return a > 0 && (b <= 0 || a < b) ? a : b }

function count(set, r) {
  of[set]++
  within[set] += r <= 1.05
  far[set] += r > 1.25
}

# Largest first; small numbers of rows.
function sort(order, n,    i, j, kept) {
  for (i = 2; i <= n; i++) {
    kept = order[i]
    for (j = i - 1; j >= 1 && regret[order[j]] < regret[kept]; j--) order[j + 1] = order[j]
    order[j + 1] = kept
  }
}

function line(set, text) {
  if (!of[set]) return
  printf "%-30s %4d problems, within 1.05: %5.1f %%, above 1.25: %d\n", text, of[set], 100 * within[set] / of[set],
    far[set]
}

END {
  for (k = 1; k <= keys; k++) {
    stock = time[name[k], "stock"]
    best = least(stock, time[name[k], "forced"])
    if (best <= 0 || time[name[k], "auto"] <= 0) continue
    regret[k] = time[name[k], "auto"] / best
    order[++rows] = k
    count("all", regret[k])
    count(mode[k], regret[k])
    count(stock < 10 ? "short" : "long", regret[k])
    control = time[name[k], "control"]
    if (stock <= 0 || best < stock) {
      count("device", regret[k])
      continue
    }
    if (control <= 0) continue
    count("host", regret[k])
    count("control", control / stock)
  }
  for (k = 1; k <= keys; k++) {
    if (!(k in regret)) continue
    if (name[k] in beside) count("beside", regret[k] = beside[name[k]])
    count("decided", regret[k])
  }
  sort(order, rows)
  line("all", "all")
  line("e_1", "ESTIMATE, 1 thread")
  line("e_all", "ESTIMATE, all threads")
  line("m_1", "MEASURE, 1 thread")
  line("m_all", "MEASURE, all threads")
  line("short", "under 10 us in stock FFTW")
  line("long", "10 us and more")
  line("device", "where the GPU is faster")
  line("host", "where stock FFTW is faster")
  line("control", "the same, FFTW against itself")
  line("beside", "the same in one process")
  line("decided", "all, those in one process")
  if (skipped) printf "not timed for want of time: %d\n", skipped
  print "worst of these: regret, mode, problem, memory; us of stock, auto, forced"
  for (i = 1; i <= 15 && i <= rows; i++) {
    k = order[i]
    printf "  %.2f  %s  %.2f %.2f %.2f\n", regret[k], blanks(name[k]), time[name[k], "stock"], time[name[k], "auto"],
      time[name[k], "forced"]
  }
  if (shorts) printf "added to each execution of %d problems under 10 us: at most %.1f ns (%s)\n", shorts, most, blanks(worst)
  exit rows == 0
}

function blanks(text) {
  gsub(/\t/, " ", text)
  return text
}
