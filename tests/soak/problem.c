/* problem.c: random problems of FFTW's guru interface. */
#define _GNU_SOURCE
#include "tests/soak/problem.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- stock FFTW and whoever stands before it ---- */

typedef struct {
  fftwf_plan (*dft)(int, const fftwf_iodim64 *, int, const fftwf_iodim64 *, fftwf_complex *, fftwf_complex *, int,
                    unsigned);
  fftwf_plan (*split_dft)(int, const fftwf_iodim64 *, int, const fftwf_iodim64 *, float *, float *, float *, float *,
                          unsigned);
  fftwf_plan (*r2c)(int, const fftwf_iodim64 *, int, const fftwf_iodim64 *, float *, fftwf_complex *, unsigned);
  fftwf_plan (*c2r)(int, const fftwf_iodim64 *, int, const fftwf_iodim64 *, fftwf_complex *, float *, unsigned);
  fftwf_plan (*r2r)(int, const fftwf_iodim64 *, int, const fftwf_iodim64 *, float *, float *, const fftwf_r2r_kind *,
                    unsigned);
  void (*execute)(const fftwf_plan);
  void (*destroy)(fftwf_plan);
} planners;

static const planners linked = {fftwf_plan_guru64_dft,     fftwf_plan_guru64_split_dft, fftwf_plan_guru64_dft_r2c,
                                fftwf_plan_guru64_dft_c2r, fftwf_plan_guru64_r2r,       fftwf_execute,
                                fftwf_destroy_plan};
static planners stock;

bool problem_find_stock(void) {
  static const char *const names[] = {
      "fftwf_plan_guru64_dft", "fftwf_plan_guru64_split_dft", "fftwf_plan_guru64_dft_r2c", "fftwf_plan_guru64_dft_c2r",
      "fftwf_plan_guru64_r2r", "fftwf_execute", "fftwf_destroy_plan"};
  void *library = dlopen("libfftw3f.so.3", RTLD_NOW | RTLD_LOCAL);
  void **at = (void **)&stock;
  for (size_t i = 0; library && i < sizeof names / sizeof *names; i++) at[i] = dlsym(library, names[i]);
  return library && stock.destroy;
}

static fftwf_plan plan_by(const planners *by, const problem *p, const arrays *a, unsigned flags) {
  float *const in = a->side[0] + p->start[0], *const out = a->side[1] + p->start[1];
  fftwf_complex *const cin = (fftwf_complex *)in, *const cout = (fftwf_complex *)out;
  switch (p->kind) {
    case C2C: return by->dft(p->rank, p->dim, p->batch_rank, p->batch, cin, cout, p->sign, flags);
    case SPLIT:
      return by->split_dft(p->rank, p->dim, p->batch_rank, p->batch, in, in + p->floats[0], out, out + p->floats[1],
                           flags);
    case R2C: return by->r2c(p->rank, p->dim, p->batch_rank, p->batch, in, cout, flags);
    case C2R: return by->c2r(p->rank, p->dim, p->batch_rank, p->batch, cin, out, flags);
    default: return by->r2r(p->rank, p->dim, p->batch_rank, p->batch, in, out, p->r2r, flags);
  }
}

fftwf_plan problem_plan(const problem *p, const arrays *a, unsigned flags) { return plan_by(&linked, p, a, flags); }

bool problem_is_planned(const problem *p, const arrays *a, unsigned flags) {
  const fftwf_plan plan = plan_by(&stock, p, a, flags);
  if (plan) stock.destroy(plan);
  return plan;
}

