/* transform.c: transforms given as text: parsing, arrays, plans, and what is kept of a result. */
#include "tests/bench/transform.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double seconds_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double median_of(double *values, int count) {
  if (count == 0) return 0;
  qsort(values, (size_t)count, sizeof *values, compare);
  return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static bool parse_kind(const char **at, fftwf_r2r_kind *kind) {
  static const struct {
    const char *name;
    fftwf_r2r_kind kind;
  } kinds[] = {{"f", FFTW_R2HC},       {"b", FFTW_HC2R},      {"h", FFTW_DHT},       {"e00", FFTW_REDFT00},
               {"e01", FFTW_REDFT01},  {"e10", FFTW_REDFT10}, {"e11", FFTW_REDFT11}, {"o00", FFTW_RODFT00},
               {"o01", FFTW_RODFT01},  {"o10", FFTW_RODFT10}, {"o11", FFTW_RODFT11}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    const size_t length = strlen(kinds[i].name);
    if (strncmp(*at, kinds[i].name, length)) continue;
    *kind = kinds[i].kind;
    *at += length;
    return true;
  }
  return false;
}

static bool parse_number(const char **at, int *value) {
  char *end;
  const long number = strtol(*at, &end, 10);
  if (end == *at || number < 1 || number > INT_MAX) return false;
  *value = (int)number;
  *at = end;
  return true;
}

static bool parse_lengths(transform *t, const char **at) {
  do {
    if (t->rank == MOST_RANK || !parse_number(at, &t->n[t->rank])) return false;
    if (t->kind == 'k' && !parse_kind(at, &t->kinds[t->rank])) return false;
    t->points *= (size_t)t->n[t->rank++];
  } while (*(*at)++ == 'x');
  --*at;
  return true;
}

static bool parse_head(transform *t, const char **at) {
  const char *text = *at;
  if (!strchr("io", *text) || !*text) return false;
  t->in_place = *text++ == 'i';
  if (!strchr("crk", *text) || !*text) return false;
  t->kind = *text++;
  if (t->kind != 'k') {
    if (*text != 'f' && *text != 'b') return false;
    t->sign = *text++ == 'f' ? FFTW_FORWARD : FFTW_BACKWARD;
  }
  *at = text;
  return true;
}

/* Complex arrays and those of r2r are one row; the real array beside a spectrum has a gap behind each row in place. */
static void measure_spans(transform *t) {
  const size_t last = (size_t)t->n[t->rank - 1], rows = t->points / last * (size_t)t->batch;
  const span whole = {1, rows * last * (t->kind == 'c' ? 2 : 1), rows * last * 2};
  const span spectrum = {1, rows * (last / 2 + 1) * 2, rows * (last / 2 + 1) * 2};
  const span real = {rows, last, t->in_place ? (last / 2 + 1) * 2 : last};
  t->in = t->kind != 'r' ? whole : t->sign == FFTW_FORWARD ? real : spectrum;
  t->out = t->kind != 'r' ? whole : t->sign == FFTW_FORWARD ? spectrum : real;
}

bool transform_parse(transform *t, const char *text) {
  *t = (transform){.batch = 1, .points = 1};
  snprintf(t->text, sizeof t->text, "%s", text);
  if (!parse_head(t, &text) || !parse_lengths(t, &text)) return false;
  if (*text == '*' && (text++, !parse_number(&text, &t->batch))) return false;
  if (*text || t->points > INT_MAX / 2) return false;
  measure_spans(t);
  return true;
}

size_t span_floats(const span *s) { return s->rows == 1 ? s->length : s->rows * s->stride; }

size_t transform_bytes_in(const transform *t) { return t->in.rows * t->in.length * sizeof(float); }
size_t transform_bytes_out(const transform *t) { return t->out.rows * t->out.length * sizeof(float); }

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

static float *allocate(size_t floats, bool foreign) {
  float *block = foreign ? malloc(floats * sizeof *block) : fftwf_malloc(floats * sizeof *block);
  if (block) memset(block, 0, floats * sizeof *block);
  return block;
}

bool arrays_make(arrays *a, const transform *t, bool foreign) {
  const size_t in = span_floats(&t->in), out = span_floats(&t->out);
  *a = (arrays){.foreign = foreign};
  a->in = allocate(t->in_place && out > in ? out : in, foreign);
  a->out = t->in_place ? a->in : allocate(out, foreign);
  if (a->in && a->out) return true;
  arrays_free(a);
  return false;
}

