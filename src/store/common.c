/* common.c: the list. */
#include "src/store/common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/plan/planner.h"
#include "src/problem/notation.h"

const fg_device_info fg_common_devices[] = {
    {.name = "NVIDIA A100", .arch = 80, .multiprocessors = 108, .threads_block = 1024, .threads_sm = 2048,
     .shared_block = 163 * 1024, .shared_sm = 164 * 1024, .registers_sm = 65536, .memory = (size_t)80 << 30,
     .l2 = (size_t)40 << 20, .reads_host = true},
    {.name = "NVIDIA H100 80GB HBM3", .arch = 90, .multiprocessors = 132, .threads_block = 1024, .threads_sm = 2048,
     .shared_block = 227 * 1024, .shared_sm = 228 * 1024, .cluster = 16, .registers_sm = 65536, .memory = (size_t)80 << 30,
     .l2 = (size_t)50 << 20, .reads_host = true},
    {.name = "NVIDIA H200", .arch = 90, .multiprocessors = 132, .threads_block = 1024, .threads_sm = 2048,
     .shared_block = 227 * 1024, .shared_sm = 228 * 1024, .cluster = 16, .registers_sm = 65536, .memory = (size_t)141 << 30,
     .l2 = (size_t)60 << 20, .reads_host = true},
    {.arch = 0}};

/* Every kind with every shape (blanks between them; a lone N: in each of rank dimensions) with every batch. */
typedef struct {
  enum fg_precision precision;
  int rank;
  const char *kinds; /* "of": complex forward, "ob": backward, "orf", "orb": r2c, c2r; "irf": r2c in place */
  const char *batches; /* a number, or MANY */
  const char *shapes;
} family;

#define MANY "0" /* as many as have 2^25 points: enough to fill any device */
#define COMPLEX "of ob"
#define REAL "orf orb irf" /* in place the rows that come have padding; those that go are none of the kernels' matter */

static const family families[] = {
    {FG_SINGLE, 1, COMPLEX, MANY, "2 4 8 16 32 64 128"},
    {FG_SINGLE, 1, COMPLEX, MANY " 1",
     "256 512 1024 2048 4096 8192 16384 32768 65536 131072 262144 524288 1048576 2097152 4194304 8388608 16777216"},
    {FG_SINGLE, 1, COMPLEX, MANY,
     "12 15 20 24 28 30 36 48 60 96 100 120 125 144 200 240 243 343 360 480 500 625 720 729 960 1000 1200 1536 1920 "
     "2000 2187 2401 2500 3000 3125 3600 4800 5000 6000 6561 10000 15000 15625 16807 20000 30000 50000 100000 200000 "
     "500000 1000000 2000000"},
    {FG_SINGLE, 1, COMPLEX, "1", "10000 20000 50000 100000 200000 500000 1000000 2000000"},
    {FG_SINGLE, 2, COMPLEX, "8192", "2 4 6 8 12 16 20 24 28 32 48 64 4x16 8x24 12x28"},
    {FG_SINGLE, 2, COMPLEX, MANY " 1", "128 256 360 512 1000 1024 1536 2048 3000 4096 8192 16384 1080x1920 4000x6000"},
    {FG_SINGLE, 2, COMPLEX, "1", "640 768 800 1200 1280 1440 1600 1920 2000 2160x3840 2400 2560 3072 3200 4000 5000 6000"},
    {FG_SINGLE, 3, COMPLEX, "512", "4 8 12 16 20 24 28 30 32 36 40 48 64"},
    {FG_SINGLE, 3, COMPLEX, "1 4 8 27 53 54", "24"},
    {FG_SINGLE, 3, COMPLEX, MANY " 1",
     "96 128 160 192 200 240 256 300 320 384 400 480 512 640 768 1000 1024 128x128x256 256x256x512 256x256x1024 "
     "512x512x128 1024x1024x128"},
    {FG_SINGLE, 3, COMPLEX, "1", "32 48 64 72 80 90 100 108 120 144 150 180 216 225 250 288 360 432 500"},
    {FG_SINGLE, 1, REAL, MANY, "16 32 64 128 256 512 1024 2048 4096 8192 16384 32768 65536 131072 262144 524288 1048576"},
    {FG_SINGLE, 2, REAL, "1", "512 1024 2048 4096 8192"},
    {FG_SINGLE, 3, REAL, "1", "32 48 64 96 100 128 160 192 200 256 384 512"},

    /* Double precision: what pays on a GPU before a compiler would be done.  Doubles that are converted on the way from
     * the host have the kernels of single precision; those that are on a device are few, and compiled when they come. */
    {FG_DOUBLE, 1, COMPLEX, MANY, "16 32 64 128 256 512 1024 2048 4096 8192 100 1000"},
    {FG_DOUBLE, 1, COMPLEX, "1", "16384 65536 262144 1048576 4194304 10000 100000 1000000"},
    {FG_DOUBLE, 2, COMPLEX, "8192", "16 28 32"},
    {FG_DOUBLE, 2, COMPLEX, "1", "256 512 1000 1024 2048 4096"},
    {FG_DOUBLE, 3, COMPLEX, "512", "8 16 32"},
    {FG_DOUBLE, 3, COMPLEX, "1 27 54", "24"},
    {FG_DOUBLE, 3, COMPLEX, "1", "48 64 96 100 128 192 200 256 384 512"},
    {FG_DOUBLE, 1, REAL, MANY, "1024 4096"},
    {FG_DOUBLE, 1, REAL, "1", "65536 1048576"},
    {FG_DOUBLE, 2, REAL, "1", "512 1024 2048 4096"},
    {FG_DOUBLE, 3, REAL, "1", "64 96 100 128 192 200 256 512"},
};

