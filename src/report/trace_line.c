/* trace_line.c: calls to and from lines of text. */
#define _GNU_SOURCE
#include "src/report/trace_line.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/problem/notation.h"

/* What follows each call's name: a plan 'p' or an array 'a', then these keys. */
static const struct {
  const char *name;
  char subject;
  const char *value, *result, *word;
} calls[FG_CALLS] = {
    [FG_CALL_MALLOC] = {"malloc", 'a', "bytes", NULL, NULL},
    [FG_CALL_FREE] = {"free", 'a', NULL, NULL, NULL},
    [FG_CALL_ARRAY] = {"array", 'a', "mod", NULL, "kind"},
    [FG_CALL_JOIN] = {"join", 'a', NULL, NULL, NULL},
    [FG_CALL_PLAN] = {"plan", 'p', NULL, NULL, NULL},
    [FG_CALL_EXECUTE] = {"execute", 'p', NULL, NULL, NULL},
    [FG_CALL_DESTROY] = {"destroy_plan", 'p', NULL, NULL, NULL},
    [FG_CALL_COPY] = {"copy_plan", 'p', NULL, NULL, NULL},
    [FG_CALL_PRINT] = {"print_plan", 'p', NULL, NULL, NULL},
    [FG_CALL_FLOPS] = {"flops", 'p', NULL, NULL, NULL},
    [FG_CALL_COST] = {"cost", 'p', NULL, NULL, NULL},
    [FG_CALL_ESTIMATE_COST] = {"estimate_cost", 'p', NULL, NULL, NULL},
    [FG_CALL_CLEANUP] = {"cleanup", 0, NULL, NULL, NULL},
    [FG_CALL_CLEANUP_THREADS] = {"cleanup_threads", 0, NULL, NULL, NULL},
    [FG_CALL_INIT_THREADS] = {"init_threads", 0, NULL, "result", NULL},
    [FG_CALL_PLAN_WITH_NTHREADS] = {"plan_with_nthreads", 0, "threads", NULL, NULL},
    [FG_CALL_PLANNER_NTHREADS] = {"planner_nthreads", 0, NULL, "result", NULL},
    [FG_CALL_MAKE_PLANNER_THREAD_SAFE] = {"make_planner_thread_safe", 0, NULL, NULL, NULL},
    [FG_CALL_THREADS_SET_CALLBACK] = {"threads_set_callback", 0, NULL, NULL, "callback"},
    [FG_CALL_SET_TIMELIMIT] = {"set_timelimit", 0, "us", NULL, NULL},
    [FG_CALL_ALIGNMENT_OF] = {"alignment_of", 0, "mod", "result", NULL},
    [FG_CALL_FORGET_WISDOM] = {"forget_wisdom", 0, NULL, NULL, NULL},
    [FG_CALL_EXPORT_WISDOM] = {"export_wisdom", 0, "length", NULL, "way"},
    [FG_CALL_IMPORT_WISDOM] = {"import_wisdom", 0, "length", "result", "way"},
    [FG_CALL_IMPORT_SYSTEM_WISDOM] = {"import_system_wisdom", 0, NULL, "result", NULL},
};

static const char *const kinds[] = {[FG_DFT] = "dft", [FG_R2C] = "r2c", [FG_C2R] = "c2r", [FG_R2R] = "r2r", NULL};
static const char *const formats[] = {[FG_INTERLEAVED] = "interleaved", [FG_SPLIT] = "split", NULL};

/* ---- print ---- */

static void put_ref(FILE *f, const fg_trace_ref *r, bool template) {
  if (r->array < 0) fputs("null", f);
  else if (template) fprintf(f, "a%d@", r->array);
  else fprintf(f, r->offset ? "a%d%+td" : "a%d", r->array, r->offset);
}

static void put_side(FILE *f, const char *key, const fg_trace_ref *at, bool template) {
  fprintf(f, " %s=", key);
  put_ref(f, &at[0], template);
  if (at[1].array < 0) return;
  fputc(',', f);
  put_ref(f, &at[1], template);
}

static void put_tensor(FILE *f, const char *key, const fg_tensor *t) {
  fprintf(f, t->rank ? " %s=" : " %s=-", key);
  for (int d = 0; d < t->rank; d++)
    fprintf(f, "%s%td:%td:%td", d ? "," : "", t->dim[d].n, t->dim[d].is, t->dim[d].os);
}

static void put_problem(FILE *f, const fg_problem *p) {
  char notation[256];
  fg_notation_print(p, notation, sizeof notation);
  fprintf(f, " problem=%s kind=%s format=%s sign=%d", notation, kinds[p->kind], formats[p->format], p->sign);
  put_tensor(f, "dims", &p->transform);
  put_tensor(f, "batch", &p->batch);
  for (int d = 0; p->kind == FG_R2R && d < p->transform.rank; d++)
    fprintf(f, d ? ",%d" : " r2r=%d", p->r2r_kind[d]);
  fprintf(f, " flags=0x%x threads=%d", p->flags, p->threads);
}

