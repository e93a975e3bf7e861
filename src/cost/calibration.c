/* calibration.c: the coefficients as a table, and as text. */
#define _GNU_SOURCE
#include "src/cost/calibration.h"

#include <locale.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Fitted to stock FFTW 3.3.10 and to this library on the reference machine (doc/performance.md). */
const fg_calibration fg_calibration_defaults = {
    .rate_two = 42e9, .rate_smooth = 19e9, .rate_prime = 4e9,
    .walk_cache = 7.4e-9, .walk_memory = 24e-9,
    .cache = 32e6, .stream = 7.2e9,
    .measured_rate = 1.45, .measured_walk = 0.2,
    .thread_share = 0.53, .thread_seconds = 3e-6,
    .start = 0.28, .plan = 0.1,
    .overhead = 11e-6, .piece = 6e-6,
    .link = 55e9, .link_both = 101e9,
    .staged = 50e9, .staged_both = 101e9,
    .staging_seconds = 7e-6, .staging_rate = 50e9,
    .device = 3.3e12,
    .uncertain = 2, .worse = 1.02,
    .seen_cache = 1, .seen_memory = 1, .seen_own = 1, .seen_foreign = 1, .seen_double = 1,
    .seen_converted = 1};

#define AT(field) offsetof(fg_calibration, field)

const fg_coefficient fg_coefficients[] = {
    {"rate_two", "Gflop/s", "FFTW, powers of two", 1e9, AT(rate_two), false},
    {"rate_smooth", "Gflop/s", "FFTW, factors to 13", 1e9, AT(rate_smooth), false},
    {"rate_prime", "Gflop/s", "FFTW, larger prime factors", 1e9, AT(rate_prime), false},
    {"walk_cache", "ns", "FFTW, a point of a long stride, 512 kB", 1e-9, AT(walk_cache), false},
    {"walk_memory", "ns", "the same, 128 MB and more", 1e-9, AT(walk_memory), false},
    {"cache", "MB", "what the last cache holds", 1e6, AT(cache), false},
    {"stream", "GB/s", "host memory, one thread", 1e9, AT(stream), false},
    {"measured_rate", "times", "FFTW_MEASURE is faster so many", 1, AT(measured_rate), false},
    {"measured_walk", "times", "FFTW_MEASURE strides take so many", 1, AT(measured_walk), false},
    {"thread_share", "times", "each further thread of FFTW adds", 1, AT(thread_share), false},
    {"thread_seconds", "us", "each further thread of FFTW costs", 1e-6, AT(thread_seconds), false},
    {"start", "ms", "opening the device", 1e-3, AT(start), true},
    {"plan", "ms", "planning a problem that is new to it", 1e-3, AT(plan), true},
    {"overhead", "us", "an execution without data", 1e-6, AT(overhead), true},
    {"piece", "us", "each further piece of a batch", 1e-6, AT(piece), true},
    {"link", "GB/s", "memory of fftwf_malloc, one way", 1e9, AT(link), true},
    {"link_both", "GB/s", "the same, both ways together", 1e9, AT(link_both), true},
    {"staged", "GB/s", "other memory, one way", 1e9, AT(staged), true},
    {"staged_both", "GB/s", "the same, both ways together", 1e9, AT(staged_both), true},
    {"staging_seconds", "us", "the first and the last piece of it", 1e-6, AT(staging_seconds), true},
    {"staging_rate", "GB/s", "copying those two", 1e9, AT(staging_rate), true},
    {"device", "GB/s", "device memory, read and write", 1e9, AT(device), true},
    {"uncertain", "times", "how wrong an estimate may be", 1, AT(uncertain), false},
    {"worse", "times", "slower than the host is too slow", 1, AT(worse), false},
    {"seen_cache", "times", "FFTW took, of its estimate, in that cache", 1, AT(seen_cache), false},
    {"seen_memory", "times", "the same past it", 1, AT(seen_memory), false},
    {"seen_own", "times", "the GPU took, memory of fftwf_malloc", 1, AT(seen_own), true},
    {"seen_foreign", "times", "the same, other memory", 1, AT(seen_foreign), true},
    {"seen_double", "times", "FFTW took in that cache, double precision", 1, AT(seen_double), false},
    {"seen_converted", "times", "the GPU took, doubles in single precision", 1, AT(seen_converted), true},
    {NULL, NULL, NULL, 0, 0, false}};

static const char head[] = "fftw3-gpu calibration 1";

static double *field(fg_calibration *c, const fg_coefficient *k) { return (double *)((char *)c + k->offset); }

/* The program may have set a locale with another decimal point. */
static locale_t enter_c(locale_t *c) {
  *c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  return *c ? uselocale(*c) : (locale_t)0;
}

static void leave_c(locale_t c, locale_t before) {
  if (before) uselocale(before);
  if (c) freelocale(c);
}

void fg_calibration_print(FILE *to, const fg_calibration *c, const fg_machine *m) {
  locale_t plain, before = enter_c(&plain);
  fprintf(to, "%s\nhost %s\ncpu %s\ndevice %s\n", head, m->host, m->cpu, m->device);
  for (const fg_coefficient *k = fg_coefficients; k->name; k++)
    fprintf(to, "%-16s%-10.6g %-8s %s\n", k->name, *field((fg_calibration *)c, k) / k->scale, k->unit, k->meaning);
  fprintf(to, "end\n");
  leave_c(plain, before);
}

/* The line at *text is "name rest": its rest into value, and *text behind it. */
static bool take_line(const char **text, const char *name, char *value, size_t size) {
  const size_t length = strlen(name);
  const char *const end = strchr(*text, '\n');
  if (!end || strncmp(*text, name, length) || (*text)[length] != ' ') return false;
  const char *from = *text + length + strspn(*text + length, " ");
  if (from > end || (size_t)(end - from) >= size) return false;
  memcpy(value, from, (size_t)(end - from));
  value[end - from] = '\0';
  *text = end + 1;
  return true;
}

static bool take_numbers(const char **text, fg_calibration *c) {
  char value[128], *end;
  for (const fg_coefficient *k = fg_coefficients; k->name; k++) {
    if (k->offset >= AT(seen_cache) && !strcmp(*text, "end\n")) { /* a file from before these were known */
      *field(c, k) = *field((fg_calibration *)&fg_calibration_defaults, k);
      continue;
    }
    if (!take_line(text, k->name, value, sizeof value)) return false;
    const double number = strtod(value, &end) * k->scale;
    end += strspn(end, " ");
    if (strncmp(end, k->unit, strlen(k->unit)) || !isfinite(number) || number <= 0) return false;
    *field(c, k) = number;
  }
  return !strcmp(*text, "end\n");
}

bool fg_calibration_parse(const char *text, fg_calibration *c, fg_machine *m) {
  fg_calibration read;
  fg_machine of;
  if (strncmp(text, head, sizeof head - 1) || text[sizeof head - 1] != '\n') return false;
  text += sizeof head;
  if (!take_line(&text, "host", of.host, sizeof of.host) || !take_line(&text, "cpu", of.cpu, sizeof of.cpu) ||
      !take_line(&text, "device", of.device, sizeof of.device))
    return false;
  locale_t plain, before = enter_c(&plain);
  const bool good = take_numbers(&text, &read);
  leave_c(plain, before);
  if (!good) return false;
  *c = read;
  *m = of;
  return true;
}
