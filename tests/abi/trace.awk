# trace.awk: a trace without its loops, times and what a replay cannot repeat: the calls in their order, a line each.

function call(text, i, round, n, at, step, k) {
  n = match(text, / x[0-9]+/) ? substr(text, RSTART + 2, RLENGTH - 2) + 0 : 1
  split("", step)
  if (match(text, / step=[-0-9,]+/)) split(substr(text, RSTART + 6, RLENGTH - 6), step, ",")
  gsub(/ (x|step=|ns=|min=|max=|length=|by=|kind=[sf][a-z]*$)[-+0-9a-z_,]*/, "", text)
  for (round = 0; round < n; round++) print moved(text, step, round)
}

# Each place of an execution step further on.
function moved(text, step, round, done, k, offset) {
  if (text !~ / execute /) return text
  for (k = 1; match(text, /[=,]a[0-9]+[-+]?[0-9]*/); k++) {
    split(substr(text, RSTART + 2, RLENGTH - 2), offset, /[-+]/)
    offset[2] = substr(text, RSTART + 2 + length(offset[1]), RLENGTH - 2 - length(offset[1])) + round * step[k]
    done = done substr(text, 1, RSTART) "A" offset[1] "+" offset[2]
    text = substr(text, RSTART + RLENGTH)
  }
  return done text
}

# Lines from i on, until the loop's end; where that is.
function body(i, depth, k, end) {
  for (; i <= lines && line[i] != "end"; i++)
    if (line[i] ~ /^repeat /) {
      for (k = substr(line[i], 8); k > 0; k--) end = body(i + 1)
      i = end
    } else call(line[i])
  return i
}

NR > 2 {
  sub(/^ */, "")
  sub(/^[+][0-9]+ /, "")
  line[++lines] = $0
}
END { body(1) }
