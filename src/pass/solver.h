/* solver.h: a solver is one algorithm: a way to turn work into passes.  One file each in solver/, one line in the
 * table. */
#ifndef FG_SOLVER_H
#define FG_SOLVER_H

#include "src/pass/pass.h"

/* What is to be transformed on the device: a problem in the arrays' own elements, or a part of one that a solver
 * made. */
typedef struct {
  enum fg_precision precision;
  int sign;
  fg_place from, to;
  int rank;                   /* of the transform; n == 1 dimensions are gone */
  fg_dim dim[FG_MAX_LOOPS];   /* strides in elements, outermost first */
  enum fg_kind kind;          /* not FG_DFT: sides have no forms yet, see solver/real.c and r2r.c */
  int r2r_kind[FG_MAX_LOOPS]; /* FG_R2R: of each dimension */
  int loops;
  fg_loop loop[FG_MAX_LOOPS]; /* everything around it */
  bool batched;               /* some of these loops are over transforms, not over rows of one */
  bool over_link;             /* the input comes from the host while the first pass runs, the output leaves while the last does */
  int scratch;                /* scratch arrays 0 … scratch−1 hold data that is still needed */

  /* Factors on the way in and out, by position along the (one-dimensional) transform. */
  fg_table load_table, store_table;
  ptrdiff_t load_weight, store_weight, load_limit, store_limit;
  ptrdiff_t load_step, store_step; /* elements from position to position, where that side has a form */
  fg_table form_table;
  fg_table filter;            /* with a kind: a row that is cut in two, padded, is convolved with it (fg_cut_lower) */
  ptrdiff_t twiddle;          /* results times exp(−2πi·J·k/twiddle), J from the loops' twiddle weights; k of the
                                 slowest dimension */
} fg_work;

typedef struct fg_planner {
  const fg_device_info *device;
  int splits;   /* of a length in two that this work is already a part of */
  double limit; /* 0, or a list that costs so much is of no use: solvers give up early */
} fg_planner;

typedef struct {
  const char *name;
  bool (*applicable)(const fg_planner *, const fg_work *);
  /* Append passes for w to the list; false if it cannot after all, or not below the limit (what the list then holds is
   * of no use). */
  bool (*lower)(const fg_planner *, const fg_work *w, fg_passes *);
} fg_solver;

/* The largest prime that FFTW does not convolve, and the largest that solver mirrored_sums does not. */
enum { FG_FFTW_LONGEST_SUM = 167 };
static inline ptrdiff_t fg_longest_mirrored_sum(enum fg_precision p) { return p == FG_SINGLE ? 257 : FG_FFTW_LONGEST_SUM; }

extern const fg_solver fg_solver_copy, fg_solver_tile, fg_solver_box, fg_solver_dimensions, fg_solver_overlap, fg_solver_relay,
    fg_solver_four_step, fg_solver_strip, fg_solver_hierarchical, fg_solver_rader, fg_solver_mirrored_sums,
    fg_solver_bluestein, fg_solver_real, fg_solver_r2r, fg_solver_r2r_box, fg_solver_halves, fg_solver_half_row,
    fg_solver_odd_row, fg_solver_real_prime;
extern const fg_solver *const fg_solvers[]; /* ends with NULL */

/* The cheapest way of any solver, appended to the list.  false if none can, or none below the limit. */
bool fg_planner_lower(const fg_planner *, const fg_work *w, fg_passes *);

/* The same of two works, one after the other. */
bool fg_planner_lower_both(const fg_planner *, const fg_work *first, const fg_work *second, fg_passes *);

/* Only tests set it: no way is given up before its end. */
extern bool fg_planner_exhaustive;

/* One of several ways to lower a work, told apart by a number: a factor, a length. */
typedef bool (*fg_way)(const fg_planner *, const fg_work *w, ptrdiff_t choice, fg_passes *);

/* The cheapest of them, appended to the list.  false if none can, or none below the limit. */
bool fg_planner_cheapest(const fg_planner *, const fg_work *w, fg_way way, const ptrdiff_t *choices, int count,
                         fg_passes *);

/* ---- what solvers share ---- */

/* A side of w has a form. */
bool fg_work_has_form(const fg_work *w);

/* One side of w is real, the other the spectrum of this very line. */
bool fg_work_is_row(const fg_work *w);

/* A row of real data is best a line of half as many points of its own (solver half_row); solver tile then leaves it. */
bool fg_work_half_row(const fg_work *w);

/* A row of even length whose half no butterflies do is permuted or convolved as such a line (solvers rader, bluestein); not
 * rows that share lines, nor extensions that would round too much. */
bool fg_work_half_line(const fg_work *w);

/* The points of a row's line then: half of its own, or all. */
ptrdiff_t fg_work_line(const fg_work *w);

/* The same of rows of odd length, as half of the lines that they are made of (solver odd_row). */
bool fg_work_odd_row(const fg_work *w);

/* The same of rows of prime length that butterflies do not do, or not as well, as real convolutions (solver real_prime). */
bool fg_work_prime_row(const fg_work *w);

/* A pass with one line of w's only dimension and w's loops and factors; geometry not yet chosen. */
fg_pass fg_pass_of(const fg_work *w);

/* Of lines that are columns on both sides, next to others on either: cut the two loops (crossed.c), where they can be. */
void fg_pass_cross(fg_pass *p);

