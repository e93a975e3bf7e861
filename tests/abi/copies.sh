#!/bin/sh
# copies.sh: copy_plan; under valgrind, if that is there, so that neither a use after free nor a leak goes unseen.
. "$(dirname "$0")/common.sh"
compile copies "$lib" -Wl,-rpath,"$(dirname "$lib")"
"$work/copies" || fail "copies: status $?"
command -v valgrind >/dev/null 2>&1 || exit 0
valgrind -q --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite --error-exitcode=9 \
  "$work/copies" >"$work/out" 2>&1 || { cat "$work/out"; fail "valgrind: status $?"; }
echo "copies and destroys balance"
