/* transfer.h: between the program's arrays and their images: sizes, and what the processor copies itself. */
#ifndef FG_TRANSFER_H
#define FG_TRANSFER_H

#include "src/problem/layout.h"

/* Kernels may count on images (and planes of them) that begin at multiples of so many bytes. */
enum { FG_PLANE_ALIGNMENT = 256 };

/* Bytes of the image on the device; where in it a plane (0: re or complex, 1: im of a split array) begins. */
size_t fg_transfer_bytes(const fg_layout *l);
void *fg_transfer_plane(const fg_layout *l, void *image, int plane);

/* Where in memory a plane of the program's array begins (its lowest element) when it is exactly as its image; NULL if
 * it has gaps, or another precision. */
void *fg_transfer_dense(const fg_layout *l, void *array);

/* The same where it is rows without gaps: so many elements, pitch bytes from one to the next; one row if it is dense. */
typedef struct {
  ptrdiff_t row;
  size_t pitch;
} fg_rows;
void *fg_transfer_rows(const fg_layout *l, void *array, fg_rows *rows);

/* Elements [first, first + count) of a plane between the program's array and staging, which holds just those, converted
 * where the image has another precision. Past the cache: what is written should not stay there (into an array with gaps
 * it makes no difference). Gathering returns what fg_layout_gather does. */
double fg_transfer_gather(const fg_layout *l, const void *array, ptrdiff_t first, ptrdiff_t count, void *staging,
                          bool past_cache);
void fg_transfer_scatter(const fg_layout *l, void *array, ptrdiff_t first, ptrdiff_t count, const void *staging,
                         bool past_cache);

/* Whether an element of the input and one of the output may have bytes in common: none do where their spans lie apart, and where
 * each lies in the other's gaps in a regular way, or the outermost dimensions step through few stretches. */
bool fg_transfer_overlap(const fg_layout *in, const fg_layout *out, const fg_arrays *a);

#endif
