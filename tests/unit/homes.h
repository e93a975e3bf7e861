/* homes.h: a problem's arrays in memory of any kind, and what they should hold after an execution. */
#ifndef FG_TEST_HOMES_H
#define FG_TEST_HOMES_H

#include "src/plan/plan.h"
#include "src/run/target.h"

typedef enum {
  HEAP,    /* malloc's */
  ARENA,   /* fftwf_malloc's */
  PINNED,  /* the program's, pinned by the program */
  MANAGED,
  DEVICE,
  SHIFTED, /* on the device, aligned to single numbers only */
  SECOND,  /* on the device, of two, that is not the process's own */
  KINDS
} home_kind;

extern const char *const home_names[KINDS];

/* Where managed memory comes from; sim's unless a test sets it. */
extern void *(*homes_managed)(size_t bytes);
extern void (*homes_managed_free)(void *memory);

typedef struct {
  home_kind kind;
  const fg_target *target; /* of device memory, and what pinned it */
  char *base, *memory;     /* as allocated; with the array */
  size_t bytes;
} home;

typedef struct {
  const fg_problem *problem; /* its arrays are these */
  bool in_place;
  int blocks; /* in, out; in place only the one */
  home block[2];
  char *before[2], *right[2]; /* content before an execution; after it by the real FFTW */
  char *owned;                /* of the last block: bytes of output elements */
  fg_arrays arrays;
} homes;

/* Arrays for p (which is not taken over) filled with random numbers, and the real FFTW's answer. */
homes homes_of(fg_problem *p, home_kind in, home_kind out, bool in_place);
void homes_free(homes *);

/* Put the first content back. */
void homes_refill(const homes *);

/* The output's elements are the real FFTW's but for roundings; all else is as it was before. */
void homes_check(const homes *, const char *what);

/* Nothing at all has changed. */
void homes_check_untouched(const homes *, const char *what);

#endif