void problem_execute(const problem *p, fftwf_plan plan, const arrays *a, bool new_array) {
  float *const in = a->side[0] + p->start[0], *const out = a->side[1] + p->start[1];
  if (!new_array) {
    fftwf_execute(plan);
    return;
  }
  switch (p->kind) {
    case C2C: fftwf_execute_dft(plan, (fftwf_complex *)in, (fftwf_complex *)out); break;
    case SPLIT: fftwf_execute_split_dft(plan, in, in + p->floats[0], out, out + p->floats[1]); break;
    case R2C: fftwf_execute_dft_r2c(plan, in, (fftwf_complex *)out); break;
    case C2R: fftwf_execute_dft_c2r(plan, (fftwf_complex *)in, out); break;
    default: fftwf_execute_r2r(plan, in, out);
  }
}

/* ---- layouts ---- */

/* Floats of an element of that side (0: input, 1: output). */
static int unit(const problem *p, int side) { return p->kind == C2C || p->kind == (side ? R2C : C2R) ? 2 : 1; }

static bool halved(const problem *p, int side) { return p->kind == (side ? R2C : C2R); }

int problem_planes(const problem *p) { return p->kind == SPLIT ? 2 : 1; }

static fftwf_iodim64 *dimension(problem *p, int d) {
  return d < p->batch_rank ? &p->batch[d] : &p->dim[d - p->batch_rank];
}

static ptrdiff_t points(const problem *p, int d, int side) {
  const ptrdiff_t n = d < p->batch_rank ? p->batch[d].n : p->dim[d - p->batch_rank].n;
  return d >= p->batch_rank && d == p->batch_rank + p->rank - 1 && halved(p, side) ? n / 2 + 1 : n;
}

static void set_stride(problem *p, int d, int side, ptrdiff_t stride) {
  *(side ? &dimension(p, d)->os : &dimension(p, d)->is) = stride;
}

/* In memory from the last dimension to the first, or in any order, and with gaps. */
enum layout { DENSE, PERMUTED, WILD };

static void lay_out(problem *p, dice *d, int side, enum layout layout) {
  const int count = p->batch_rank + p->rank;
  int order[RANK + BATCH_RANK];
  ptrdiff_t taken = 1;
  for (int i = 0; i < count; i++) {
    const int other = layout != DENSE ? (int)dice_between(d, 0, i) : i;
    order[i] = order[other];
    order[other] = count - 1 - i;
  }
  for (int i = 0; i < count; i++) {
    const ptrdiff_t step = taken + (layout == WILD && dice_one_in(d, 3) ? dice_between(d, 1, 3) : 0);
    set_stride(p, order[i], side, step);
    taken = step * points(p, order[i], side);
  }
  p->floats[side] = (size_t)(taken * unit(p, side));
}

/* In place, with the rows of reals as long as those of the spectrum. */
static void lay_out_padded(problem *p) {
  const int spectrum = p->kind == R2C, reals = !spectrum, last = p->batch_rank + p->rank - 1;
  lay_out(p, NULL, spectrum, DENSE);
  for (int d = 0; d < last; d++) {
    const fftwf_iodim64 *at = dimension(p, d);
    set_stride(p, d, reals, 2 * (ptrdiff_t)(spectrum ? at->os : at->is));
  }
  set_stride(p, last, reals, 1);
  p->floats[reals] = p->floats[spectrum];
}

static void copy_layout(problem *p) {
  for (int i = 0; i < p->batch_rank + p->rank; i++) dimension(p, i)->os = dimension(p, i)->is;
  p->floats[1] = p->floats[0];
}

static void choose_layout(problem *p, dice *d) {
  const bool wild = dice_one_in(d, 3);
  if (p->in_place && (p->kind == R2C || p->kind == C2R)) {
    lay_out_padded(p);
    return;
  }
  lay_out(p, d, 0, wild ? WILD : DENSE);
  lay_out(p, d, 1, wild && !p->in_place ? WILD : DENSE);
  if (p->in_place) copy_layout(p);
}

static void turn_one(problem *p, int i, int side) {
  const ptrdiff_t stride = side ? dimension(p, i)->os : dimension(p, i)->is;
  set_stride(p, i, side, -stride);
  p->start[side] += (size_t)(stride * (points(p, i, side) - 1) * unit(p, side));
}

