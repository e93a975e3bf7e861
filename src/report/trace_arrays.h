/* trace_arrays.h: which array an address belongs to.
 *
 * Blocks of fftwf_malloc are known from the call.  Of other memory only what transforms touch is known: touched ranges
 * that meet or overlap are one array.  When a range turns out to join two arrays, the one becomes a part of the
 * other. */
#ifndef FG_TRACE_ARRAYS_H
#define FG_TRACE_ARRAYS_H

#include "src/report/trace_line.h"

typedef struct {
  uintptr_t low, high, base; /* offsets count from base */
  size_t bytes;              /* of fftwf_malloc's call; of other memory nothing */
  int id;
  bool own;
  enum fg_precision precision; /* of that call */
} fg_trace_region;

/* Zeros: empty. */
typedef struct {
  fg_trace_region *region; /* by address; own ones never overlap */
  int count, room;
  unsigned char *used; /* by number */
  int numbers, lowest; /* no number below lowest is free */
} fg_trace_arrays;

/* fftwf_malloc, or fftw_malloc, gave p; free takes it.  The array's number; FG_TRACE_OTHER for what is not known. */
int fg_trace_arrays_malloc(fg_trace_arrays *, enum fg_precision, const void *p, size_t bytes);
int fg_trace_arrays_free(fg_trace_arrays *, const void *p);

/* Where p is, whose transform touches [low, high) (bytes from p; low <= 0 < high).  Lines about new and joined arrays
 * go to tell first. */
fg_trace_ref fg_trace_arrays_find(fg_trace_arrays *, const void *p, ptrdiff_t low, ptrdiff_t high,
                                  void (*tell)(const fg_trace_line *, void *), void *data);

/* Set by fg_trace_devices. */
extern bool (*fg_trace_on_device)(const void *) __attribute__((visibility("hidden")));

/* The line that introduces a region, as a process that inherited it has to. */
fg_trace_line fg_trace_arrays_line(const fg_trace_region *);

/* What p's array of that side reaches, in bytes from the pointer to it or to one of its planes.  false: more than can
 * be memory; then one element. */
bool fg_trace_reach(const fg_problem *p, enum fg_side side, bool plane, ptrdiff_t *low, ptrdiff_t *high);

void fg_trace_arrays_clear(fg_trace_arrays *);

/* Only the numbers: the lowest that is free; FG_TRACE_OTHER on lack of memory. */
int fg_trace_number_take(fg_trace_arrays *);
void fg_trace_number_give(fg_trace_arrays *, int number);

#endif