bool fg_common_problem(const char *problem, enum fg_precision precision, const fg_device_info *device,
                       fg_common_each each, void *context) {
  char message[128], defines[FG_DEFINES_SIZE];
  const char *why = message;
  fg_problem *p = fg_notation_parse(problem, precision, message, sizeof message);
  fg_passes *list = calloc(1, sizeof *list);
  const bool planned = p && list && fg_planner_plan_host(p, device, list, &why);
  if (!planned) fprintf(stderr, "%s: %s\n", problem, why);
  for (int i = 0; planned && i < list->count; i++) {
    const fg_kernel_request request = fg_kernel_request_of(&list->pass[i], defines);
    each(context, problem, &list->pass[i], &request);
  }
  free(list);
  fg_problem_free(p);
  return planned;
}

/* ---- words ---- */

/* The next of the words in text, into word; false behind the last. */
static bool next_word(const char **text, char word[32]) {
  const int length = (int)strcspn(*text, " ");
  if (!length) return false;
  snprintf(word, 32, "%.*s", length, *text);
  *text += length + ((*text)[length] == ' ');
  return true;
}

static void spell(char *text, size_t size, const char *kind, const char *shape, int rank, long batch) {
  const int times = strchr(shape, 'x') ? 1 : rank;
  size_t at = (size_t)snprintf(text, size, "%s", kind);
  for (int d = 0; d < times; d++) at += (size_t)snprintf(text + at, size - at, "%s%s", d ? "x" : "", shape);
  if (batch > 1) snprintf(text + at, size - at, "*%ld", batch);
}

static long points(const char *shape, int rank) {
  long product = 1;
  char *end;
  if (!strchr(shape, 'x'))
    for (int d = 0; d < rank; d++) product *= strtol(shape, NULL, 10);
  else
    for (const char *s = shape; *s; s = *end ? end + 1 : end) product *= strtol(s, &end, 10);
  return product;
}

/* ---- walking ---- */

typedef struct {
  const fg_device_info *device;
  int part, parts, problems, failed;
  fg_common_each each;
  void *context;
} walk;

/* A batch of one that MANY gives where batches have 1 too comes twice, which costs little. */
static void walk_batches(walk *w, const family *f, const char *kind, const char *shape) {
  char batch[32], problem[128];
  for (const char *b = f->batches; next_word(&b, batch);) {
    if (w->problems++ % w->parts != w->part) continue;
    long count = strtol(batch, NULL, 10);
    if (count == 0) count = (1L << 25) / points(shape, f->rank);
    spell(problem, sizeof problem, kind, shape, f->rank, count);
    w->failed += !fg_common_problem(problem, f->precision, w->device, w->each, w->context);
  }
}

static void walk_family(walk *w, const family *f) {
  char shape[32], kind[32];
  for (const char *s = f->shapes; next_word(&s, shape);)
    for (const char *k = f->kinds; next_word(&k, kind);) walk_batches(w, f, kind, shape);
}

int fg_common_walk(const fg_device_info *device, int i, int parts, fg_common_each each, void *context) {
  walk w = {.device = device, .part = i, .parts = parts, .each = each, .context = context};
  for (size_t f = 0; f < sizeof families / sizeof *families; f++) walk_family(&w, &families[f]);
  return w.failed;
}
