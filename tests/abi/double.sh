#!/bin/sh
# double.sh: what the tests of the ABI show of single precision, shown of double precision by the same programs.
here=$(cd "$(dirname "$0")" && pwd)
FG_PRECISION=double
export FG_PRECISION
bad=0
for test in allocator alone calls cancel copies early gaps large leaving plans price quiet reading relink renamed several; do
  sh "$here/$test.sh" >"/tmp/fg-double.$$" 2>&1
  status=$?
  sed "s/^/$test: /" "/tmp/fg-double.$$"
  [ $status -eq 0 ] || [ $status -eq 77 ] || { echo "$test: status $status"; bad=1; }
done
rm -f "/tmp/fg-double.$$"
exit $bad