static char *print(const fg_trace_line *l, bool template) {
  char *text = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  if (!f) return NULL;
  fputs(calls[l->call].name, f);
  if (calls[l->call].subject && l->subject >= 0) fprintf(f, " %c%d", calls[l->call].subject, l->subject);
  else if (calls[l->call].subject) fputs(l->subject == FG_TRACE_NULL ? " null" : " other", f);
  if (calls[l->call].value) fprintf(f, " %s=%lld", calls[l->call].value, l->value);
  if (calls[l->call].word) fprintf(f, " %s=%s", calls[l->call].word, l->word);
  if (calls[l->call].result) fprintf(f, " %s=%lld", calls[l->call].result, l->result);
  if (l->precision == FG_DOUBLE) fputs(" precision=double", f);
  if (l->call == FG_CALL_JOIN) fprintf(f, " at=a%d%+td", l->at[0].array, l->at[0].offset);
  if (l->problem) put_problem(f, l->problem);
  if (l->problem || l->has_arrays) put_side(f, "in", &l->at[FG_IN_RE], template);
  if (l->problem || l->has_arrays) put_side(f, "out", &l->at[FG_OUT_RE], template);
  if (*l->where) fprintf(f, " where=%s", l->where);
  if (*l->by) fprintf(f, " by=%s", l->by);
  if (!fclose(f)) return text;
  free(text);
  return NULL;
}

char *fg_trace_line_print(const fg_trace_line *l) { return print(l, false); }
char *fg_trace_line_template(const fg_trace_line *l) { return print(l, true); }

/* ---- parse ---- */

typedef struct {
  fg_trace_line *line;
  fg_trace_frame *frame;
  char *why;
  size_t size;
  int kind, format, sign; /* of a plan's problem; kind < 0: none */
  char *dims, *batch, *r2r;
  unsigned flags;
  int threads;
} reader;

