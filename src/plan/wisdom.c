/* wisdom.c: what was planned on the device, and what was found out about problems. */
#include "src/plan/wisdom.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/plan/measure_geometry.h"
#include "src/problem/notation.h"
#include "src/run/ranks.h"

enum { TEXT = 256, BUCKETS = 256 };

/* What tells entries of one problem apart. */
typedef struct {
  enum fg_precision precision, compute;
  int threads; /* 0: only that it was planned on the device */
  enum fg_memory memory;
  int sharing; /* processes on the device; 0 as threads */
} variant;

typedef struct entry {
  struct entry *next;
  variant of;
  int patience;
  fg_finding found; /* with threads */
  char problem[];
} entry;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static entry *buckets[BUCKETS];

static void renew(void) {
  const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
  lock = fresh;
}

__attribute__((constructor)) static void watch_fork(void) { pthread_atfork(NULL, NULL, renew); }

/* FFTW's order: estimate, measure, patient, exhaustive. */
static int patience_of(unsigned flags) {
  if (flags & FG_ESTIMATE) return 0;
  return flags & FG_EXHAUSTIVE ? 3 : flags & FG_PATIENT ? 2 : 1;
}

static entry **bucket_of(const char *problem) {
  unsigned hash = 5381;
  for (const char *c = problem; *c; c++) hash = hash * 33 + (unsigned char)*c;
  return &buckets[hash % BUCKETS];
}

static entry *find(const char *problem, variant v) {
  for (entry *e = *bucket_of(problem); e; e = e->next)
    if (e->of.precision == v.precision && e->of.compute == v.compute && e->of.threads == v.threads &&
        e->of.memory == v.memory && e->of.sharing == v.sharing && !strcmp(e->problem, problem))
      return e;
  return NULL;
}

/* The more patient finding stands; of two as patient ones the later. */
static void learn(const char *problem, variant v, int patience, const fg_finding *found) {
  entry *e = find(problem, v);
  if (!e) {
    e = calloc(1, sizeof *e + strlen(problem) + 1);
    if (!e) return;
    strcpy(e->problem, problem);
    e->of = v;
    e->patience = patience;
    e->next = *bucket_of(problem);
    *bucket_of(problem) = e;
  }
  if (e->patience > patience) return;
  e->patience = patience;
  if (found) e->found = *found;
}

static void learn_problem(const fg_problem *p, variant v, const fg_finding *found) {
  char text[TEXT];
  if (!fg_notation_print(p, text, sizeof text)) return;
  pthread_mutex_lock(&lock);
  learn(text, v, patience_of(p->flags), found);
  pthread_mutex_unlock(&lock);
}

static bool find_problem(const fg_problem *p, variant v, fg_finding *found) {
  char text[TEXT];
  if (!fg_notation_print(p, text, sizeof text)) return false;
  pthread_mutex_lock(&lock);
  const entry *e = find(text, v);
  const bool known = e && e->patience >= patience_of(p->flags);
  if (known && found) *found = e->found;
  pthread_mutex_unlock(&lock);
  return known;
}

void fg_wisdom_learn(const fg_problem *p) { learn_problem(p, (variant){p->precision, p->compute, 0, 0, 0}, NULL); }
bool fg_wisdom_knows(const fg_problem *p) { return find_problem(p, (variant){p->precision, p->compute, 0, 0, 0}, NULL); }

/* What one process finds says nothing of sixteen that share the link and the device, nor the other way round. */
static variant variant_here(const fg_problem *p, enum fg_memory memory) {
  return (variant){p->precision, p->compute, p->threads, memory, fg_ranks_expected()};
}

void fg_wisdom_keep(const fg_problem *p, enum fg_memory memory, const fg_finding *found) {
  learn_problem(p, variant_here(p, memory), found);
}

bool fg_wisdom_find(const fg_problem *p, enum fg_memory memory, fg_finding *found) {
  return find_problem(p, variant_here(p, memory), found);
}

/* ---- as text; times in whole nanoseconds, since the program's locale may have another decimal point ---- */

static const char as_single[] = "single:"; /* before a problem on double arrays */

static void print(FILE *f, const entry *e) {
  fprintf(f, "\n  (%s%s %d", e->of.compute == e->of.precision ? "" : as_single, e->problem, e->patience);
  if (e->of.threads) {
    fprintf(f, " %s %d", e->found.device ? "gpu" : "host", e->of.threads);
    if (e->of.sharing > 1) fprintf(f, "/%d", e->of.sharing);
    fprintf(f, " %s %.0f %.0f", e->of.memory == FG_MEMORY_OWN ? "own" : "foreign", e->found.host * 1e9, e->found.gpu * 1e9);
  }
  fputc(')', f);
}

