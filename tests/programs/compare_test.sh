#!/bin/sh
# compare_test.sh: compare.awk must accept what is within rounding and refuse everything else.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../no_settings.sh"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0

cat >"$work/reference" <<END
a = text
x 1024 2048 100 1 2 3 4 5 6 7 8
t* 1024 2048 100 1 2 3 4 5 6 7 8
END

# expect STATUS EXACT SED-SCRIPT: compare the reference with what the script makes of it.
expect() {
  sed "$3" "$work/reference" >"$work/result"
  awk -v exact="$2" -f "$here/compare.awk" "$work/reference" "$work/result" >"$work/said"
  status=$?
  test $status -eq "$1" && return
  echo "exact=$2 '$3': status $status, not $1"
  cat "$work/said"
  failed=1
}

expect 0 0 ''
expect 0 1 ''
expect 0 0 '2s/ 1 2 3 / 1.0005 2 3 /' # 2e-6 sqrt(10) 100 is 6.3e-4
expect 1 0 '2s/ 1 2 3 / 1.0007 2 3 /'
expect 1 1 '2s/ 1 2 3 / 1.0000001 2 3 /'
expect 0 1 '3s/ 1 2 3 / 1.0005 2 3 /'
expect 1 1 '3s/ 1 2 3 / 1.0007 2 3 /'
expect 0 0 '2s/ 8$/ 8.0001/'
expect 1 0 '2s/ 8$/ 8.0002/'
expect 1 0 '2s/ 100 / 101 /'
expect 1 0 '2s/ 7 / nan /'
expect 1 0 '2s/ 7 / inf /'
expect 1 0 '2s/ 1024 / 1023 /'
expect 1 0 '2s/ 8$//'
expect 1 0 '2s/^x/y/'
expect 1 0 '1s/text/other/'
expect 1 0 '3d'
expect 1 0 '3p'
expect 1 0 'd'
for status in 0 1; do # 4e-15 sqrt(10) 100 is 1.26e-12
  sed "2s/ 1 2 3 / 1.00000000000$((1 + status)) 2 3 /" "$work/reference" >"$work/result"
  awk -v exact=0 -v double=1 -f "$here/compare.awk" "$work/reference" "$work/result" >"$work/said"
  test $? -eq $status || { echo "double: not $status"; failed=1; }
done
sed 's/ 7 / nan /' "$work/reference" >"$work/nan"
awk -v exact=1 -f "$here/compare.awk" "$work/nan" "$work/nan" >"$work/said" && { echo "two nan agree"; failed=1; }
exit $failed