void arrays_free(arrays *a) {
  void (*give_back)(void *) = a->foreign ? free : fftwf_free;
  if (a->out && a->out != a->in) give_back(a->out);
  if (a->in) give_back(a->in);
  a->in = a->out = NULL;
}

static uint64_t next_random(uint64_t *state) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * 2685821657736338717u;
}

/* The elements of the last dimension that are their own mirror images: the first, and the middle of an even length. */
static void make_hermitian(const transform *t, float *spectrum) {
  const size_t last = (size_t)t->n[t->rank - 1], half = last / 2 + 1, rows = t->points / last * (size_t)t->batch;
  for (size_t row = 0; row < rows; row++) {
    float *first = spectrum + row * half * 2, *middle = first + (half - 1) * 2;
    first[0] = 0.25f;
    first[1] = 0;
    if (last % 2 == 0) {
      middle[0] = -0.25f;
      middle[1] = 0;
    }
  }
}

void transform_fill(const transform *t, float *in, uint64_t seed) {
  uint64_t state = (seed + 1) * 0x9e3779b97f4a7c15u | 1;
  const size_t floats = span_floats(&t->in);
  for (size_t i = 0; i < floats; i++) in[i] = (float)(next_random(&state) >> 40) * 0x1p-24f - 0.5f;
  if (t->kind == 'r' && t->sign == FFTW_BACKWARD) make_hermitian(t, in);
}

/* ---- plans ------------------------------------------------------------------------------------------------------- */

static fftwf_plan plan_real(const planners *p, const transform *t, const arrays *a, unsigned flags) {
  const int last = t->n[t->rank - 1], rows = (int)(t->points / (size_t)last);
  const int spectrum = rows * (last / 2 + 1), real = t->in_place ? 2 * spectrum : rows * last;
  fftwf_complex *in = (fftwf_complex *)a->in, *out = (fftwf_complex *)a->out;
  if (t->sign == FFTW_FORWARD)
    return p->r2c(t->rank, t->n, t->batch, a->in, NULL, 1, real, out, NULL, 1, spectrum, flags);
  return p->c2r(t->rank, t->n, t->batch, in, NULL, 1, spectrum, a->out, NULL, 1, real, flags);
}

fftwf_plan transform_plan_by(const planners *p, const transform *t, const arrays *a, unsigned flags) {
  const int n = (int)t->points;
  fftwf_complex *in = (fftwf_complex *)a->in, *out = (fftwf_complex *)a->out;
  if (t->kind == 'r') return plan_real(p, t, a, flags);
  if (t->kind == 'k')
    return p->r2r(t->rank, t->n, t->batch, a->in, NULL, 1, n, a->out, NULL, 1, n, t->kinds, flags);
  return p->dft(t->rank, t->n, t->batch, in, NULL, 1, n, out, NULL, 1, n, t->sign, flags);
}

fftwf_plan transform_plan(const transform *t, const arrays *a, unsigned flags) {
  static const planners linked = {fftwf_plan_many_dft, fftwf_plan_many_dft_r2c, fftwf_plan_many_dft_c2r,
                                  fftwf_plan_many_r2r};
  return transform_plan_by(&linked, t, a, flags);
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

static double with_sign(double x, uint64_t bits, int which) { return bits >> (61 + which) & 1 ? x : -x; }

fingerprint transform_fingerprint(const transform *t, const float *out) {
  fingerprint f = {0};
  uint64_t state = 88172645463325252u;
  for (size_t row = 0; row < t->out.rows; row++)
    for (size_t i = 0; i < t->out.length; i++) {
      const double x = (double)out[row * t->out.stride + i];
      const uint64_t bits = next_random(&state);
      f.norm += x * x;
      for (int s = 0; s < 3; s++) f.sum[s] += with_sign(x, bits, s);
    }
  f.norm = sqrt(f.norm);
  return f;
}

/* Relative L2 errors of both are below 1e-6 (a tenth of it mostly); with random signs a sum is rarely off by more than
 * a few times that. */
bool fingerprints_agree(const fingerprint *a, const fingerprint *b) {
  const double allowed = 1e-5 * a->norm;
  if (!(fabs(a->norm - b->norm) <= allowed)) return false;
  for (int s = 0; s < 3; s++)
    if (!(fabs(a->sum[s] - b->sum[s]) <= allowed)) return false;
  return isfinite(a->norm);
}
