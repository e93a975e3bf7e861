/* half_row.c: rows of even length of real data, or extended to it (REDFT00, RODFT00), each as a line of half as many
 * complex points of its own: one pass.
 *
 * Bins k and n/2 − k of a row are made of points k and n/2 − k of its line (cuda/kernel/half.h) in the registers of the
 * last stage, where both are one thread's, or backwards in those of the first (cuda/kernel/half_row.h).  Half of the
 * arithmetic of a line with no imaginary part, and rows twice as long fit a block.  (Cooley, Lewis, Welch, The fast
 * Fourier transform algorithm: programming considerations in the calculation of sine, cosine and Laplace transforms,
 * 1970.) */
#include "src/pass/solver.h"

static bool applicable(const fg_planner *planner, const fg_work *w) {
  return fg_work_half_row(w) && !fg_solver_mirrored_sums.applicable(planner, w); /* taste: that does better */
}

static bool lower(const fg_planner *planner, const fg_work *w, fg_passes *list) {
  fg_pass p = fg_pass_of(w);
  p.half_row = true;
  p.n = p.data = w->dim[0].n / 2;
  return fg_passes_choose(planner, list, &p);
}

const fg_solver fg_solver_half_row = {"half_row", applicable, lower};
