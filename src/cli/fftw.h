/* fftw.h: the real FFTW in each of its precisions, loaded by name and kept apart from the others: what the benchmark and
 * `fftw3-gpu accuracy` compare with. */
#ifndef FG_FFTW_H
#define FG_FFTW_H

#include "src/problem/layout.h"
#include "src/problem/problem.h"

enum fg_fftw_precision { FG_FFTW_SINGLE, FG_FFTW_DOUBLE, FG_FFTW_LONG, FG_FFTW_PRECISIONS };

/* guru64: rank, dims, howmany_rank, howmany_dims. */
#define FG_FFTW_LOOPS int, const fg_dim *, int, const fg_dim *

typedef struct {
  void *(*dft)(FG_FFTW_LOOPS, void *, void *, void *, void *, unsigned flags);
  void *(*r2c)(FG_FFTW_LOOPS, void *, void *, void *, unsigned flags);
  void *(*c2r)(FG_FFTW_LOOPS, void *, void *, void *, unsigned flags);
  void *(*r2r)(FG_FFTW_LOOPS, void *, void *, const int *kinds, unsigned flags);
  void (*execute)(const void *plan);
  void (*destroy)(void *plan);
  enum fg_fftw_precision precision;
} fg_fftw;

/* NULL: it is not there. */
const fg_fftw *fg_fftw_get(enum fg_fftw_precision);

/* File name of the library. */
const char *fg_fftw_name(enum fg_fftw_precision);

/* dlsym, past whoever is preloaded in its place: what is asked for here is what this library is compared with. */
void *fg_fftw_symbol(void *library, const char *name);

/* Its later plans take as many threads as there are processors, if FFTW's threads are there. */
void fg_fftw_use_threads(enum fg_fftw_precision);

/* Plan p's transform (FFTW_ESTIMATE), its backward sign too, over dims: strides in reals, those of the transform and
 * then those of the batch.  NULL: it has none. */
void *fg_fftw_plan(const fg_fftw *, const fg_problem *p, const fg_dim *dims, const fg_arrays *a);

/* p's dimensions over images of its arrays (src/problem/layout.h) in which part c of complex element e is real 2e + c,
 * also of split arrays; to has room for the transform's and then the batch's. */
void fg_fftw_image_dims(const fg_problem *p, const fg_layout *in, const fg_layout *out, fg_dim *to);

/* Such an image: reals from an element to the next, and in all. */
ptrdiff_t fg_fftw_image_unit(const fg_layout *);
size_t fg_fftw_image_reals(const fg_layout *);

/* p on such images, of the precision's reals.  false: there is no plan or no memory for it. */
bool fg_fftw_transform(const fg_fftw *, const fg_problem *p, const fg_layout *in, const fg_layout *out, void *from,
                       void *to);

#endif
