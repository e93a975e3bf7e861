/* replay_results.c: one replay writes results of its transforms to a file, the next reads them and compares its own. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/types.h>

#include "src/cli/replay.h"
#include "src/problem/layout.h"

static const double most_bytes = 4e9;

static size_t bytes_of(const fg_replay_result_head *h) { return (size_t)h->count * fg_real_size(h->precision); }

static double at(const fg_replay_result_head *h, const void *reals, ptrdiff_t i) {
  return h->precision == FG_SINGLE ? (double)((const float *)reals)[i] : ((const double *)reals)[i];
}

static double difference(const fg_replay_result_head *h, const void *a, const void *b) {
  double square = 0, norm = 0;
  for (ptrdiff_t i = 0; i < h->count; i++) {
    const double x = at(h, a, i), y = at(h, b, i);
    square += (x - y) * (x - y);
    norm += y * y;
  }
  return norm > 0 ? sqrt(square / norm) : sqrt(square);
}

/* Whether the other replay kept a result of that execution too: one of them may have had no plan, or counted otherwise since. */
static bool find(fg_replay_results *r, const fg_replay_result_head *mine) {
  fg_replay_result_head *const next = &r->next;
  while (!r->ended && next->execution < mine->execution) {
    const bool skipped = fseeko(r->file, (off_t)bytes_of(next), SEEK_CUR) == 0;
    r->ended = !skipped || fread(next, sizeof *next, 1, r->file) != 1;
  }
  return !r->ended && next->execution == mine->execution && next->count == mine->count;
}

static void compare_with(fg_replay_results *r, const fg_replay_result_head *mine, const void *result, fg_replay_row *row) {
  void *theirs = malloc(bytes_of(mine));
  if (theirs && find(r, mine)) {
    r->ended = fread(theirs, 1, bytes_of(mine), r->file) != bytes_of(mine);
    r->next.count = 0;
    const double d = r->ended ? 0 : difference(mine, result, theirs);
    if (!isnan(row->difference) && !(d <= row->difference)) row->difference = d; /* no number stays */
    row->compared += !r->ended;
  }
  free(theirs);
}

static void keep(fg_replay_results *r, const fg_replay_result_head *head, const void *result) {
  r->ended = fwrite(head, sizeof *head, 1, r->file) != 1 ||
             fwrite(result, 1, bytes_of(head), r->file) != bytes_of(head);
  if (r->ended) r->failed = errno;
}

int fg_replay_results_end(fg_replay_results *r) {
  if (r->file && !r->compare && !r->failed && fflush(r->file)) r->failed = errno;
  return r->failed;
}

double fg_replay_wrong(const fg_replay_row *row) {
  return row->precision == FG_SINGLE || row->single ? 1e-4 : 1e-12;
}

bool fg_replay_result_wanted(const fg_replay_results *r, const fg_replay_row *row, const fg_problem *p) {
  const bool power_of_two = (row->called & (row->called - 1)) == 0;
  return r->file && !r->ended && power_of_two && fg_tensor_size(&p->batch) > 0 && !fg_problem_undefined(p);
}

/* The numbers as they are in the arrays, whatever they were computed in. */
static bool make_layout(fg_layout *l, const fg_problem *p) {
  fg_problem plain = *p;
  plain.compute = plain.precision;
  return fg_layout_make(l, &plain, FG_OUTPUT);
}

void fg_replay_result(fg_replay_results *r, fg_replay_row *row, const fg_problem *p, const char *re, const char *im) {
  fg_layout l;
  if (!make_layout(&l, p)) return;
  const size_t plane = (size_t)l.elements * (size_t)l.unit;
  const fg_replay_result_head head = {r->execution, p->precision, (ptrdiff_t)(l.split ? 2 * plane : plane)};
  char *image = malloc(bytes_of(&head) + 1);
  r->bytes += (double)bytes_of(&head);
  if (image && r->bytes <= most_bytes) {
    fg_layout_gather(&l, re, 0, l.elements, image);
    if (l.split) fg_layout_gather(&l, im, 0, l.elements, image + bytes_of(&head) / 2);
    if (r->compare) compare_with(r, &head, image, row);
    else keep(r, &head, image);
  }
  free(image);
  fg_layout_free(&l);
}
