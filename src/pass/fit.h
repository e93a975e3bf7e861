/* fit.h: how good a choice of lines, threads and radices is; what choosers of geometries (geometry.c, geometry_box.c)
 * share. */
#ifndef FG_FIT_H
#define FG_FIT_H

#include "src/pass/geometry.h"

enum {
  FG_SECTOR = 32,               /* bytes */
  FG_SHARED_RESERVED = 1024,    /* bytes of a multiprocessor's shared memory that each block takes besides its own */
  FG_LARGEST_BLOCK = 64 * 1024  /* bytes of the points of several lines */
};

/* Blocks of so many bytes of shared memory that a multiprocessor has room for. */
static inline size_t fg_fit_room(const fg_device_info *device, size_t block) {
  return device->shared_sm / (block + FG_SHARED_RESERVED);
}

/* What an exchange costs beside the pass's traffic. */
#define FG_EXCHANGE_COST 0.06

/* Bytes of a complex number in registers and shared memory. */
static inline int fg_fit_point_size(const fg_pass *p) { return 2 * (int)fg_real_size(p->precision); }

/* Bytes from line to line where they are next to each other: of split arrays, half and odd rows reals. */
int fg_fit_neighbour_size(const fg_pass *p);

/* Points that a thread may have. */
int fg_fit_most_points(const fg_pass *p);

/* A convolution of complex rows with a chirp that has the multiprocessor to itself and is faster in one pass than in three.
 * (On an H200, single precision, in three and in one: of 20480 points 971 us and 611, of 23040 949 and 755, of 25920, which
 * spill more, 1087 and 1172.) */
bool fg_fit_is_long_chirp(const fg_pass *p);

/* How good p is (higher is better), exchanges left out and whether its tile fits a block; 0 or less: it does not fit. */
double fg_fit_score(const fg_pass *p, const fg_device_info *device);

/* p with so many lines a block and the best threads: into *best, with its score, if it is better. */
void fg_fit_lines(fg_pass *p, const fg_device_info *device, int lines, fg_pass *best, double *best_score);

/* Set the blocks on a multiprocessor that the compiler is asked for. */
void fg_fit_blocks(fg_pass *p, const fg_device_info *device);

/* fg_geometry_refine of a box. */
double fg_geometry_refine_box(fg_pass *p, const fg_device_info *device);

#endif