static bool fail(const reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(const reader *r, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(r->why, r->size, format, args);
  va_end(args);
  return false;
}

/* A whole number that is all of text, or, with end, begins it. */
static bool number(const char *text, char **end, long long low, long long high, long long *to) {
  char *behind;
  errno = 0;
  const long long n = strtoll(text, &behind, 0);
  if (behind == text || errno || n < low || n > high || (!end && *behind)) return false;
  if (end) *end = behind;
  *to = n;
  return true;
}

static int word_index(const char *text, const char *const *words) {
  for (int i = 0; words[i]; i++)
    if (!strcmp(words[i], text)) return i;
  return -1;
}

/* Numbers of plans and arrays are small: they index tables. */
enum { MOST_IDS = 1 << 24 };

static bool read_ref(char **text, fg_trace_ref *to) {
  long long n;
  *to = (fg_trace_ref){FG_TRACE_NULL, 0};
  if (!strncmp(*text, "null", 4)) {
    *text += 4;
    return true;
  }
  if (**text != 'a' || !number(*text + 1, text, 0, MOST_IDS, &n)) return false;
  to->array = (int)n;
  if (**text != '+' && **text != '-') return true;
  if (!number(*text, text, -(1LL << 50), 1LL << 50, &n)) return false;
  to->offset = (ptrdiff_t)n;
  return true;
}

/* One for each place that the line names. */
static bool read_steps(char *text, const fg_trace_line *l, ptrdiff_t *step) {
  bool first = true;
  for (int i = 0; i < FG_TRACE_REFS; i++) {
    long long n;
    if (l->at[i].array < 0) continue;
    if (!first && *text++ != ',') return false;
    if (!number(text, &text, -(1LL << 50), 1LL << 50, &n)) return false;
    step[i] = (ptrdiff_t)n;
    first = false;
  }
  return !*text;
}

static bool read_side(char *text, fg_trace_ref *re, fg_trace_ref *im) {
  *im = (fg_trace_ref){FG_TRACE_NULL, 0};
  if (!read_ref(&text, re)) return false;
  if (*text == ',' && (text++, !read_ref(&text, im))) return false;
  return !*text;
}

static int commas(const char *text) {
  int n = 1;
  for (; *text; text++) n += *text == ',';
  return n;
}

static int rank_of(const char *text) { return strcmp(text, "-") ? commas(text) : 0; }

static bool read_dim(char **text, fg_dim *to, long long least) {
  static const long long most = 1LL << 48;
  long long n, is, os;
  if (!number(*text, text, least, most, &n) || *(*text)++ != ':') return false;
  if (!number(*text, text, -most, most, &is) || *(*text)++ != ':') return false;
  if (!number(*text, text, -most, most, &os)) return false;
  *to = (fg_dim){(ptrdiff_t)n, (ptrdiff_t)is, (ptrdiff_t)os};
  return true;
}

static bool read_tensor(char *text, fg_tensor *t, long long least) {
  for (int d = 0; d < t->rank; d++) {
    if (!read_dim(&text, &t->dim[d], least)) return false;
    if (*text++ != (d + 1 < t->rank ? ',' : '\0')) return false;
  }
  return true;
}

static bool read_r2r(char *text, fg_problem *p) {
  enum { KINDS = 11 };
  for (int d = 0; d < p->transform.rank; d++) {
    long long n;
    if (!number(text, &text, 0, KINDS - 1, &n) || *text++ != (d + 1 < p->transform.rank ? ',' : '\0')) return false;
    p->r2r_kind[d] = (int)n;
  }
  return true;
}

/* Made-up addresses, never to be followed, that tell the placement. */
static void place_arrays(fg_problem *p, const fg_trace_line *l) {
  static char in, out;
  const fg_trace_ref *from = &l->at[FG_IN_RE], *to = &l->at[FG_OUT_RE];
  const bool same = from->array == to->array && from->offset == to->offset;
  p->arrays = (fg_arrays){&in, NULL, same ? &in : &out, NULL};
}

static bool read_problem(reader *r) {
  if (r->kind < 0) return true;
  if (r->format < 0 || !r->dims || !r->batch) return fail(r, "a plan without format, dims or batch");
  fg_problem *p = fg_problem_new((enum fg_kind)r->kind, r->line->precision, (enum fg_format)r->format, rank_of(r->dims),
                                 rank_of(r->batch));
  if (!p) return fail(r, "out of memory");
  r->line->problem = p;
  p->sign = r->sign;
  p->flags = r->flags;
  p->threads = r->threads;
  place_arrays(p, r->line);
  if (!read_tensor(r->dims, &p->transform, 1)) return fail(r, "bad dims");
  if (!read_tensor(r->batch, &p->batch, 0)) return fail(r, "bad batch");
  if (p->kind == FG_R2R && p->transform.rank && (!r->r2r || !read_r2r(r->r2r, p))) return fail(r, "bad r2r kinds");
  return true;
}

static bool copy_word(char *to, size_t size, const char *from) {
  if (strlen(from) >= size) return false;
  strcpy(to, from);
  return true;
}

/* Keys of a plan's problem; *known: whether key is one. */
static bool read_problem_key(reader *r, const char *key, char *value, bool *known) {
  long long n = 0;
  bool good = true;
  *known = true;
  if (!strcmp(key, "kind")) good = (r->kind = word_index(value, kinds)) >= 0;
  else if (!strcmp(key, "format")) good = (r->format = word_index(value, formats)) >= 0;
  else if (!strcmp(key, "sign")) good = number(value, NULL, -1, 1, &n), r->sign = (int)n;
  else if (!strcmp(key, "dims")) r->dims = value;
  else if (!strcmp(key, "batch")) r->batch = value;
  else if (!strcmp(key, "r2r")) r->r2r = value;
  else if (!strcmp(key, "flags")) good = number(value, NULL, 0, UINT_MAX, &n), r->flags = (unsigned)n;
  else if (!strcmp(key, "threads")) good = number(value, NULL, 1, INT_MAX, &n), r->threads = (int)n;
  else *known = false;
  return good;
}

static bool read_duration(fg_trace_frame *frame, const char *key, const char *value) {
  uint64_t *const to = !strcmp(key, "ns")    ? &frame->ns
                       : !strcmp(key, "min") ? &frame->min
                       : !strcmp(key, "max") ? &frame->max
                                             : NULL;
  long long n = 0;
  if (!to) return true;
  if (!number(value, NULL, 0, LLONG_MAX, &n)) return false;
  *to = (uint64_t)n;
  frame->timed |= to == &frame->ns;
  return true;
}

static bool read_precision(const char *value, enum fg_precision *to) {
  *to = !strcmp(value, "double") ? FG_DOUBLE : FG_SINGLE;
  return *to == FG_DOUBLE || !strcmp(value, "single");
}

/* Keys of all calls.  Unknown ones are passed over: later versions may have more. */
static bool read_key(reader *r, const char *key, char *value) {
  fg_trace_line *l = r->line;
  const enum fg_call c = l->call;
  bool known = false;
  if (calls[c].value && !strcmp(key, calls[c].value)) return number(value, NULL, LLONG_MIN, LLONG_MAX, &l->value);
  if (calls[c].result && !strcmp(key, calls[c].result)) return number(value, NULL, LLONG_MIN, LLONG_MAX, &l->result);
  if (calls[c].word && !strcmp(key, calls[c].word)) return copy_word(l->word, sizeof l->word, value);
  if (!strcmp(key, "at")) return read_ref(&value, &l->at[0]) && !*value && l->at[0].array >= 0;
  if (!strcmp(key, "precision")) return read_precision(value, &l->precision);
  if (!strcmp(key, "where")) return copy_word(l->where, sizeof l->where, value);
  if (!strcmp(key, "by")) return copy_word(l->by, sizeof l->by, value);
  if (!strcmp(key, "in")) return l->has_arrays = true, read_side(value, &l->at[FG_IN_RE], &l->at[FG_IN_IM]);
  if (!strcmp(key, "out")) return read_side(value, &l->at[FG_OUT_RE], &l->at[FG_OUT_IM]);
  if (!strcmp(key, "step")) return read_steps(value, l, r->frame->step);
  if (c == FG_CALL_PLAN && !read_problem_key(r, key, value, &known)) return false;
  return known || read_duration(r->frame, key, value);
}

static bool read_times(const char *word, fg_trace_frame *frame) {
  long long n;
  if (*word != 'x' || !number(word + 1, NULL, 1, LONG_MAX, &n)) return false;
  frame->times = (long)n;
  return true;
}

static bool read_words(reader *r, char **save) {
  for (char *word; (word = strtok_r(NULL, " ", save));) {
    char *equals = strchr(word, '=');
    if (!equals && read_times(word, r->frame)) continue;
    if (!equals) return fail(r, "'%.40s' is not understood", word);
    *equals = 0;
    if (!read_key(r, word, equals + 1)) return fail(r, "bad value of %.20s: '%.40s'", word, equals + 1);
  }
  return true;
}

/* "+start tN" */
static bool read_frame(const char *start, const char *thread, fg_trace_frame *frame) {
  long long ns, n;
  if (!start || !thread || *start != '+' || *thread != 't') return false;
  if (!number(start + 1, NULL, 0, LLONG_MAX, &ns) || !number(thread + 1, NULL, 0, INT_MAX, &n)) return false;
  *frame = (fg_trace_frame){.start = (uint64_t)ns, .thread = (int)n, .times = 1};
  return true;
}

static bool read_subject(reader *r, const char *word) {
  long long n = 0;
  const char letter = calls[r->line->call].subject;
  if (!word) return fail(r, "the call is cut off");
  if (!strcmp(word, "null")) r->line->subject = FG_TRACE_NULL;
  else if (!strcmp(word, "other")) r->line->subject = FG_TRACE_OTHER;
  else if (*word == letter && number(word + 1, NULL, 0, MOST_IDS, &n)) r->line->subject = (int)n;
  else return fail(r, "'%.40s' is no %s", word, letter == 'a' ? "array" : "plan");
  return true;
}

static bool read_call(reader *r, const char *word) {
  int c = 0;
  if (!word) return fail(r, "a call is missing");
  while (c < FG_CALLS && strcmp(calls[c].name, word)) c++;
  if (c == FG_CALLS) return fail(r, "no call '%.40s'", word);
  r->line->call = (enum fg_call)c;
  return true;
}

static bool read_line(reader *r, char *text) {
  char *save, *const start = strtok_r(text, " ", &save), *const thread = start ? strtok_r(NULL, " ", &save) : NULL;
  if (!read_frame(start, thread, r->frame)) return fail(r, "it does not begin with a time and a thread");
  if (!read_call(r, strtok_r(NULL, " ", &save))) return false;
  if (calls[r->line->call].subject && !read_subject(r, strtok_r(NULL, " ", &save))) return false;
  if (!read_words(r, &save)) return false;
  if (r->line->call == FG_CALL_JOIN && r->line->at[0].array < 0) return fail(r, "a join without at=");
  return read_problem(r);
}

bool fg_trace_line_parse(const char *text, fg_trace_line *l, fg_trace_frame *frame, char *why, size_t size) {
  reader r = {.line = l, .frame = frame, .why = why, .size = size, .kind = -1, .format = -1, .threads = 1};
  char *copy = strdup(text);
  *l = (fg_trace_line){0};
  for (int i = 0; i < FG_TRACE_REFS; i++) l->at[i].array = FG_TRACE_NULL;
  const bool good = copy ? read_line(&r, copy) : fail(&r, "out of memory");
  free(copy);
  if (!good) fg_trace_line_free(l);
  return good;
}

void fg_trace_line_free(fg_trace_line *l) {
  fg_problem_free(l->problem);
  l->problem = NULL;
}
