/* replay_results.c: one replay writes results of its transforms to a file, the next reads them and compares its own. */
#include <math.h>
#include <stdlib.h>

#include "src/cli/replay.h"
#include "src/problem/layout.h"

static const double most_bytes = 4e9;

typedef struct {
  int row;
  long execution;
  ptrdiff_t count; /* floats that follow */
} result_head;

static double difference(const float *a, const float *b, ptrdiff_t count) {
  double square = 0, norm = 0;
  for (ptrdiff_t i = 0; i < count; i++) {
    square += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
    norm += (double)b[i] * b[i];
  }
  return norm > 0 ? sqrt(square / norm) : sqrt(square);
}

static void compare_with(fg_replay_results *r, const result_head *mine, const float *result, fg_replay_row *row) {
  result_head head;
  float *theirs = malloc((size_t)mine->count * sizeof *theirs);
  const bool same = theirs && fread(&head, sizeof head, 1, r->file) == 1 && head.row == mine->row &&
                    head.execution == mine->execution && head.count == mine->count &&
                    fread(theirs, sizeof *theirs, (size_t)head.count, r->file) == (size_t)head.count;
  if (same) {
    const double d = difference(result, theirs, mine->count);
    if (!isnan(row->difference) && !(d <= row->difference)) row->difference = d; /* no number stays */
    row->compared++;
  }
  r->ended = !same; /* one of the two has no plan where the other has */
  free(theirs);
}

static void keep(fg_replay_results *r, const result_head *head, const float *result) {
  r->ended = fwrite(head, sizeof *head, 1, r->file) != 1 ||
             fwrite(result, sizeof *result, (size_t)head->count, r->file) != (size_t)head->count;
}

bool fg_replay_result_wanted(const fg_replay_results *r, const fg_replay_row *row, const fg_problem *p) {
  const bool power_of_two = (row->executes & (row->executes - 1)) == 0;
  return r->file && !r->ended && power_of_two && fg_tensor_size(&p->batch) > 0 && !fg_problem_undefined(p);
}

void fg_replay_result(fg_replay_results *r, int number, fg_replay_row *row, const fg_problem *p, const char *re,
                      const char *im) {
  fg_layout l;
  if (!fg_layout_make(&l, p, FG_OUTPUT)) return;
  const size_t plane = (size_t)l.elements * (size_t)l.unit;
  const result_head head = {number, row->executes, (ptrdiff_t)(l.split ? 2 * plane : plane)};
  float *image = malloc((size_t)(head.count + 1) * sizeof *image);
  r->bytes += (double)head.count * sizeof *image;
  if (image && r->bytes <= most_bytes) {
    fg_layout_gather(&l, re, 0, l.elements, image);
    if (l.split) fg_layout_gather(&l, im, 0, l.elements, image + plane);
    if (r->compare) compare_with(r, &head, image, row);
    else keep(r, &head, image);
  }
  free(image);
  fg_layout_free(&l);
}