/* The same; a row that is a line of half as many points then (fg_work_half_line) has those. */
fg_pass fg_pass_of_line(const fg_work *w);

/* The same with a whole box of w's two or three dimensions. */
fg_pass fg_pass_of_box(const fg_work *w, enum fg_family);

/* The loop that lines lie closest together in goes innermost, by the output first, since a partly written sector costs more than
 * a partly read one; loops that continue each other become one.  How many are left. */
int fg_loops_tidy(fg_loop *loop, int count);

/* One side of p is of reals, in rows of so many, the other of half of their spectra along the last dimension. */
void fg_pass_set_real(fg_pass *p, bool forward, ptrdiff_t row);

/* Add a pass to the list, priced; false if the list is full, or reaches the limit, or the pass would write what other blocks
 * have yet to read. */
bool fg_passes_add(const fg_planner *, fg_passes *, const fg_pass *);

/* With what costs so much more the list reaches the limit. */
bool fg_passes_hopeless(const fg_planner *, const fg_passes *, double more);

/* fg_passes_add with the geometry chosen first; false also if there is none, or the limit is out of reach without one. */
bool fg_passes_choose(const fg_planner *, fg_passes *, fg_pass *);

/* Let scratch array a hold at least elements complex numbers. */
void fg_passes_need(fg_passes *, enum fg_array a, ptrdiff_t elements);

/* Only as many passes as there are: lists are copied often while solvers are compared. */
void fg_passes_copy(fg_passes *to, const fg_passes *from);

/* Divisors of n worth trying as the first factor of a hierarchical transform: those the butterflies can do, the
 * nearest to the root first (two passes balance), then the nearest to the cube root (three).  Returns how many. */
enum { FG_MAX_FACTORS = 6 };
int fg_hierarchical_factors(ptrdiff_t n, enum fg_precision, ptrdiff_t list[FG_MAX_FACTORS]);

/* Solver hierarchical's ways: n1, which divides the length, the columns' of the first pass. */
bool fg_hierarchical_lower_split(const fg_planner *, const fg_work *w, ptrdiff_t n1, fg_passes *);

/* The cheapest of a way to cut w's length in two, at any of the factors above; of long rows rather two passes than three. */
bool fg_hierarchical_lower_by(const fg_planner *, const fg_work *w, fg_way way, fg_passes *);

/* Only tests set these: solver strip does parts of rows of any length, four_step planes with a twiddle that were not measured. */
extern bool fg_strip_short_rows, fg_cut_any_twiddled;

/* Solver overlap's ways: n1 points of the last dimension but one, which it divides, in the pass that has the last one,
 * the first (c2r: the second). */
extern double fg_overlap_caches; /* only for data larger than so many times the device's L2; tests take 0 */
bool fg_overlap_lower_split(const fg_planner *, const fg_work *w, ptrdiff_t n1, fg_passes *);

/* Solver relay's ways: a·FG_RELAY_MIDDLE + b, where the first pass has a points of the middle dimension, which it divides, and
 * the second b of the slowest. */
enum { FG_RELAY_MIDDLE = 1 << 16 };
bool fg_relay_lower_split(const fg_planner *, const fg_work *w, ptrdiff_t digits, fg_passes *);

/* Solver rader adds up products of this line, or of its parts in a second pass, since nothing else rounds as well. */
bool fg_rader_sums(const fg_planner *, const fg_work *w);

/* Solver four_step's row or plane, cut in two where that is best; or such a row convolved with the work's filter. */
bool fg_cut_lower(const fg_planner *, const fg_work *w, fg_passes *);

/* Solver bluestein's ways: a convolution of length m in a tile (factor 0), in three passes of which the first and the last
 * have that factor of it, or (factor 1) as two transforms.  false if that cannot be, or is too short. */
enum { FG_IN_CLUSTER = 1 << 16 }; /* in place of a factor: whole in a cluster */
bool fg_bluestein_lower_at(const fg_planner *, const fg_work *w, ptrdiff_t m, ptrdiff_t factor, fg_passes *);

/* A work of rank 1 with dimension (n elements, strides is and os), from one form to another; kind becomes FG_DFT. */
void fg_work_set_forms(fg_work *w, enum fg_form from, enum fg_form to, fg_dim d);

/* Points of so many bytes from one row of n to the next where all but short ones are to begin with whole sectors of memory,
 * long ones with whole lines. */
ptrdiff_t fg_padded_row(ptrdiff_t n, size_t point);

/* Strides in scratch for count axes of n points, in the order of their strides in the array that is read; dense if point is 0,
 * else, of points of so many bytes, with padded rows along the innermost where all are fg_padded_from bytes and more (what is
 * smaller stays in the L2 until sectors are whole).  Returns the elements in all. */
typedef struct {
  ptrdiff_t n, in;
  long long out;
} fg_axis;
ptrdiff_t fg_lay_out(fg_axis *axes, int count, size_t point);
extern size_t fg_padded_from; /* only tests set it */

/* Where a solver that does one dimension after the other leaves the data between them: w's output; or, with scratch,
 * dense scratch of its layout, so that wide output is written by the last pass only.  between is w with that as its
 * output.  false if no scratch is left. */
bool fg_work_between(const fg_work *w, bool scratch, fg_work *between, fg_passes *);

/* Elements in all of w's loops together. */
ptrdiff_t fg_work_loop_size(const fg_work *w);

#endif
