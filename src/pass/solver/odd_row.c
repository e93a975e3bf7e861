/* odd_row.c: rows of odd composite length n = r·m of real data, in one pass, as (r + 1)/2 of the r lines of length m
 * that they are made of.
 *
 *   X[k₁ + r·k₂] = Σ_b w^(b·k₁) · exp(−2πi·b·k₂/m) · Σ_a x[b + a·m] · exp(−2πi·a·k₁/r),   w = exp(−2πi/n), b < m
 *
 * The inner sums are butterflies of reals, so that those of k₁ and r − k₁ are conjugates, and so are the bins that they
 * lead to: lines k₁ ≤ r/2 have everything.  Backwards the same with bins first, butterflies to reals last.  Arithmetic
 * and tile are (r + 1)/2r of a line with no imaginary part; rows are not mixed.  (Sorensen, Jones, Heideman, Burrus,
 * Real-valued fast Fourier transform algorithms, 1987; kernel: cuda/kernel/odd_row.h.) */
#include "src/pass/solver.h"

static bool applicable(const fg_planner *planner, const fg_work *w) {
  (void)planner;
  return fg_work_odd_row(w);
}

static bool lower(const fg_planner *planner, const fg_work *w, fg_passes *list) {
  fg_pass p = fg_pass_of(w);
  p.odd_row = true; /* p.n follows from the radices */
  return fg_passes_choose(planner, list, &p);
}

const fg_solver fg_solver_odd_row = {"odd_row", applicable, lower};
