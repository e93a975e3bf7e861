/* rader.c: a transform of prime length p as a cyclic convolution of length p − 1, in one pass.
 *
 *   X[g^−q] = x[0] + Σ_r x[g^r] · w^(g^(r − q)),   X[0] = Σ_j x[j],   w = exp(∓2πi/p), g a generator modulo p
 *
 * While p − 1 is smooth and fits a block: half the work of a convolution with a chirp, which needs a length of 2p − 1.
 * The tile is loaded and stored in order and permuted in shared memory (cuda/kernel/through.h).  Everything else about
 * the pass is as with any line: strides, twiddles, forms.  (Rader 1968.) */
#include "src/pass/geometry.h"
#include "src/pass/residues.h"
#include "src/pass/solver.h"

enum { LONGEST = 1 << 16 }; /* no block holds more */

static bool applicable(const fg_planner *planner, const fg_work *w) {
  (void)planner;
  if (w->rank != 1 || w->kind != FG_DFT) return false;
  const ptrdiff_t n = w->dim[0].n;
  return n <= LONGEST && n > FG_MAX_RADIX && fg_is_prime(n) /* must: all residues but 0 are powers of one */
         && fg_smooth(n - 1, w->precision);                 /* must: butterflies */
}

static bool lower(const fg_planner *planner, const fg_work *w, fg_passes *list) {
  fg_pass p = fg_pass_of(w);
  p.data = w->dim[0].n;
  p.n = p.data - 1;
  p.filter = (fg_table){.kind = FG_TABLE_RADER, .precision = w->precision, .n = p.data, .length = p.n};
  return fg_geometry_choose(&p, planner->device) && fg_passes_add(planner, list, &p);
}

const fg_solver fg_solver_rader = {"rader", applicable, lower};
