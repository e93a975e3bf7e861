/* problem.h: random problems of FFTW's guru interface, their memory, and what must come out of them. */
#ifndef FG_SOAK_PROBLEM_H
#define FG_SOAK_PROBLEM_H

#include <fftw3.h>
#include <stdbool.h>
#include <stddef.h>

#include "tests/unit/dice.h"

enum kind { C2C, SPLIT, R2C, C2R, R2R, KINDS };
enum memory { OWN, FOREIGN, MISALIGNED, MEMORIES }; /* of fftwf_malloc; of malloc; of malloc, four bytes further */
/* Of a float of the output's memory: a gap; in place, what may change too; what is compared. */
enum owner { NOBODY, INPUT_ONLY, OUTPUT };
enum { RANK = 4, BATCH_RANK = 2 };

typedef struct {
  enum kind kind;
  bool in_place; /* the output's memory is the input's, mostly at the same places */
  int sign, rank, batch_rank;
  fftwf_iodim64 dim[RANK], batch[BATCH_RANK];
  fftwf_r2r_kind r2r[RANK];
  size_t floats[2];  /* of a plane of the input, the output */
  size_t start[2];   /* floats before the first element of it */
  float *input;      /* all planes of the input */
  float *expected;   /* of the output, where owned */
  unsigned char *owner; /* of each float of one plane of the output's memory */
} problem;

/* The memory of one execution. */
typedef struct {
  void *block[2]; /* as allocated; the second NULL in place */
  float *side[2]; /* input, output */
  size_t floats[2]; /* all planes */
  enum memory memory;
} arrays;

/* What sort of problems: of at most that many elements, none in place (apart), with any lengths and strides and up to RANK
 * dimensions, or none, instead of up to three of a few lengths, which take few kernels. */
typedef struct {
  ptrdiff_t elements;
  bool apart, any;
} sort;

/* A problem of that sort, with what stock FFTW makes of its input. */
void problem_make(problem *, dice *, const sort *);
void problem_free(problem *);

int problem_planes(const problem *);

arrays arrays_make(const problem *, enum memory);
void arrays_free(arrays *);

/* Plan by the functions that the program is linked to, and execute on the plan's arrays or (new_array) on a's. */
fftwf_plan problem_plan(const problem *, const arrays *, unsigned flags);
void problem_execute(const problem *, fftwf_plan, const arrays *a, bool new_array);

/* Stock FFTW has such a plan. */
bool problem_is_planned(const problem *, const arrays *, unsigned flags);

/* The input, times a power of two that the dice choose, and noise everywhere else; a copy of all the output's memory
 * and the factor, to check with.  malloc'd. */
float *problem_fill(const problem *, const arrays *, dice *, float *factor);

/* The output is right and nothing beside it was written.  Frees before. */
bool problem_check(const problem *, const arrays *, float *before, float factor);

/* "r2c 12x30 in place …" */
void problem_print(const problem *, char *text, size_t size);

/* The functions of stock FFTW, past whatever is preloaded.  False if it is not found. */
bool problem_find_stock(void);

#endif
