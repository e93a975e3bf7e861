#!/bin/sh
# embed.sh FILE...: write C source to stdout that holds each file as text, as fg_embedded_sources of cuda/backend.h.
# Byte arrays, not string literals: compilers need not take literals above 4095 characters.
set -e

echo '/* Generated from the files below by cuda/kernel/embed.sh. */'
echo '#include "cuda/backend.h"'
number=0
for file in "$@"; do
  echo
  echo "static const unsigned char text_$number[] = { /* ${file##*/} */"
  od -An -v -tu1 "$file" | sed -e 's/  */,/g' -e 's/^,/  /' -e 's/$/,/'
  echo '  0};'
  number=$((number + 1))
done
echo
echo 'const fg_embedded fg_embedded_sources[] = {'
number=0
for file in "$@"; do
  echo "  {\"${file##*/}\", (const char *)text_$number},"
  number=$((number + 1))
done
echo '  {0, 0}};'