/* Some dimensions are walked through from their end, on both sides. Where it is on one only, where it is one of several of the
 * transform's, or one of half a spectrum, FFTW 3.3.10 may not come to an end of planning (c2c of 41:-72:-72 72:1:1, in place;
 * r2c of 2:-2:2 2:-1:1 *36:4:4). */
static void turn(problem *p, dice *d) {
  const bool simple = p->rank < 2 && unit(p, 0) == unit(p, 1);
  for (int i = 0; i < p->batch_rank + (simple ? p->rank : 0); i++) {
    if (!dice_one_in(d, 2)) continue;
    turn_one(p, i, 0);
    turn_one(p, i, 1);
  }
}

/* Two arrays of equally large elements, of which each has one where the other has a gap. */
static void weave(problem *p) {
  p->in_place = true;
  for (int side = 0; side < 2; side++)
    for (int i = 0; i < p->batch_rank + p->rank; i++)
      set_stride(p, i, side, 2 * (ptrdiff_t)(side ? dimension(p, i)->os : dimension(p, i)->is));
  p->start[0] *= 2;
  p->start[1] = 2 * p->start[1] + (size_t)unit(p, 1);
  p->floats[0] = p->floats[1] = 2 * (p->floats[0] > p->floats[1] ? p->floats[0] : p->floats[1]);
}

/* Also what few programs do: backwards, woven, in place at permuted places (complex only: FFTW 3.3.10 makes NaN of r2r of 7007:1:36
 * 36:7007:1 with RODFT00 and REDFT10). */
static void choose_any_layout(problem *p, dice *d) {
  const bool alike = unit(p, 0) == unit(p, 1), permuted = p->in_place && p->kind <= SPLIT && dice_one_in(d, 4);
  choose_layout(p, d);
  if (permuted)
    for (int side = 0; side < 2; side++) lay_out(p, d, side, PERMUTED);
  if (!dice_one_in(d, 3) || (p->in_place && (!alike || permuted))) return;
  turn(p, d);
  if (!p->in_place && alike && dice_one_in(d, 3)) weave(p);
}

/* at: floats. */
static void mark(problem *p, int side, enum owner owner, int d, ptrdiff_t at) {
  if (d == p->batch_rank + p->rank) {
    memset(&p->owner[at], owner, (size_t)unit(p, side));
    return;
  }
  const fftwf_iodim64 *dim = dimension(p, d);
  for (ptrdiff_t i = 0; i < points(p, d, side); i++)
    mark(p, side, owner, d + 1, at + i * (ptrdiff_t)(side ? dim->os : dim->is) * unit(p, side));
}

/* ---- making ---- */

/* Lengths of every sort: a few kernels serve many problems. */
static const int lengths[] = {1,   2,   3,   4,   5,   7,    8,    12,   15,   16,   19,
                              24,  30,  32,  37,  48,  60,   64,   100,  128,  139,  210,
                              256, 360, 512, 1009, 1024, 2048, 4096, 6561, 10000, 65536, 262144};

/* As likely between 10 and 20 as between 10000 and 20000; half of them with factors to 13 alone. */
static ptrdiff_t any_length(dice *d, ptrdiff_t most) {
  ptrdiff_t n = (ptrdiff_t)exp((dice_real(d) + 1) / 2 * log((double)most + 1));
  n = n < 1 ? 1 : n > most ? most : n;
  for (bool smooth = dice_one_in(d, 2); smooth; n--) {
    ptrdiff_t rest = n;
    for (int f = 2; f <= 13; f++)
      while (rest % f == 0) rest /= f;
    if (rest == 1) break;
  }
  return n;
}

static ptrdiff_t length(dice *d, ptrdiff_t most) {
  int count = 0;
  while (count < (int)(sizeof lengths / sizeof *lengths) && lengths[count] <= most) count++;
  return lengths[dice_between(d, 0, count - 1)];
}

