#!/bin/sh
# double.sh OUT SOURCE... -- LIBRARY...: a test program in double precision, from sources that were written for single
# (tests/double.sed).  CC and FC are the compilers, CFLAGS and FCFLAGS what they are told.  Such programs' names end in
# _double.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sources='' compiler="${CC:-cc} ${CFLAGS:-} -I$work"
while [ "$1" != -- ]; do
  folder=$work/tests/$(basename "$(dirname "$1")") # as its includes name it
  mkdir -p "$folder"
  sed -f "$here/../double.sed" "$1" >"$folder/$(basename "$1")"
  case $1 in
    *.f | *.f90) compiler="$FC ${FCFLAGS:-} -fdefault-real-8 -fdefault-double-8" ;;
  esac
  case $1 in
    *.h) ;;
    *) sources="$sources $folder/$(basename "$1")" ;;
  esac
  shift
done
shift
# shellcheck disable=SC2086
$compiler -o "$out" $sources "$@"
