# compare.awk: hold one run of a test program against another, line by line.
#   awk -v exact=0|1 [-v times=N] [-v double=1] -f compare.awk reference result
# Lines are described in show.h.  exact: every line must be the same text, but for those of timed plans (name ends in
# '*').  Otherwise an array may differ by a relative L2 error of 2e-6 sqrt(log2 n), in double precision 4e-15: norm and
# weighted sums by that times the norm, a single sample by 8 times its root mean square share; after so many transforms
# one after the other, by sqrt(times) of that.  Prints each difference; exit status 1 if there is any.
function wrong(text) {
  print "line " FNR ", " $1 ": " text
  bad = 1
}

function is_number(text) { return text ~ /^[-+]?[0-9.]+([eE][-+]?[0-9]+)?$/ }

function compare_number(field, expected, found, allowed) {
  if (!is_number(found) || !is_number(expected)) {
    wrong("field " field " is not a number: " expected " | " found)
    return
  }
  difference = found - expected
  if (difference < 0) difference = -difference
  if (!(difference <= allowed)) wrong("field " field ": " expected " | " found " differ by more than " allowed)
}

function compare_array(n, norm, count, share) {
  share = (double ? 4e-15 : 2e-6) * sqrt(log(n > 2 ? n : 2) / log(2)) * norm * (times > 1 ? sqrt(times) : 1)
  for (f = 4; f <= 7; f++) compare_number(f, word[f], $f, share + 1e-30)
  for (f = 8; f <= NF; f++) compare_number(f, word[f], $f, 8 * share / sqrt(count) + 1e-30)
}

FNR == NR { line[NR] = $0; lines = NR; next }

{
  seen = FNR
  count = split(line[FNR], word)
  if ($0 == line[FNR] && tolower($0) !~ / [-+]?(nan|inf)/) next
  if (word[1] != $1 || count != NF || word[2] != $2 || word[3] != $3 || word[2] == "=")
    wrong("\"" line[FNR] "\" | \"" $0 "\"")
  else if (exact && $1 !~ /\*$/)
    wrong("not the same bits: \"" line[FNR] "\" | \"" $0 "\"")
  else
    compare_array($2 + 0, word[4] + 0, $3 + 0)
}

END {
  if (seen != lines) {
    print "the reference has " lines + 0 " lines, the result " seen + 0
    bad = 1
  }
  if (!lines) {
    print "no result at all"
    bad = 1
  }
  exit bad
}
