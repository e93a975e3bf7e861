/* table.c: tables of constant factors: computed in long double, rounded once, kept on the device. */
#include "src/run/table/table.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "src/pass/residues.h"
#include "src/run/memory.h"
#include "src/run/table/circle.h"
#include "src/run/table/double_dft.h"
#include "src/run/table/places.h"
#include "src/run/table/roots.h"

struct fg_device_table {
  fg_table key;
  const fg_device *device;
  void *memory;
  int users;
  fg_device_table *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fg_device_table *tables;

/* A growing list of entries in the table's precision. */
typedef struct {
  enum fg_precision precision;
  void *entries;
  size_t count;
} sink;

static void put(sink *s, fg_wide w) {
  if (s->precision == FG_SINGLE) {
    float *const at = (float *)s->entries + 2 * s->count++;
    at[0] = (float)w.re;
    at[1] = (float)w.im;
  } else {
    double *const at = (double *)s->entries + 2 * s->count++;
    at[0] = (double)w.re;
    at[1] = (double)w.im;
  }
}

static fg_coprime_groups groups_of(const fg_table *t) {
  return t->coprime ? fg_coprime_groups_of(t->radix, t->stages) : (fg_coprime_groups){.count = 1};
}

/* Stage real, or none (−1), has real points: half of the results of each of its butterflies go on. */
static size_t kept(const fg_table *t, int s, int real) {
  return s == real ? (size_t)t->radix[s] / 2 + 1 : (size_t)t->radix[s];
}

/* What the inputs of a stage are turned by: powers of a root of order turns·radix, for each of so many results before it;
 * turns 1: nothing.  After so many results gap ones were not kept. */
typedef struct {
  size_t turns, results, run, gap;
} turning;

static turning turning_of(const fg_table *t, int s, int real) {
  const int first = groups_of(t).first[s];
  turning w = {1, 1, SIZE_MAX, 0};
  for (int i = first; i < s; i++) {
    w.turns *= (size_t)t->radix[i];
    w.results *= kept(t, i, real);
  }
  if (first == real && s > real) {
    w.run = kept(t, real, real);
    w.gap = (size_t)t->radix[real] - w.run;
  }
  return w;
}

static size_t stage_entries(const fg_table *t, int real) {
  size_t entries = 0;
  for (int s = 0; s < t->stages; s++) {
    const turning w = turning_of(t, s, real);
    if (w.turns > 1) entries += w.results * (kept(t, s, real) - 1);
  }
  return entries;
}

static fg_table reversed(const fg_table *t) {
  fg_table r = *t;
  for (int s = 0; s < t->stages; s++) r.radix[s] = t->radix[t->stages - 1 - s];
  return r;
}

/* As cuda/kernel/stage.h reads them: for each stage that has any, exp(−2πi·j·t/(P·R)) at (j − 1)·P + t. */
static void put_stages(sink *s, const fg_table *t, int real) {
  for (int i = 0; i < t->stages; i++) {
    const turning w = turning_of(t, i, real);
    const uint64_t order = w.turns * (uint64_t)t->radix[i];
    for (uint64_t j = 1; w.turns > 1 && j < kept(t, i, real); j++)
      for (uint64_t b = 0; b < w.results; b++) put(s, fg_root(j * (b + b / w.run * w.gap), order));
  }
}

/* exp(sign·πi·j²/n), without a sine for each. */
static bool put_chirp(sink *s, const fg_table *t) {
  fg_circle c;
  const size_t n = (size_t)t->n, entries = fg_table_entries(t);
  if (!fg_circle_make(&c, 2 * n)) return false;
  for (uint64_t j = 0; j < entries; j++) {
    const fg_wide w = fg_circle_chirp(&c, j, t->sign);
    const long double times = t->real && j > 0 && 2 * j != n ? 2 : 1;
    put(s, (fg_wide){times * w.re, times * w.im});
  }
  fg_circle_free(&c);
  return true;
}

/* Single precision loses nothing by a transform in double precision, which takes a tenth of the time
 * where n is a power of two. */
static bool transform_of(enum fg_precision precision, fg_wide *x, size_t n) {
  if (precision == FG_DOUBLE) return fg_wide_dft(x, n) == 0;
  fg_double *const y = malloc(n * sizeof *y);
  for (size_t i = 0; y && i < n; i++) y[i] = (fg_double){(double)x[i].re, (double)x[i].im};
  const bool done = y && fg_double_dft(y, n) == 0;
  for (size_t i = 0; done && i < n; i++) x[i] = (fg_wide){y[i].re, y[i].im};
  free(y);
  return done;
}

/* conj(chirp), wrapped around to the length of the convolution. */
static bool wrap_chirp(fg_wide *x, const fg_table *t) {
  fg_circle c;
  if (!fg_circle_make(&c, 2 * (size_t)t->n)) return false;
  for (ptrdiff_t j = 0; j < t->n; j++) {
    const fg_wide w = fg_circle_chirp(&c, (uint64_t)j, -t->sign);
    if (j <= t->lags[0]) x[j] = w;
    if (j > 0 && j <= t->lags[1]) x[t->length - j] = w;
  }
  fg_circle_free(&c);
  return true;
}

/* The same transformed and divided by that length. */
static bool put_filter(sink *s, const fg_table *t) {
  const size_t length = (size_t)t->length;
  fg_wide *x = calloc(length, sizeof *x);
  if (!x) return false;
  const bool done = wrap_chirp(x, t) && transform_of(s->precision, x, length);
  const size_t rows = t->rows ? (size_t)t->rows : 1;
  for (size_t row = 0; done && row < rows; row++)
    for (size_t k = row; k < length; k += rows)
      put(s, (fg_wide){x[k].re / (long double)length, x[k].im / (long double)length});
  free(x);
  return done;
}

/* exp(−2πi·g^q/n) at −q. */
static void wrap_powers(fg_wide *x, const fg_table *t) {
  const size_t length = (size_t)t->length;
  uint64_t power = 1;
  const uint64_t generator = (uint64_t)fg_generator(t->n);
  for (size_t q = 0; q < length; q++) {
    x[(length - q) % length] = fg_root(power, (uint64_t)t->n);
    power = power * generator % (uint64_t)t->n;
  }
}

/* What has the cosine as sum with what is half of the length apart, the sine as difference. */
static void wrap_hartley(fg_wide *x, const fg_table *t) {
  const size_t length = (size_t)t->length, half = ((size_t)t->n - 1) / 2, count = length == 2 * half ? half : 2 * half - 1;
  const uint64_t generator = (uint64_t)fg_generator(t->n);
  const long double factor = t->sign == FG_BACKWARD ? 2 : 1;
  uint64_t power = 1;
  for (size_t q = 0; q < count; q++) {
    const fg_wide w = fg_root(power, (uint64_t)t->n);
    x[(length - q) % length].re = factor * (w.re - w.im);
    x[(length - q + length / 2) % length].re = factor * (w.re + w.im);
    power = power * generator % (uint64_t)t->n;
  }
}

/* That transformed and divided by the length; the bins that are kept. */
static bool put_rader(sink *s, const fg_table *t) {
  const size_t length = (size_t)t->length;
  fg_wide *x = calloc(length, sizeof *x);
  if (!x) return false;
  if (t->kind == FG_TABLE_HARTLEY) wrap_hartley(x, t);
  else wrap_powers(x, t);
  const bool done = transform_of(s->precision, x, length);
  const fg_coprime_groups groups = groups_of(t);
  for (size_t m = 0; done && m < length; m++) {
    if (t->real && m % (size_t)t->radix[0] >= kept(t, 0, 0)) continue;
    const ptrdiff_t k = fg_coprime_bin(&groups, (ptrdiff_t)m);
    put(s, (fg_wide){x[k].re / (long double)length, x[k].im / (long double)length});
  }
  free(x);
  return done;
}

static void put_powers(int *entries, const fg_table *t) {
  const fg_coprime_groups groups = groups_of(t);
  const ptrdiff_t g = fg_generator(t->n), count = (ptrdiff_t)fg_table_entries(t);
  for (ptrdiff_t k = 0; k < count; k++) {
    const ptrdiff_t power = fg_power_modulo(g, fg_coprime_index(&groups, k), t->n) * t->step % t->n;
    entries[k] = (int)(t->real && 2 * power > t->n ? power - t->n : power);
  }
}

/* Two reals an entry. */
static void put_products(sink *s, const fg_table *t) {
  const uint64_t n = (uint64_t)t->n;
  for (int sines = 0; sines < 2; sines++)
    for (uint64_t j = 1; 2 * j < n; j++)
      for (uint64_t k = 0; k < (uint64_t)t->length; k += 2) {
        const fg_wide v = fg_root(j * k % n, n), w = fg_root(j * (k + 1) % n, n);
        put(s, sines ? (fg_wide){-v.im, -w.im} : (fg_wide){v.re, w.re});
      }
}

/* Point of part in lines that have parts a and a + m/2 side by side, or its mirror, of which an odd row has the negative. */
static int mirror_place(const fg_table *t, ptrdiff_t part, ptrdiff_t point) {
  const ptrdiff_t parts = t->length / t->n, half = parts / 2;
  const bool mirrored = 2 * point > t->n;
  if (mirrored) {
    part = (parts - part) % parts;
    point = t->n - point;
  }
  const int place = (int)(2 * (part % half * ((t->n + 1) / 2) + point) + part / half);
  return mirrored && t->first ? ~place : place;
}

/* Element e of the extension of m·p is loaded as point b of part a with e = a·p + b·m, and stored from point e of part e. */
static void put_mirrors(int *entries, const fg_table *t) {
  const ptrdiff_t parts = t->length / t->n, count = (ptrdiff_t)fg_table_entries(t) / 2;
  for (ptrdiff_t a = 0; a < parts; a++)
    for (ptrdiff_t b = 0; b < t->n; b++) {
      const ptrdiff_t e = (a * t->n + b * parts) % t->length - t->first;
      if (e >= 0 && e < count) entries[e] = mirror_place(t, a, b);
    }
  for (ptrdiff_t e = 0; e < count; e++)
    entries[count + e] = mirror_place(t, (e + t->first) % parts, (e + t->first) % t->n);
}

size_t fg_table_entries(const fg_table *t) {
  switch (t->kind) {
    case FG_TABLE_STAGES: {
      const fg_table r = reversed(t);
      return stage_entries(t, t->real ? 0 : -1) + (t->mirrored ? stage_entries(&r, t->real ? t->stages - 1 : -1) : 0);
    }
    case FG_TABLE_HIGH: return (size_t)((t->n - 1) >> t->shift) + 1;
    case FG_TABLE_LOW: return (size_t)1 << t->shift;
    case FG_TABLE_CHIRP: return (size_t)(t->real ? t->n / 2 + 1 : t->n);
    case FG_TABLE_POWERS: return ((size_t)t->n - 1) / (t->real ? 2 : 1);
    case FG_TABLE_ROOTS:
    case FG_TABLE_FILTER:
    case FG_TABLE_RADER: return (size_t)t->length;
    case FG_TABLE_HARTLEY: return (size_t)t->length / (size_t)t->radix[0] * kept(t, 0, 0);
    case FG_TABLE_PRODUCTS: return ((size_t)t->n - 1) / 2 * (size_t)t->length;
    case FG_TABLE_PLACES: return 2 * (size_t)t->length;
    case FG_TABLE_MIRRORS: return 2 * (size_t)(t->length / 2 + 1 - 2 * t->first);
    default: return 0;
  }
}

static bool fill(sink *s, const fg_table *t) {
  const uint64_t n = (uint64_t)t->n;
  const size_t entries = fg_table_entries(t);
  switch (t->kind) {
    case FG_TABLE_STAGES: {
      put_stages(s, t, t->real ? 0 : -1);
      const fg_table r = reversed(t);
      if (t->mirrored) put_stages(s, &r, t->real ? t->stages - 1 : -1);
      return true;
    }
    case FG_TABLE_HIGH:
      for (size_t m = 0; m < entries; m++) put(s, fg_root((uint64_t)m << t->shift, n));
      return true;
    case FG_TABLE_LOW:
      for (size_t m = 0; m < entries; m++) put(s, fg_root(m, n));
      return true;
    case FG_TABLE_CHIRP: return put_chirp(s, t);
    case FG_TABLE_ROOTS:
      for (size_t m = 0; m < entries; m++) {
        const fg_wide w = fg_root((uint64_t)t->step * m + (uint64_t)t->first, n);
        put(s, t->halved ? (fg_wide){w.re / 2, w.im / 2} : w);
      }
      return true;
    case FG_TABLE_FILTER: return put_filter(s, t);
    case FG_TABLE_RADER:
    case FG_TABLE_HARTLEY: return put_rader(s, t);
    case FG_TABLE_POWERS: put_powers(s->entries, t); return true;
    case FG_TABLE_PRODUCTS: put_products(s, t); return true;
    case FG_TABLE_PLACES: fg_places_put(s->entries, t); return true;
    case FG_TABLE_MIRRORS: put_mirrors(s->entries, t); return true;
    default: return false;
  }
}

size_t fg_table_bytes(const fg_table *t) {
  const bool integers = t->kind == FG_TABLE_POWERS || t->kind == FG_TABLE_PLACES || t->kind == FG_TABLE_MIRRORS;
  return fg_table_entries(t) * (integers ? sizeof(int) : 2 * fg_real_size(t->precision));
}

void *fg_table_compute(const fg_table *t) {
  sink s = {t->precision, malloc(fg_table_bytes(t)), 0};
  if (s.entries && !fill(&s, t)) {
    free(s.entries);
    s.entries = NULL;
  }
  return s.entries;
}

static int upload(const fg_target *target, const fg_table *key, void **memory) {
  void *entries = fg_table_compute(key);
  fg_stream *stream = NULL;
  *memory = NULL;
  if (!entries) return fg_backend_fail(FG_ENOMEM, "no host memory for a table");
  int code = fg_memory_alloc(target, fg_table_bytes(key), memory);
  if (code == FG_OK) code = target->backend->stream_create(target->device, &stream);
  if (code == FG_OK) code = target->backend->copy_in(target->device, *memory, entries, fg_table_bytes(key), stream);
  if (code == FG_OK) code = target->backend->stream_wait(target->device, stream);
  if (stream) target->backend->stream_destroy(target->device, stream);
  if (code != FG_OK) fg_memory_free(target, *memory, fg_table_bytes(key));
  free(entries);
  return code;
}

_Static_assert(sizeof(fg_table) == offsetof(fg_table, none) + sizeof(int), "the key has no padding at its end");

static fg_device_table *find(const fg_target *target, const fg_table *key) {
  for (fg_device_table *t = tables; t; t = t->next)
    if (t->device == target->device && memcmp(&t->key, key, sizeof *key) == 0) return t;
  return NULL;
}

static int make(const fg_target *target, const fg_table *key, fg_device_table **table) {
  fg_device_table *t = calloc(1, sizeof *t);
  if (!t) return fg_backend_fail(FG_ENOMEM, "no host memory for a table");
  const int code = upload(target, key, &t->memory);
  if (code != FG_OK) {
    free(t);
    return code;
  }
  memcpy(&t->key, key, sizeof *key);
  t->device = target->device;
  t->users = 1;
  *table = t;
  return FG_OK;
}

/* The table of that key on the target, with one user more; NULL if there is none. */
static fg_device_table *share(const fg_target *target, const fg_table *key) {
  pthread_mutex_lock(&lock);
  fg_device_table *const t = find(target, key);
  if (t) t->users++;
  pthread_mutex_unlock(&lock);
  return t;
}

/* Made without the lock, since a long one takes seconds; of two threads that make the same each keeps its own. */
int fg_table_get(const fg_target *target, const fg_table *key, fg_device_table **table) {
  *table = share(target, key);
  if (*table) return FG_OK;
  const int code = make(target, key, table);
  if (code != FG_OK) return code;
  pthread_mutex_lock(&lock);
  (*table)->next = tables;
  tables = *table;
  pthread_mutex_unlock(&lock);
  return FG_OK;
}

void fg_table_release(const fg_target *target, fg_device_table *table) {
  pthread_mutex_lock(&lock);
  if (--table->users == 0) {
    fg_device_table **at = &tables;
    while (*at != table) at = &(*at)->next;
    *at = table->next;
    fg_memory_free(target, table->memory, fg_table_bytes(&table->key));
    free(table);
  }
  pthread_mutex_unlock(&lock);
}

const void *fg_table_memory(const fg_device_table *table) { return table->memory; }
