/* replay_file.c: a trace's lines as a tree of calls, and which bytes of each array they touch. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/cli.h"
#include "src/cli/replay.h"
#include "src/problem/notation.h"
#include "src/report/trace_arrays.h"

/* DEEPEST: each level of loops doubles what reading takes, as it does what the program called. */
enum { DEEPEST = 25, BUCKETS = 4096 };

typedef struct {
  fg_replay_file *file;
  FILE *stream;
  char *text;
  size_t room;
  long number;                     /* of the line */
  fg_replay_item **link[DEEPEST];  /* where the next item of each open loop goes */
  long around[DEEPEST];
  int depth;
  char why[128];
} reader;

static bool fail(const reader *r, const char *what) {
  fg_cli_error("replay: %s:%ld: %s", r->file->name, r->number, what);
  return false;
}

/* ---- lines to items ---------------------------------------------------------------------------------------------- */

static fg_replay_item *append(reader *r) {
  fg_replay_item *item = calloc(1, sizeof *item);
  if (!item) return NULL;
  item->number = r->number;
  item->times = 1;
  item->row = -1;
  item->around = r->around[r->depth];
  *r->link[r->depth] = item;
  r->link[r->depth] = &item->next;
  return item;
}

enum verdict { GOOD, LAST, BAD };

static enum verdict bad(reader *r, const char *why) {
  if (why != r->why) snprintf(r->why, sizeof r->why, "%s", why);
  return BAD;
}

static enum verdict open_loop(reader *r, const char *count) {
  char *end;
  const long times = strtol(count, &end, 10);
  if (times < 1 || *end) return bad(r, "a loop needs a number of rounds");
  if (r->depth + 1 == DEEPEST) return bad(r, "loops are nested too deep");
  fg_replay_item *item = append(r);
  if (!item) return bad(r, "out of memory");
  item->loop = true;
  item->times = times;
  r->link[++r->depth] = &item->body;
  if (__builtin_mul_overflow(item->around, times, &r->around[r->depth])) return bad(r, "too many rounds");
  return GOOD;
}

static enum verdict read_call(reader *r, const char *text) {
  fg_trace_line line;
  fg_trace_frame frame;
  if (!fg_trace_line_parse(text, &line, &frame, r->why, sizeof r->why)) return BAD;
  fg_replay_item *item = append(r);
  if (!item) {
    fg_trace_line_free(&line);
    return bad(r, "out of memory");
  }
  item->line = line;
  item->frame = frame;
  item->times = frame.times;
  long all;
  if (__builtin_mul_overflow(item->around, item->times, &all)) return bad(r, "too many rounds");
  if (frame.start > r->file->end) r->file->end = frame.start;
  if (line.subject >= r->file->ids) r->file->ids = line.subject + 1;
  for (int i = 0; i < FG_TRACE_REFS; i++)
    if (line.at[i].array >= r->file->ids) r->file->ids = line.at[i].array + 1;
  return GOOD;
}

/* The last line: "+time done", or "+time full" where the trace reached its largest size. */
static bool is_end(reader *r, const char *text, const char *word) {
  unsigned long long time;
  char got[8];
  if (sscanf(text, "+%llu %7s", &time, got) != 2 || strcmp(got, word)) return false;
  r->file->end = time;
  return true;
}

/* whole: with its line break; without it a line may have lost its end and still look good. */
static enum verdict read_item(reader *r, const char *text, bool whole) {
  while (*text == ' ') text++;
  if (!*text || *text == '#') return GOOD;
  if (whole && !strncmp(text, "repeat ", 7)) return open_loop(r, text + 7);
  if (!strcmp(text, "end") && r->depth) return r->depth--, GOOD;
  if (!r->depth && is_end(r, text, "done")) return r->file->complete = true, LAST;
  if (!r->depth && is_end(r, text, "full")) {
    snprintf(r->file->note, sizeof r->file->note, "the trace had reached its largest size before the program ended");
    return LAST;
  }
  if (!whole) return bad(r, "the line is cut off");
  return read_call(r, text);
}

/* Without its line break; *whole: it had one. */
static bool next_line(reader *r, bool *whole) {
  const ssize_t length = getline(&r->text, &r->room, r->stream);
  if (length <= 0) return false;
  r->number++;
  *whole = r->text[length - 1] == '\n';
  if (*whole) r->text[length - 1] = 0;
  return strlen(r->text) + *whole == (size_t)length || (snprintf(r->why, sizeof r->why, "a zero byte"), false);
}

static bool read_head(reader *r) {
  int version = 0;
  bool whole;
  const bool line = next_line(r, &whole);
  if (ferror(r->stream)) return fail(r, strerror(errno)); /* a folder */
  if (!line || sscanf(r->text, FG_TRACE_MAGIC " %d", &version) != 1) return fail(r, "not a trace");
  if (version != FG_TRACE_VERSION) return fail(r, "a trace of another version of fftw3-gpu");
  if (!next_line(r, &whole) || strncmp(r->text, "program ", 8)) return fail(r, "the line about the program is missing");
  snprintf(r->file->head, sizeof r->file->head, "%s", r->text + 8);
  return true;
}

