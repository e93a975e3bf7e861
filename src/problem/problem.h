/* problem.h: ONE description of every transform that FFTW's API can ask for.
 *
 * It is FFTW's own guru64 split form: every other planner is a special case of it.  compat/ translates to it; nobody
 * else knows about the entry points. */
#ifndef FG_PROBLEM_H
#define FG_PROBLEM_H

#include "src/problem/tensor.h"

enum fg_kind { FG_DFT, FG_R2C, FG_C2R, FG_R2R };
enum fg_precision { FG_SINGLE, FG_DOUBLE };
enum fg_doubles { FG_DOUBLES_AUTO, FG_DOUBLES_HOST, FG_DOUBLES_SINGLE, FG_DOUBLES_DOUBLE }; /* src/plan/doubles.h */
enum fg_format { FG_INTERLEAVED, FG_SPLIT };

/* FFTW's values (fftw3.h), so that flags and signs pass through unchanged. */
enum { FG_FORWARD = -1, FG_BACKWARD = +1 };
enum {
  FG_MEASURE = 0u,
  FG_DESTROY_INPUT = 1u << 0,
  FG_UNALIGNED = 1u << 1,
  FG_EXHAUSTIVE = 1u << 3,
  FG_PRESERVE_INPUT = 1u << 4,
  FG_PATIENT = 1u << 5,
  FG_ESTIMATE = 1u << 6,
  FG_WISDOM_ONLY = 1u << 21
};

/* The arrays of one execution.  A complex array has a real and an imaginary pointer (interleaved: im = re + 1 real);
 * a real array has only re, and im is NULL. */
typedef struct {
  void *in_re, *in_im, *out_re, *out_im;
} fg_arrays;

typedef struct {
  enum fg_kind kind;
  enum fg_precision precision; /* of the arrays */
  enum fg_precision compute;   /* of the arithmetic on the device, and of the arrays' images there; FG_SINGLE for double
                                  arrays: converted on the way in and back on the way out */
  enum fg_doubles doubles;     /* how a problem on double arrays is to be done */
  enum fg_format format; /* which family of leaf planners and new-array executes belongs to the plan */
  int sign;              /* FG_FORWARD or FG_BACKWARD; FG_FORWARD for split, R2C and R2R; FG_BACKWARD for C2R */
  fg_tensor transform;   /* strides in REALS of the array's own precision, also for interleaved arrays: a stride of */
  fg_tensor batch;       /* one complex number is 2 there, 1 in a split array */
  int *r2r_kind;         /* transform.rank of FFTW's fftw_r2r_kind values for FG_R2R, else NULL */
  fg_arrays arrays;      /* what the planner was given; may be NULL pointers */
  unsigned flags;        /* as given by the program */
  int threads;           /* planner_nthreads in force, >= 1 */
} fg_problem;

size_t fg_real_size(enum fg_precision p);

/* A problem with room for the two ranks (dims zero, everything else zero).  NULL on lack of memory. */
fg_problem *fg_problem_new(enum fg_kind kind, enum fg_precision precision, enum fg_format format, int rank,
                           int batch_rank);
fg_problem *fg_problem_copy(const fg_problem *p);
void fg_problem_free(fg_problem *p);

/* Why stock FFTW must answer this problem, in a few words ("zero stride", "overlapping output"), or NULL when the
 * library's own kernels may: finite, non-overlapping, nothing that FFTW's manual leaves undefined.  A literal. */
const char *fg_problem_undefined(const fg_problem *p);

/* Points of dimension d (transform, then batch) in the array of that side: n/2 + 1 of the last one of a real
 * transform where that is complex. */
ptrdiff_t fg_problem_points(const fg_problem *p, int d, enum fg_side side);

/* The array of that side holds complex numbers. */
bool fg_problem_complex_side(const fg_problem *p, enum fg_side side);

/* The array of that side holds interleaved numbers by p, and its parts lie otherwise in a: a split execution of an
 * interleaved plan may bring them, and of a backward one brings them the wrong way round. */
bool fg_problem_parts_apart(const fg_problem *p, const fg_arrays *a, enum fg_side side);

/* Imaginary parts of that side in a have a plane of their own. */
bool fg_problem_has_second(const fg_problem *p, const fg_arrays *a, enum fg_side side);

/* On either side.  No image can be made of them; the real FFTW's split executes take parts that lie anywhere. */
bool fg_problem_apart(const fg_problem *p, const fg_arrays *a);

/* Input and output begin at the same places; a real side has no imaginary part of its own. */
bool fg_problem_in_place(const fg_arrays *a);

/* a's arrays from a point of that dimension of the batch on. */
fg_arrays fg_problem_arrays_from(const fg_problem *p, const fg_arrays *a, int batch, ptrdiff_t first);

/* Elements (complex numbers or reals) that the problem owns in the input and in the output, over the whole batch. */
ptrdiff_t fg_problem_elements(const fg_problem *p, enum fg_side side);

#endif
