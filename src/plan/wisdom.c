/* wisdom.c: what was planned on the device. */
#include "src/plan/wisdom.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/problem/notation.h"

enum { TEXT = 256, BUCKETS = 256 };

typedef struct entry {
  struct entry *next;
  enum fg_precision precision;
  int patience;
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

static entry *find(enum fg_precision precision, const char *problem) {
  for (entry *e = *bucket_of(problem); e; e = e->next)
    if (e->precision == precision && strcmp(e->problem, problem) == 0) return e;
  return NULL;
}

static void learn(enum fg_precision precision, const char *problem, int patience) {
  entry *e = find(precision, problem);
  if (!e) {
    e = malloc(sizeof *e + strlen(problem) + 1);
    if (!e) return;
    strcpy(e->problem, problem);
    e->precision = precision;
    e->patience = patience;
    e->next = *bucket_of(problem);
    *bucket_of(problem) = e;
  }
  if (e->patience < patience) e->patience = patience;
}

void fg_wisdom_learn(const fg_problem *p) {
  char text[TEXT];
  fg_notation_print(p, text, sizeof text);
  pthread_mutex_lock(&lock);
  learn(p->precision, text, patience_of(p->flags));
  pthread_mutex_unlock(&lock);
}

bool fg_wisdom_knows(const fg_problem *p) {
  char text[TEXT];
  fg_notation_print(p, text, sizeof text);
  pthread_mutex_lock(&lock);
  const entry *e = find(p->precision, text);
  const bool known = e && e->patience >= patience_of(p->flags);
  pthread_mutex_unlock(&lock);
  return known;
}

char *fg_wisdom_export(enum fg_precision precision) {
  char *text = NULL;
  size_t size = 0, entries = 0;
  FILE *f = open_memstream(&text, &size);
  if (!f) return NULL;
  fputs(FG_WISDOM_HEAD, f);
  pthread_mutex_lock(&lock);
  for (int b = 0; b < BUCKETS; b++)
    for (const entry *e = buckets[b]; e; e = e->next)
      if (e->precision == precision) {
        fprintf(f, "\n  (%s %d)", e->problem, e->patience);
        entries++;
      }
  pthread_mutex_unlock(&lock);
  fputs(")\n", f);
  fclose(f);
  if (entries) return text;
  free(text);
  return NULL;
}

bool fg_wisdom_import(enum fg_precision precision, const char *text) {
  int patience, length;
  char problem[TEXT];
  text += strlen(FG_WISDOM_HEAD);
  pthread_mutex_lock(&lock);
  while (sscanf(text, " (%255[^ ()] %d)%n", problem, &patience, &length) == 2) {
    learn(precision, problem, patience);
    text += length;
  }
  pthread_mutex_unlock(&lock);
  char end = 0;
  return sscanf(text, " %c", &end) == 1 && end == ')';
}

void fg_wisdom_forget(enum fg_precision precision) {
  pthread_mutex_lock(&lock);
  for (int b = 0; b < BUCKETS; b++)
    for (entry **at = &buckets[b]; *at;) {
      entry *const e = *at;
      if (e->precision != precision) {
        at = &e->next;
        continue;
      }
      *at = e->next;
      free(e);
    }
  pthread_mutex_unlock(&lock);
}