static void choose_sizes(problem *p, dice *d, ptrdiff_t left, bool any) {
  p->rank = (int)(any ? dice_between(d, dice_one_in(d, 8) ? 0 : 1, RANK) : dice_between(d, 1, RANK - 1));
  p->batch_rank = (int)dice_between(d, 0, BATCH_RANK);
  for (int i = 0; i < p->rank; i++) {
    p->dim[i].n = (int)(any ? any_length(d, left) : length(d, p->rank > 1 && left > 256 ? left / 16 : left));
    if (p->kind == R2R) p->r2r[i] = (fftwf_r2r_kind)dice_between(d, FFTW_R2HC, FFTW_RODFT11);
    if (p->kind == R2R && p->r2r[i] == FFTW_REDFT00 && p->dim[i].n < 2) p->dim[i].n = 2;
    left /= p->dim[i].n;
    left = left > 0 ? left : 1;
  }
  for (int i = 0; i < p->batch_rank; i++) {
    p->batch[i].n = (int)(any ? any_length(d, left) : dice_between(d, 1, left < 40 ? left : 40));
    left /= p->batch[i].n;
  }
}

static void *must(void *memory) {
  if (!memory) abort();
  return memory;
}

/* A spectrum of reals: what FFTW makes of any other as c2r depends on the plan. */
static void fill_spectrum(problem *p, dice *d) {
  problem back = *p;
  for (int i = 0; i < p->batch_rank + p->rank; i++) {
    const fftwf_iodim64 *at = dimension(p, i);
    *dimension(&back, i) = (fftwf_iodim64){at->n, at->os, at->is};
  }
  float *reals = must(malloc(p->floats[1] * sizeof *reals));
  fftwf_complex *const spectrum = (fftwf_complex *)(p->input + p->start[0]);
  fftwf_plan plan = must(stock.r2c(p->rank, back.dim, p->batch_rank, back.batch, reals + p->start[1], spectrum,
                                   FFTW_ESTIMATE | FFTW_UNALIGNED | FFTW_PRESERVE_INPUT));
  for (size_t i = 0; i < p->floats[1]; i++) reals[i] = (float)dice_real(d);
  stock.execute(plan);
  stock.destroy(plan);
  free(reals);
}

static void choose(problem *p, dice *d, const sort *s) {
  memset(p, 0, sizeof *p);
  p->kind = (enum kind)dice_between(d, 0, KINDS - 1);
  p->in_place = dice_one_in(d, 2) && !s->apart;
  p->sign = dice_one_in(d, 2) ? FFTW_FORWARD : FFTW_BACKWARD;
  choose_sizes(p, d, s->elements, s->any);
  if (p->rank == 0 && unit(p, 0) != unit(p, 1)) p->in_place = false;
  if (s->any) choose_any_layout(p, d);
  else choose_layout(p, d);
}

/* What stock FFTW makes of the input; false if it has no plan. */
static bool expect(problem *p) {
  const size_t planes = (size_t)problem_planes(p);
  arrays a = arrays_make(p, FOREIGN);
  const fftwf_plan plan = plan_by(&stock, p, &a, FFTW_ESTIMATE);
  if (plan) {
    memcpy(a.side[0], p->input, planes * p->floats[0] * sizeof(float));
    stock.execute(plan);
    memcpy(p->expected, a.side[1], planes * p->floats[1] * sizeof(float));
    stock.destroy(plan);
  }
  arrays_free(&a);
  return plan;
}

static bool make(problem *p, dice *d, const sort *s) {
  choose(p, d, s);
  const size_t planes = (size_t)problem_planes(p);
  p->input = must(malloc(planes * p->floats[0] * sizeof(float)));
  p->expected = must(malloc(planes * p->floats[1] * sizeof(float)));
  p->owner = must(calloc(p->floats[1], 1));
  if (p->in_place) mark(p, 0, INPUT_ONLY, 0, (ptrdiff_t)p->start[0]);
  mark(p, 1, OUTPUT, 0, (ptrdiff_t)p->start[1]);
  for (size_t i = 0; i < planes * p->floats[0]; i++) p->input[i] = (float)dice_real(d);
  if (p->kind == C2R) fill_spectrum(p, d);
  return expect(p);
}

