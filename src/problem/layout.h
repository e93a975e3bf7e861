/* layout.h: where a problem's elements lie in the program's array, and their image on the device.
 *
 * The image is dense and in the memory order of the program's array, so that copying is one walk through both, only
 * elements that the problem owns are moved, and gaps are never touched. Its reals have the precision that the device
 * computes in: where that is not the array's, copying converts (src/problem/convert.h). */
#ifndef FG_LAYOUT_H
#define FG_LAYOUT_H

#include "src/problem/problem.h"

/* A dimension of the copy: n elements, stride reals apart in the program's array, neighbours or further in
 * the image. */
typedef struct {
  ptrdiff_t n, stride;
} fg_walk;

typedef struct {
  enum fg_precision precision, image; /* of the program's array; of its image */
  ptrdiff_t unit;      /* reals in an element: 2 of interleaved complex numbers */
  bool split;          /* two planes, each with its own image */
  ptrdiff_t elements;  /* of one plane's image (complex numbers if not split) */
  ptrdiff_t low;       /* reals from the array's pointer to its lowest element, <= 0 */
  int rank;
  fg_walk *walk;       /* innermost first; contiguous dimensions are merged */
  bool padded;         /* the image has FFTW's padding of real rows, too: for executions in place only */
  ptrdiff_t offset;    /* image element that the array's pointer itself means */
  ptrdiff_t *stride;   /* image stride of each dimension of the problem: transform, then batch */
} fg_layout;

/* The layout of p's input or output.  false on lack of memory.  p must own its elements once (fg_problem_undefined is
 * NULL). */
bool fg_layout_make(fg_layout *l, const fg_problem *p, enum fg_side side);
void fg_layout_free(fg_layout *l);

/* How passes reach an array: through its image, or where it is on the device, with its own strides and offset. Executions
 * on the host's arrays have an image of their own kind: r2c's reals in place bring the padding of their rows along, which is
 * the output's anyway, so that they are one stretch; but not where they are converted, since it may hold anything. */
enum fg_reach {
  FG_REACH_IMAGE,
  FG_REACH_HOST,
  FG_REACH_ARRAY,
  FG_REACH_PLANES /* real by real: one that is not aligned to complex numbers; interleaved ones as two planes */
};

bool fg_reach_is_image(enum fg_reach);
bool fg_layout_make_reaching(fg_layout *l, const fg_problem *p, enum fg_side side, enum fg_reach reach);

/* Reals from the lowest element of a plane of the program's array to behind the highest. */
ptrdiff_t fg_layout_reach(const fg_layout *l);

/* Bytes of an element of the image; the program's array has others where copying converts. */
size_t fg_layout_element_size(const fg_layout *l);
bool fg_layout_converts(const fg_layout *l);

/* Copy elements [first, first + count) of the image between the program's array (the plane that re or im points to) and
 * image, which holds just those.  Gathering into single precision what is double returns the largest magnitude, any
 * other 0. */
double fg_layout_gather(const fg_layout *l, const void *array, ptrdiff_t first, ptrdiff_t count, void *image);
void fg_layout_scatter(const fg_layout *l, void *array, ptrdiff_t first, ptrdiff_t count, const void *image);

#endif