/* Those of several processes, or the others; how many.  Whether any of the precision was computed in another. */
static size_t print_all(FILE *f, enum fg_precision precision, bool shared, bool *converted) {
  size_t entries = 0;
  for (int b = 0; b < BUCKETS; b++)
    for (const entry *e = buckets[b]; e; e = e->next)
      if (e->of.precision == precision) {
        *converted |= e->of.compute != precision;
        if ((e->of.sharing > 1) != shared) continue;
        print(f, e);
        entries++;
      }
  return entries;
}

/* What libraries before those numbers do not understand, and read no further at, comes last. */
char *fg_wisdom_export(enum fg_precision precision) {
  char *text = NULL;
  size_t size = 0, entries = 0;
  bool converted = false; /* some doubles were computed with passes in single precision */
  FILE *f = open_memstream(&text, &size);
  if (!f) return NULL;
  fputs(FG_WISDOM_HEAD, f);
  pthread_mutex_lock(&lock);
  entries += print_all(f, precision, false, &converted);
  pthread_mutex_unlock(&lock);
  entries += (size_t)fg_measure_geometry_export(f, precision);
  if (converted) entries += (size_t)fg_measure_geometry_export(f, FG_SINGLE);
  pthread_mutex_lock(&lock);
  entries += print_all(f, precision, true, &converted);
  pthread_mutex_unlock(&lock);
  fputs(")\n", f);
  fclose(f);
  if (entries) return text;
  free(text);
  return NULL;
}

/* An entry's words behind the patience; false if they are not those of a finding. */
static bool scan_finding(const char *text, variant *v, fg_finding *found) {
  char side[5], memory[8];
  long long host, gpu;
  int begun = 0, shared = 0, length = 0;
  v->sharing = 1;
  if (sscanf(text, " %4[a-z] %6d%n", side, &v->threads, &begun) != 2) return false;
  const bool many = text[begun] == '/' && text[begun + 1] >= '0' && text[begun + 1] <= '9';
  if (many && (sscanf(text + begun, "/%6d%n", &v->sharing, &shared) != 1 || v->sharing < 2)) return false;
  if (sscanf(text + begun + shared, " %7[a-z] %18lld %18lld )%n", memory, &host, &gpu, &length) != 3 || !length) return false;
  v->memory = !strcmp(memory, "own") ? FG_MEMORY_OWN : FG_MEMORY_FOREIGN;
  *found = (fg_finding){!strcmp(side, "gpu"), (double)host * 1e-9, (double)gpu * 1e-9};
  const bool known_side = found->device || !strcmp(side, "host");
  const bool known_memory = v->memory == FG_MEMORY_OWN || !strcmp(memory, "foreign");
  return known_side && known_memory && v->threads > 0 && host > 0 && gpu > 0;
}

/* One entry, from its first word to its parenthesis; false if it is not understood. */
static bool import_entry(enum fg_precision precision, const char *text) {
  int patience, length;
  char problem[TEXT], first = 0;
  if (sscanf(text, "%255[^ ()] %4d%n", problem, &patience, &length) != 2) return false;
  const char *const rest = text + length;
  if (fg_measure_geometry_import(problem, patience, rest, &length)) return true;
  const bool converted = precision == FG_DOUBLE && !strncmp(problem, as_single, strlen(as_single));
  variant v = {precision, converted ? FG_SINGLE : precision, 0, 0, 0};
  fg_finding found;
  const bool timed = sscanf(rest, " %c", &first) == 1 && first != ')';
  if (timed && !scan_finding(rest, &v, &found)) return false;
  learn(converted ? problem + strlen(as_single) : problem, v, patience, timed ? &found : NULL);
  return true;
}

/* What is not understood, of a later library or damaged, is passed over; what is cut off says nothing. */
bool fg_wisdom_import(enum fg_precision precision, const char *text) {
  static const char blanks[] = " \t\n\r";
  bool whole = true;
  text += strlen(FG_WISDOM_HEAD);
  pthread_mutex_lock(&lock);
  while (*(text += strspn(text, blanks)) == '(') {
    char entry[4 * TEXT];
    const char *const close = strchr(text, ')');
    if (!close) break;
    const size_t length = (size_t)(close - text); /* with the parenthesis at the end, without that at the beginning */
    const bool fits = length < sizeof entry;
    if (fits) snprintf(entry, sizeof entry, "%.*s", (int)length, text + 1);
    whole &= fits && import_entry(precision, entry);
    text = close + 1;
  }
  pthread_mutex_unlock(&lock);
  return whole && *text == ')';
}

void fg_wisdom_forget(enum fg_precision precision) {
  fg_measure_geometry_forget(precision);
  pthread_mutex_lock(&lock);
  for (int b = 0; b < BUCKETS; b++)
    for (entry **at = &buckets[b]; *at;) {
      entry *const e = *at;
      if (e->of.precision != precision) {
        at = &e->next;
        continue;
      }
      *at = e->next;
      free(e);
    }
  pthread_mutex_unlock(&lock);
}
