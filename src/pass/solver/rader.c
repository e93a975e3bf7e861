/* rader.c: a transform of prime length p, or a small multiple of it, as a cyclic convolution of length p − 1, in one
 * pass.
 *
 *   X[g^−q] = x[0] + Σ_r x[g^r] · w^(g^(r − q)),   X[0] = Σ_j x[j],   w = exp(∓2πi/p), g a generator modulo p
 *
 * While p − 1 is smooth, without a prime beyond 32 where a chirp can be, and fits a block: half the work of a convolution
 * with a chirp, which needs a length of 2p − 1.  A row of real data of even length is a line of half as many points (solver
 * half_row), but some extensions, and rows that share lines.
 * A multiple m·p, of many rows m up to 32, is the two-dimensional transform of m by p (Good 1958) in the same tile.
 * Memory is reached in its own order; what is permuted is the tile (cuda/kernel/through.h).  Everything else about the pass
 * is as with any line: strides, twiddles, forms.  (Rader 1968.)
 *
 * Or, where a convolution rounds too much, with p's transform as sums of products (cuda/kernel/sums.h): of lines that do not mirror
 * themselves (solver mirrored_sums). */
#include "src/pass/radices.h"
#include "src/pass/residues.h"
#include "src/pass/solver.h"

enum { LONGEST = 1 << 16 }; /* no block holds more */

/* A thread has a point of each part.  (37 to 53 parts of 67 to 127 points in two passes instead: seven rows of 2701 to 5207 points
 * 1.23 times as fast in the mean on an H100, all faster; of three of real data two as fast, one 1.5 times slower.) */
enum { MOST_PARTS = 32 };

/* Of an even or odd extension by an odd multiple of a prime stock FFTW adds up real products, half as many as there are
 * points: a convolution has up to 1.37 times its error in double precision (sim; on an H200 1.29; in single precision, of
 * the primes themselves, and of larger ones, 1.2 and less), sums have up to 1.05 (doc/measurements.md, Accuracy). */
static bool rounds_as_sums(const fg_work *w, ptrdiff_t prime) {
  enum { LONGEST_SUMMED = 83 };
  const fg_place *const side = fg_form_extends(w->to.form) ? &w->to : &w->from;
  if (w->precision == FG_SINGLE || prime > LONGEST_SUMMED || !fg_form_extends(side->form)) return false;
  const ptrdiff_t multiple = fg_form_length(side->form, side->row) / 2 / prime;
  return multiple > 1 && multiple % 2;
}

/* Its tables would take the place of a twiddle or of others; and it rounds more than sums. */
static bool chirp_is_none(const fg_work *w, ptrdiff_t prime) {
  return w->twiddle || w->load_table.kind || w->store_table.kind || rounds_as_sums(w, prime);
}

/* A pass for the parts, then one for the primes: as measured, of many rows in single precision; not where it is a part of a cut
 * itself. */
static bool does_well_in_two(const fg_planner *planner, const fg_work *w, ptrdiff_t prime) {
  const bool rows = w->dim[0].is == 1 && w->dim[0].os == 1 && fg_work_loop_size(w) >= 4 * planner->device->multiprocessors;
  return planner->splits == 0 && rows && w->precision == FG_SINGLE && !fg_work_has_form(w) && !chirp_is_none(w, prime);
}

static bool applicable(const fg_planner *planner, const fg_work *w) {
  if (w->rank != 1 || w->kind != FG_DFT || fg_work_line(w) > LONGEST) return false;
  const ptrdiff_t n = fg_work_line(w), p = fg_largest_factor(n);
  if (fg_solver_mirrored_sums.applicable(planner, w)) return false; /* taste: half of the work, and it rounds less */
  return !fg_smooth(p, w->precision)                                 /* taste: a butterfly does better */
         && fg_smooth(p - 1, w->precision)                           /* must: butterflies */
         && (fg_radices_permute(p - 1) || chirp_is_none(w, p))       /* taste: it does better */
         && (n == p || fg_radix_exists((int)(n / p), w->precision))  /* must: one across the parts, coprime to p */
         && (n / p <= MOST_PARTS || !does_well_in_two(planner, w, p)); /* taste: that does better */
}

bool fg_rader_sums(const fg_planner *planner, const fg_work *w) {
  if (w->rank != 1 || w->kind != FG_DFT || w->precision == FG_SINGLE || w->dim[0].n > LONGEST) return false;
  const ptrdiff_t n = w->dim[0].n, prime = fg_largest_factor(n); /* in n steps: not of long ones */
  if (fg_smooth(prime, w->precision) || !rounds_as_sums(w, prime)) return false;
  const bool in_two = planner->splits == 0 && !w->twiddle && w->loops < FG_MAX_LOOPS; /* of which the second has the prime */
  return applicable(planner, w) || (in_two && n / prime <= FG_MAX_RADIX && fg_smooth(n / prime, w->precision));
}

static bool lower(const fg_planner *planner, const fg_work *w, fg_passes *list) {
  fg_pass p = fg_pass_of_line(w);
  const ptrdiff_t prime = fg_largest_factor(p.data);
  p.n = prime - 1;
  p.parts = prime < p.data ? (int)(p.data / prime) : 0;
  p.sums = rounds_as_sums(w, prime) ? FG_SUMS_OF_LINES : FG_SUMS_NONE;
  p.filter = (fg_table){.kind = FG_TABLE_RADER, .precision = w->precision, .n = prime, .length = p.n};
  return fg_passes_choose(planner, list, &p);
}

const fg_solver fg_solver_rader = {"rader", applicable, lower};