void problem_make(problem *p, dice *d, const sort *s) {
  while (!make(p, d, s)) problem_free(p);
}

void problem_free(problem *p) {
  free(p->input);
  free(p->expected);
  free(p->owner);
}

/* ---- memory ---- */

static float *allocate(size_t floats, enum memory memory, void **block) {
  const size_t bytes = floats * sizeof(float) + 16;
  *block = must(memory == OWN ? fftwf_malloc(bytes) : malloc(bytes));
  return (float *)*block + (memory == MISALIGNED);
}

arrays arrays_make(const problem *p, enum memory memory) {
  const size_t planes = (size_t)problem_planes(p);
  arrays a = {.memory = memory, .floats = {planes * p->floats[0], planes * p->floats[1]}};
  a.side[0] = allocate(p->in_place && a.floats[1] > a.floats[0] ? a.floats[1] : a.floats[0], memory, &a.block[0]);
  a.side[1] = p->in_place ? a.side[0] : allocate(a.floats[1], memory, &a.block[1]);
  return a;
}

void arrays_free(arrays *a) {
  for (int i = 0; i < 2; i++)
    if (a->memory == OWN) fftwf_free(a->block[i]);
    else free(a->block[i]);
}

float *problem_fill(const problem *p, const arrays *a, dice *d, float *factor) {
  *factor = ldexpf(dice_one_in(d, 2) ? 1 : -1, (int)dice_between(d, -2, 2));
  const float noise = (float)dice_real(d);
  for (size_t i = 0; i < a->floats[1]; i++) a->side[1][i] = noise + (float)(i % 97);
  for (size_t i = 0; i < a->floats[0]; i++) a->side[0][i] = *factor * p->input[i];
  float *before = must(malloc(a->floats[1] * sizeof *before));
  memcpy(before, a->side[1], a->floats[1] * sizeof *before);
  return before;
}

bool problem_check(const problem *p, const arrays *a, float *before, float factor) {
  double difference = 0, norm = 0;
  bool untouched = true;
  for (size_t i = 0; i < a->floats[1]; i++) {
    const enum owner owner = (enum owner)p->owner[i % p->floats[1]];
    if (owner == OUTPUT) {
      const double want = (double)factor * (double)p->expected[i], off = (double)a->side[1][i] - want;
      difference += off * off;
      norm += want * want;
    } else if (owner == NOBODY) {
      untouched = untouched && !memcmp(&a->side[1][i], &before[i], sizeof *before);
    }
  }
  free(before);
  const double most = sizeof *before == 4 ? 1e-5 : 1e-13;
  return untouched && sqrt(difference) <= most * (sqrt(norm) + 0.1);
}

void problem_print(const problem *p, char *text, size_t size) {
  static const char *const kinds[] = {"c2c", "split", "r2c", "c2r", "r2r"};
  size_t at = (size_t)snprintf(text, size, "%s %s", kinds[p->kind], p->in_place ? "in place" : "out of place");
  for (int i = 0; i < p->rank && at < size; i++)
    at += (size_t)snprintf(text + at, size - at, " %d:%d:%d", (int)p->dim[i].n, (int)p->dim[i].is, (int)p->dim[i].os);
  for (int i = 0; i < p->batch_rank && at < size; i++)
    at += (size_t)snprintf(text + at, size - at, " *%d:%d:%d", (int)p->batch[i].n, (int)p->batch[i].is,
                           (int)p->batch[i].os);
  for (int i = 0; p->kind == R2R && i < p->rank && at < size; i++)
    at += (size_t)snprintf(text + at, size - at, " k%d", (int)p->r2r[i]);
}