static bool at_end(reader *r) {
  const int c = getc(r->stream);
  if (c != EOF) ungetc(c, r->stream);
  return c == EOF;
}

/* A program that was killed leaves a last line that is cut off, or none that says "done": the rest counts. */
static bool read_items(reader *r) {
  enum verdict verdict = GOOD;
  bool whole = true;
  while (verdict == GOOD && next_line(r, &whole)) verdict = read_item(r, r->text, whole);
  if (verdict == GOOD && *r->why) verdict = BAD; /* not the end, but a line that cannot be read */
  if (verdict == BAD && !(at_end(r) && !whole)) return fail(r, r->why);
  if (verdict == LAST) return at_end(r) || (r->number++, fail(r, "text behind the last line"));
  snprintf(r->file->note, sizeof r->file->note,
           r->depth || verdict == BAD ? "line %ld is cut off: what is before it is taken"
                                      : "the program was killed or still runs: what it did until line %ld is taken",
           r->number);
  return true;
}

/* ---- arrays and plans by number ---------------------------------------------------------------------------------- */

typedef struct {
  reader *r;
  fg_replay_item **plan, **array; /* what each number stands for at this point of the program */
  fg_replay_item *row[BUCKETS];   /* first plans of rows, by what makes a row */
} names;

/* The row of a plan: that of an earlier one with the same problem, precision, flags and threads, or a new one. */
static void assign_row(names *n, fg_replay_item *item) {
  char key[320];
  const fg_problem *p = item->line.problem;
  unsigned hash = 5381;
  if (item->row >= 0) return;
  fg_notation_print(p, key, sizeof key - 32);
  snprintf(key + strlen(key), 32, " %x %d %d", p->flags, p->threads, (int)p->precision);
  for (const char *c = key; *c; c++) hash = hash * 33 + (unsigned char)*c;
  fg_replay_item **link = &n->row[hash % BUCKETS];
  while (*link && strcmp((*link)->key, key)) link = &(*link)->next_row;
  if (!*link && (item->key = strdup(key))) {
    *link = item;
    item->row = n->r->file->rows++;
  }
  if (*link) item->row = (*link)->row;
}

static fg_replay_item *whole_of(fg_replay_item *a) {
  while (a->whole) a = a->whole;
  return a;
}

static void touch(fg_replay_item *a, ptrdiff_t low, ptrdiff_t high) {
  for (; a->whole; a = a->whole) low += a->delta, high += a->delta;
  if (low < a->low) a->low = low;
  if (high > a->high) a->high = high;
}

/* Where an array's last repetition is from its first; false: nowhere. */
static bool last_step(const fg_replay_item *item, ptrdiff_t step, ptrdiff_t *last) {
  static const ptrdiff_t most = (ptrdiff_t)1 << 46;
  return !__builtin_mul_overflow((ptrdiff_t)item->times - 1, step, last) && *last < most && *last > -most;
}

/* A plan may be made of absurd sizes; it cannot be measured or executed. */
static bool may_be_absurd(const fg_replay_item *item) {
  return item->line.call == FG_CALL_PLAN && item->line.problem->flags & (FG_ESTIMATE | FG_WISDOM_ONLY);
}

static bool touch_side(names *n, const fg_problem *p, enum fg_side side, const fg_replay_item *item) {
  const fg_trace_ref *at = &item->line.at[side == FG_INPUT ? FG_IN_RE : FG_OUT_RE];
  const ptrdiff_t *step = &item->frame.step[side == FG_INPUT ? FG_IN_RE : FG_OUT_RE];
  ptrdiff_t low, high;
  if (!fg_trace_reach(p, side, at[1].array >= 0, &low, &high) && !may_be_absurd(item)) return false;
  for (int i = 0; i < 2; i++) {
    fg_replay_item *const a = at[i].array >= 0 ? n->array[at[i].array] : NULL;
    if (at[i].array >= 0 && !a) return false;
    ptrdiff_t last = 0;
    if (!last_step(item, step[i], &last)) return false;
    if (a) touch(a, at[i].offset + low + (last < 0 ? last : 0), at[i].offset + high + (last > 0 ? last : 0));
  }
  return true;
}

static bool touch_arrays(names *n, const fg_problem *p, const fg_replay_item *item) {
  return touch_side(n, p, FG_INPUT, item) && touch_side(n, p, FG_OUTPUT, item);
}

