# shellcheck shell=sh
# cli.sh: what the tests of the program fftw3-gpu share, read by each of them: a folder for what it writes, and what is
# expected of that.
program=${FG_PROGRAM:-${top_builddir:-.}/fftw3-gpu}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failures=0
. "$(dirname "$0")/../no_settings.sh"

fail() {
  echo "FAIL: $*"
  sed 's/^/  stdout: /' "$work/out"
  sed 's/^/  stderr: /' "$work/err"
  failures=$((failures + 1))
}

# expect STATUS ARGUMENT...: run the program, keep what it wrote.
expect() {
  wanted=$1
  shift
  "$program" "$@" >"$work/out" 2>"$work/err"
  status=$?
  [ $status -eq "$wanted" ] || fail "fftw3-gpu $*: exit status $status, not $wanted"
}

# out TEXT, err TEXT: what the last command wrote holds TEXT.  no_out TEXT: it does not; no_out, no_err: it wrote nothing
# there.
out() { grep -qF -e "$1" "$work/out" || fail "no \"$1\" on stdout"; }
err() { grep -qF -e "$1" "$work/err" || fail "no \"$1\" on stderr"; }
no_out() {
  if [ $# -eq 0 ]; then [ ! -s "$work/out" ] || fail "something on stdout"
  else ! grep -qF -e "$1" "$work/out" || fail "\"$1\" on stdout"; fi
}
no_err() {
  if [ $# -eq 0 ]; then [ ! -s "$work/err" ] || fail "something on stderr"
  else ! grep -qF "$1" "$work/err" || fail "\"$1\" on stderr"; fi
}

# The last line of each.
finish() {
  [ $failures -eq 0 ] || { echo "$failures failures"; exit 1; }
  echo "all passed"
}
