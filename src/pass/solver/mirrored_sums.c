/* mirrored_sums.c: rows of an even or odd extension (REDFT00, RODFT00) of m·p elements, m even, p a prime, as sums of products, in
 * one pass.
 *
 * Such rows mirror themselves, so that each result is a sum of (p − 1)/2 real products: fewer than a convolution of p − 1 points
 * takes for complex ones, and it rounds as stock FFTW does, which adds up, too.  (How: cuda/kernel/mirrored_sums.h.)
 *
 * Primes from 29 on, in many parts, or in rows, from 17: of others half rows do as well (solver half_row).  To 257 or 193, in
 * double precision 167; beyond, convolutions do.  (165 problems on an H100, beside half rows, convolutions and chirps:
 * doc/measurements.md, Sums of mirrored rows.) */
#include "src/pass/geometry.h"
#include "src/pass/radices.h"
#include "src/pass/residues.h"
#include "src/pass/solver.h"

enum {
  SHORTEST = 17,
  ALWAYS = 29,
  LONGEST_OF_EVEN_HALVES = 193, /* of an even number of parts of half the row, which are convolved as such lines */
  MANY_PARTS = 10,
  MOST_PARTS = 32 /* which a thread has in registers */
};

static bool is_extension(const fg_work *w) {
  const bool alone = !w->twiddle && !w->load_table.kind && !w->store_table.kind;
  return w->rank == 1 && w->kind == FG_DFT && alone && fg_work_is_row(w) && fg_form_extends(w->from.form) &&
         w->to.form == w->from.form && fg_form_length(w->from.form, w->from.row) == w->dim[0].n;
}

/* One transform of the whole row, of which no two share a line. */
static fg_pass pass_of(const fg_work *w) {
  const ptrdiff_t prime = fg_largest_factor(w->dim[0].n);
  fg_pass p = fg_pass_of(w);
  p.pairs = false;
  p.data = p.n;
  p.n = prime - 1;
  p.parts = (int)(p.data / prime);
  p.sums = FG_SUMS_OF_MIRRORS;
  p.filter = (fg_table){.kind = FG_TABLE_RADER, .precision = w->precision, .n = prime, .length = p.n};
  return p;
}

static bool applicable(const fg_planner *planner, const fg_work *w) {
  enum { NEIGHBOURS = 8 }; /* lines that fill a sector */
  const ptrdiff_t n = w->rank == 1 ? w->dim[0].n : 0;
  const ptrdiff_t longest = fg_longest_mirrored_sum(w->precision);
  if (n > longest * MOST_PARTS || !is_extension(w)) return false; /* the former before it is factored */
  const ptrdiff_t prime = fg_largest_factor(n), parts = n / prime;
  if (parts > MOST_PARTS || parts % 2) return false; /* must: the kernel has no others */
  if (prime > longest || (parts % 4 == 0 && prime > LONGEST_OF_EVEN_HALVES)) return false; /* taste */
  const bool rows = w->dim[0].is == 1 && w->dim[0].os == 1;
  if (prime < ALWAYS && (prime < SHORTEST || (parts < MANY_PARTS && !(rows && parts > 2)))) return false; /* taste */
  fg_pass least = pass_of(w);
  least.lines = rows ? 1 : NEIGHBOURS;
  return fg_pass_is_whole(&least, FG_INPUT) && fg_pass_is_whole(&least, FG_OUTPUT) /* must: the kernel has no others */
         && fg_geometry_shared(&least) <= planner->device->shared_block;           /* must: there is room */
}

static bool lower(const fg_planner *planner, const fg_work *w, fg_passes *list) {
  fg_pass p = pass_of(w);
  return fg_passes_choose(planner, list, &p);
}

const fg_solver fg_solver_mirrored_sums = {"mirrored_sums", applicable, lower};
