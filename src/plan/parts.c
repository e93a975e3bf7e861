/* parts.c: a batch in parts.  All parts are alike but perhaps the last, so there are two plans at most, which are
 * executed on arrays that lie further on each time. */
#include "src/plan/parts.h"

#include <math.h>
#include <stdlib.h>

#include "src/plan/handle.h"
#include "src/plan/wisdom.h"
#include "src/problem/layout.h"
#include "src/problem/span.h"
#include "src/run/host/transfer.h"

struct fg_parts {
  const fg_problem *whole;
  int batch;             /* the dimension of the batch that is cut */
  ptrdiff_t each, count; /* its points in a part; parts */
  fg_plan *alike, *last; /* last: the same, if it is no shorter */
  bool apart;            /* even in place no part touches what is another's */
  fg_layout in, out;     /* of the whole */
};

/* The outermost dimension in memory that has enough points. */
static int choose(const fg_problem *p, ptrdiff_t wanted) {
  int best = -1;
  for (int b = 0; b < p->batch.rank; b++) {
    if (p->batch.dim[b].n < wanted) continue;
    if (best < 0 || labs(p->batch.dim[b].is) > labs(p->batch.dim[best].is)) best = b;
  }
  return best;
}

static fg_plan *plan_part(const fg_problem *p, int batch, ptrdiff_t n) {
  fg_problem *part = fg_problem_copy(p);
  if (!part) return NULL;
  part->batch.dim[batch].n = n;
  if (part->flags & FG_WISDOM_ONLY) fg_wisdom_learn(part); /* which knows the whole */
  void *plan = fg_plan_create(part);
  const bool ours = plan && fg_plan_is_ours(plan);
  if (ours && fg_plan_state(plan) == FG_STATE_DEVICE) return plan;
  if (ours) fg_plan_destroy(plan);
  else if (plan) fg_host_of(p->precision)->destroy(plan);
  return NULL;
}

/* The dimension of the batch to be cut into so many parts; -1: there is none. */
static int cut(const fg_problem *p, double parts) {
  return parts < (double)fg_tensor_size(&p->batch) ? choose(p, (ptrdiff_t)parts) : -1;
}

double fg_parts_most(double data, double fixed, double limit) {
  const double most = fmin(limit / 2, limit - fixed);
  return most > 0 && most < data ? most : 0;
}

bool fg_parts_possible(const fg_problem *p, double need, double most) { return cut(p, ceil(need / most)) >= 0; }

fg_parts *fg_parts_create(const fg_problem *p, double need, double most) {
  const double wanted = ceil(need / most);
  const int batch = cut(p, wanted);
  fg_parts *s = batch >= 0 ? calloc(1, sizeof *s) : NULL;
  if (!s) return NULL;
  const ptrdiff_t n = p->batch.dim[batch].n;
  s->batch = batch;
  s->apart = fg_span_apart(p, batch);
  s->each = (n + (ptrdiff_t)wanted - 1) / (ptrdiff_t)wanted;
  if ((double)s->each * need / (double)n > most && s->each > 1) s->each--; /* rounded up over the limit */
  s->count = (n + s->each - 1) / s->each;
  s->whole = p;
  const bool laid_out = fg_layout_make(&s->in, p, FG_INPUT) && fg_layout_make(&s->out, p, FG_OUTPUT);
  s->alike = laid_out ? plan_part(p, batch, s->each) : NULL;
  s->last = n % s->each && s->alike ? plan_part(p, batch, n % s->each) : s->alike;
  if (s->last) return s;
  fg_parts_destroy(s);
  return NULL;
}

void fg_parts_destroy(fg_parts *s) {
  if (!s) return;
  if (s->last && s->last != s->alike) fg_plan_destroy(s->last);
  if (s->alike) fg_plan_destroy(s->alike);
  fg_layout_free(&s->in);
  fg_layout_free(&s->out);
  free(s);
}

int fg_parts_count(const fg_parts *s) { return (int)s->count; }

const fg_plan *fg_parts_plan(const fg_parts *s, int n) { return n + 1 < s->count ? s->alike : s->last; }

/* ---- execution ---- */

bool fg_parts_execute(const fg_parts *s, const fg_arrays *a) {
  if (fg_transfer_overlap(&s->in, &s->out, a) && !(s->apart && fg_problem_in_place(a))) return false;
  for (ptrdiff_t i = 0; i < s->count; i++) {
    const fg_arrays part = fg_problem_arrays_from(s->whole, a, s->batch, i * s->each);
    fg_plan_execute(i < s->count - 1 ? s->alike : s->last, &part);
  }
  return true;
}
