/* tensor.c: loops over elements of two arrays. */
#include "src/problem/tensor.h"

#include <stdlib.h>

fg_tensor fg_tensor_new(int rank) {
  fg_tensor t = {rank, NULL};
  if (rank > 0) {
    t.dim = calloc((size_t)rank, sizeof *t.dim);
    if (!t.dim) t.rank = -1;
  }
  return t;
}

void fg_tensor_free(fg_tensor *t) {
  free(t->dim);
  t->dim = NULL;
  t->rank = 0;
}

ptrdiff_t fg_tensor_size(const fg_tensor *t) {
  ptrdiff_t size = 1;
  for (int d = 0; d < t->rank; d++) size *= t->dim[d].n;
  return size;
}
