/* r2r_box.c: small two- and three-dimensional real to real transforms whole in a block: one pass where dimension after
 * dimension takes two or three.  Each line is one thread's, in registers (cuda/kernel/real_line.h), so that any kinds go
 * together. */
#include "src/pass/geometry.h"
#include "src/pass/radices.h"
#include "src/pass/solver.h"
#include "src/pass/tuned.h"

/* Longer lines are more than a thread's registers hold.  One more than a power of two, as REDFT00 has. */
static ptrdiff_t longest_line(enum fg_precision precision) {
  return precision == FG_SINGLE ? FG_LONGEST_LINE : FG_LONGEST_LINE / 2 + 1;
}

/* There are butterflies for it: of half of an even length, or of an odd one. */
static bool has_line(int kind, ptrdiff_t n, enum fg_precision precision) {
  if (kind < FG_KIND_R2HC || kind > FG_KIND_RODFT11 || n < 2 || n > longest_line(precision)) return false;
  if (kind != FG_KIND_REDFT00 && kind != FG_KIND_RODFT00)
    return n == 2 || fg_radix_either((int)(n % 2 ? n : n / 2), precision);
  ptrdiff_t period = fg_kind_length((enum fg_r2r_kind)kind, n);
  for (; period % 2 == 0; period /= 2)
    if (period > 4 && !has_line(FG_KIND_REDFT01, period / 2, precision)) return false;
  return period == 1 || fg_radix_either((int)period, precision);
}

static bool applicable(const fg_planner *planner, const fg_work *w) {
  (void)planner;
  if (w->kind != FG_R2R || w->rank < 2 || w->rank > FG_MAX_BOX) return false;
  if (w->load_table.kind || w->store_table.kind) return false; /* must: the kernel has none */
  for (int d = 0; d < w->rank; d++)
    if (!has_line(w->r2r_kind[d], w->dim[d].n, w->precision)) return false;
  return true;
}

static void add_stage(fg_pass *p, int d) {
  p->radix[p->stages] = (int)p->box[d].n;
  p->axis[p->stages++] = d;
}

void fg_r2r_box_order(fg_pass *p) {
  p->stages = 0;
  add_stage(p, 0);
  add_stage(p, p->dims - 1);
  if (p->dims == 3) add_stage(p, 1);
}

static fg_pass pass_of(const fg_work *w) {
  fg_pass p = fg_pass_of_box(w, FG_FAMILY_R2R_BOX);
  p.from.form = p.to.form = FG_FORM_REAL;
  p.from.row = p.to.row = w->dim[w->rank - 1].n;
  for (int d = 0; d < w->rank; d++) p.kind[d] = (enum fg_r2r_kind)w->r2r_kind[d];
  p.pitch = (int)p.from.row | 1;
  fg_r2r_box_order(&p);
  return p;
}

static bool lower(const fg_planner *planner, const fg_work *w, fg_passes *list) {
  fg_pass p = pass_of(w);
  if (fg_geometry_load_across(&p) || fg_geometry_store_across(&p)) return false; /* neighbours would not be side by side */
  if (fg_passes_hopeless(planner, list, fg_pass_least_cost(&p, planner->device))) return false;
  return fg_geometry_choose_r2r_box(&p, planner->device) && fg_passes_add(planner, list, &p);
}

const fg_solver fg_solver_r2r_box = {"r2r_box", applicable, lower};
