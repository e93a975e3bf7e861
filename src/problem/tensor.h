/* tensor.h: loops over elements of two arrays, FFTW's "I/O tensor".
 *
 * A tensor is a list of dimensions; dimension d has n[d] points, which lie is[d] apart in the input and os[d] apart in
 * the output.  A problem has two: the transform tensor and the batch tensor.  (FFTW 3.3.10 manual, section 4.5.) */
#ifndef FG_TENSOR_H
#define FG_TENSOR_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
  ptrdiff_t n;  /* points, > 0 (0 is legal in a batch tensor: nothing to do) */
  ptrdiff_t is; /* input stride; may be negative or zero */
  ptrdiff_t os; /* output stride */
} fg_dim;

typedef struct {
  int rank;    /* finite, >= 0 */
  fg_dim *dim; /* rank dimensions, outermost first as the caller gave them; NULL if rank is 0 */
} fg_tensor;

enum fg_side { FG_INPUT, FG_OUTPUT };

/* A tensor of the given rank with all dimensions zero.  On lack of memory rank is -1. */
fg_tensor fg_tensor_new(int rank);
void fg_tensor_free(fg_tensor *t);

/* Product of all n; 1 for rank 0. */
ptrdiff_t fg_tensor_size(const fg_tensor *t);

static inline ptrdiff_t fg_dim_stride(const fg_dim *d, enum fg_side side) { return side == FG_INPUT ? d->is : d->os; }

#endif
