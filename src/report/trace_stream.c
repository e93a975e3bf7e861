/* trace_stream.c: each thread's lines in a fold of its own; what has settled, and what has not, to the file. */
#define _GNU_SOURCE
#include "src/report/trace_stream.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include "src/report/trace.h"
#include "src/report/trace_file.h"

enum { MOST_STANDING = 1 << 20, MOST_CREDIT = 5000000 /* ns */ };

/* A thread's lines that may still become loops.  A thread that ends leaves its number to the next that begins. */
typedef struct {
  fg_trace_fold *fold;
  bool taken;
} thread;

static thread *threads;
static int thread_count;
static pthread_key_t key;  /* number + 1 */
static bool ordered;       /* lines whose order matters are waiting in some thread's fold */
static struct {
  FILE *stream;
  char *text;
  size_t length;
} standing;                /* text that is not in the file yet, and will not change */
static size_t limit = (size_t)64 << 20;
static int64_t credit = MOST_CREDIT; /* what writing may take now */
static uint64_t credited_at;

/* ---- threads ----------------------------------------------------------------------------------------------------- */

/* NULL on lack of memory. */
static fg_trace_fold *new_thread(int number) {
  if (number == thread_count) {
    thread *more = realloc(threads, ((size_t)number + 1) * sizeof *more);
    if (!more) return NULL;
    threads = more;
    threads[number] = (thread){calloc(1, sizeof(fg_trace_fold)), false};
    thread_count++;
  }
  if (!threads[number].fold) return NULL;
  threads[number].fold->thread = number;
  threads[number].taken = true;
  pthread_setspecific(key, (void *)(intptr_t)(number + 1));
  return threads[number].fold;
}

static fg_trace_fold *my_fold(void) {
  const intptr_t mine = (intptr_t)pthread_getspecific(key);
  if (mine) return threads[mine - 1].fold;
  int number = 0;
  while (number < thread_count && threads[number].taken) number++;
  return new_thread(number);
}

bool fg_trace_stream_begin(void (*thread_ends)(void *)) { return pthread_key_create(&key, thread_ends) == 0; }

void fg_trace_stream_leave(void *number) { threads[(intptr_t)number - 1].taken = false; }

/* ---- to the file ------------------------------------------------------------------------------------------------- */

FILE *fg_trace_stream_stand(void) {
  if (!standing.stream) standing.stream = open_memstream(&standing.text, &standing.length);
  return standing.stream;
}

/* The first count nodes of a fold are not waited for any more. */
static void settle(fg_trace_fold *f, int count) {
  FILE *s = fg_trace_stream_stand();
  if (s) fg_trace_fold_print(f, count, s);
  if (s) fflush(s); /* its length is known */
  fg_trace_fold_drop(f, count);
}

static void settle_all(void) {
  for (int i = 0; i < thread_count; i++)
    if (threads[i].fold) settle(threads[i].fold, threads[i].fold->count);
  ordered = false;
}

/* What may still change, and the last line if there is one; malloc'd. */
static char *print_tail(const char *last, uint64_t now, size_t *length) {
  char *text = NULL;
  FILE *f = open_memstream(&text, length);
  if (!f) return NULL;
  for (int i = 0; i < thread_count; i++)
    if (threads[i].fold) fg_trace_fold_print(threads[i].fold, threads[i].fold->count, f);
  if (last) fprintf(f, "+%" PRIu64 " %s\n", now, last);
  fclose(f);
  return text;
}

static bool too_large(void) { return fg_trace_file_size() + standing.length > limit; }

bool fg_trace_stream_write(const char *last, uint64_t now) {
  const uint64_t begin = fg_clock_nanoseconds();
  size_t tail_length = 0;
  if (standing.stream) fclose(standing.stream);
  standing.stream = NULL;
  if (too_large()) last = "full";
  char *tail = print_tail(last, now, &tail_length);
  const bool good = fg_trace_file_write(standing.text, standing.length, tail, tail ? tail_length : 0);
  free(standing.text);
  free(tail);
  standing.text = NULL;
  standing.length = 0;
  credit -= (int64_t)(fg_clock_nanoseconds() - begin);
  return good && !last;
}

bool fg_trace_stream_end(uint64_t now) {
  settle_all();
  return fg_trace_stream_write("done", now);
}

/* A crash loses what was not written: each call is, as long as that takes a twentieth of the time. */
bool fg_trace_stream_write_sometimes(uint64_t since) {
  const uint64_t now = fg_clock_nanoseconds();
  credit += (int64_t)(now - credited_at) / 20;
  if (credit > MOST_CREDIT) credit = MOST_CREDIT;
  credited_at = now;
  if (credit > 0 || standing.length > MOST_STANDING || too_large()) return fg_trace_stream_write(NULL, now - since);
  return true;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* Threads' lines may change places only where nothing but executions is waiting. */
static void keep_order(const fg_trace_fold *mine, bool order_matters) {
  bool others = false;
  for (int i = 0; i < thread_count; i++)
    if (threads[i].fold && threads[i].fold != mine) others |= threads[i].fold->count > 0;
  if (others && (ordered || order_matters)) settle_all();
  ordered |= order_matters;
}

void fg_trace_stream_push(char *text, const ptrdiff_t *offset, bool order_matters, const fg_trace_frame *frame) {
  fg_trace_fold *f = my_fold();
  if (!f || !text) {
    free(text);
    return;
  }
  keep_order(f, order_matters);
  if (f->count == FG_FOLD_MOST) settle(f, FG_FOLD_MOST / 2);
  fg_trace_fold_push(f, text, offset, frame);
}

/* ---- fork, limit ------------------------------------------------------------------------------------------------- */

void fg_trace_stream_forked(void) {
  for (int i = 0; i < thread_count; i++) {
    if (threads[i].fold) fg_trace_fold_drop(threads[i].fold, threads[i].fold->count);
    threads[i].taken = i + 1 == (intptr_t)pthread_getspecific(key);
  }
  ordered = false;
  credit = MOST_CREDIT;
}

void fg_trace_set_limit(size_t bytes) { limit = bytes; }