static const char *join(names *n, fg_replay_item *item) {
  fg_replay_item *const part = n->array[item->line.subject], *const into = n->array[item->line.at[0].array];
  if (!part || !into) return "an array that is not there";
  fg_replay_item *const whole = whole_of(into);
  ptrdiff_t delta = item->line.at[0].offset;
  for (const fg_replay_item *a = into; a->whole; a = a->whole) delta += a->delta;
  if (whole_of(part) == whole) return NULL; /* another round of a loop */
  fg_replay_item *const root = whole_of(part);
  for (const fg_replay_item *a = part; a->whole; a = a->whole) delta -= a->delta;
  root->whole = whole;
  root->delta = delta;
  touch(root, root->low, root->high);
  return NULL;
}

/* Executing needs both parts. */
static bool lacks_part(const fg_problem *p, const fg_trace_ref *at) {
  const bool in = fg_problem_complex_side(p, FG_INPUT), out = fg_problem_complex_side(p, FG_OUTPUT);
  return p->format == FG_SPLIT && ((in && at[FG_IN_IM].array < 0) || (out && at[FG_OUT_IM].array < 0));
}

static bool reachable(const fg_problem *p) {
  ptrdiff_t low, high;
  return fg_trace_reach(p, FG_INPUT, false, &low, &high) && fg_trace_reach(p, FG_OUTPUT, false, &low, &high);
}

static const char *const no_array = "an array that is not there, or larger than memory can be";

static const char *resolve_plan(names *n, fg_replay_item *item) {
  const fg_trace_line *l = &item->line;
  if (l->subject >= 0) n->plan[l->subject] = item;
  if (l->problem) assign_row(n, item);
  if (l->problem && item->row < 0) return "out of memory";
  if (l->problem && !touch_arrays(n, l->problem, item)) return no_array;
  return NULL;
}

static const char *resolve_execute(names *n, fg_replay_item *item) {
  const fg_trace_line *l = &item->line;
  const fg_replay_item *const plan = l->subject >= 0 ? n->plan[l->subject] : NULL;
  if (!plan || !plan->line.problem) return "a plan that is not there";
  item->row = plan->row;
  const fg_replay_item *const places = l->has_arrays ? item : plan;
  if (lacks_part(plan->line.problem, places->line.at)) return "a split array without its other part";
  if (l->has_arrays && !touch_arrays(n, plan->line.problem, item)) return no_array;
  if (!l->has_arrays && may_be_absurd(plan) && !reachable(plan->line.problem)) return no_array;
  return NULL;
}

static const char *resolve(names *n, fg_replay_item *item) {
  const fg_trace_line *l = &item->line;
  switch (l->call) {
    case FG_CALL_MALLOC:
      if (l->value < 0 || l->value > (1LL << 46)) return "a size that cannot be";
      /* fall through */
    case FG_CALL_ARRAY:
      if (l->subject < 0) return NULL;
      n->array[l->subject] = item;
      if (l->call == FG_CALL_MALLOC) touch(item, 0, (ptrdiff_t)l->value);
      return NULL;
    case FG_CALL_JOIN: return l->subject < 0 ? "an array that is not there" : join(n, item);
    case FG_CALL_PLAN: return resolve_plan(n, item);
    case FG_CALL_EXECUTE: return resolve_execute(n, item);
    default: return NULL;
  }
}

/* Loops twice: a round may use what the one before it left. */
static bool resolve_all(names *n, fg_replay_item *first) {
  for (fg_replay_item *item = first; item; item = item->next) {
    for (int round = 0; item->loop && round < 2 && round < item->times; round++)
      if (!resolve_all(n, item->body)) return false;
    const char *why = item->loop ? NULL : resolve(n, item);
    n->r->number = item->number;
    if (why) return fail(n->r, why);
  }
  return true;
}

static bool connect(reader *r) {
  const size_t ids = (size_t)r->file->ids + 1;
  names n = {r, calloc(ids, sizeof *n.plan), calloc(ids, sizeof *n.array), {NULL}};
  const bool good = n.plan && n.array ? resolve_all(&n, r->file->first) : fail(r, "out of memory");
  free(n.plan);
  free(n.array);
  return good;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

bool fg_replay_read(fg_replay_file *file, const char *name) {
  *file = (fg_replay_file){.name = name};
  reader r = {.file = file, .stream = fopen(name, "r"), .link = {&file->first}, .around = {1}};
  if (!r.stream) {
    fg_cli_error("replay: %s: %s", name, strerror(errno));
    return false;
  }
  const bool good = read_head(&r) && read_items(&r) && connect(&r);
  free(r.text);
  fclose(r.stream);
  if (!good) fg_replay_free(file);
  return good;
}

static void free_items(fg_replay_item *item) {
  while (item) {
    fg_replay_item *const next = item->next;
    free_items(item->body);
    fg_trace_line_free(&item->line);
    free(item->key);
    free(item);
    item = next;
  }
}

void fg_replay_free(fg_replay_file *file) {
  free_items(file->first);
  file->first = NULL;
}
