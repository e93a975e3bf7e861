/* solver.c: the table of solvers, and what they share. */
#include "src/pass/solver.h"

#include <stdlib.h>
#include <string.h>

const fg_solver *const fg_solvers[] = {&fg_solver_copy,         &fg_solver_tile,      &fg_solver_box, &fg_solver_dimensions,
                                       &fg_solver_hierarchical, &fg_solver_bluestein, NULL};

ptrdiff_t fg_work_loop_size(const fg_work *w) {
  ptrdiff_t size = 1;
  for (int d = 0; d < w->loops; d++) size *= (ptrdiff_t)w->loop[d].n;
  return size;
}

static int by_place(const void *a, const void *b) {
  const fg_loop *x = a, *y = b;
  const long long xo = llabs(x->out), yo = llabs(y->out), xi = llabs(x->in), yi = llabs(y->in);
  if (xo != yo) return (xo > yo) - (xo < yo);
  return (xi > yi) - (xi < yi);
}

/* outer continues inner in every respect: they are one loop. */
static bool continues(const fg_loop *inner, const fg_loop *outer) {
  const long long n = inner->n;
  return outer->in == n * inner->in && outer->out == n * inner->out && outer->twiddle == n * inner->twiddle &&
         outer->load == n * inner->load && outer->store == n * inner->store;
}

/* The loop that lines lie closest together in goes innermost, by the output first, since a partly written sector costs more
 * than a partly read one; loops that continue each other become one. */
static void tidy_loops(fg_pass *p) {
  qsort(p->loop, (size_t)p->loops, sizeof *p->loop, by_place);
  int kept = 0;
  for (int d = 0; d < p->loops; d++) {
    if (p->loop[d].n == 1) continue;
    if (kept && continues(&p->loop[kept - 1], &p->loop[d])) p->loop[kept - 1].n *= p->loop[d].n;
    else p->loop[kept++] = p->loop[d];
  }
  p->loops = kept;
}

fg_pass fg_pass_of(const fg_work *w) {
  fg_pass p = {.precision = w->precision, .sign = w->sign, .from = w->from, .to = w->to, .n = 1};
  if (w->rank > 0) {
    p.n = w->dim[0].n;
    p.in = w->dim[0].is;
    p.out = w->dim[0].os;
  }
  p.data = p.n;
  p.loops = w->loops;
  for (int d = 0; d < w->loops; d++) p.loop[d] = w->loop[d];
  tidy_loops(&p);
  p.load_table = w->load_table;
  p.store_table = w->store_table;
  p.load_weight = w->load_weight;
  p.store_weight = w->store_weight;
  p.load_limit = w->load_limit;
  p.store_limit = w->store_limit;
  p.twiddle = w->twiddle;
  return p;
}

bool fg_passes_add(const fg_planner *planner, fg_passes *list, const fg_pass *p) {
  if (list->count == FG_MAX_PASSES) return false;
  list->pass[list->count++] = *p;
  list->cost += fg_pass_cost(p, planner->device);
  return true;
}

void fg_passes_copy(fg_passes *to, const fg_passes *from) {
  memcpy(to, from, offsetof(fg_passes, pass) + (size_t)from->count * sizeof *from->pass);
}

void fg_passes_need(fg_passes *list, enum fg_array a, ptrdiff_t elements) {
  ptrdiff_t *const need = &list->scratch[a - FG_ARRAY_SCRATCH0];
  if (*need < elements) *need = elements;
}
