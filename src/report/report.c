/* report.c: counts and times of each problem, written when the process exits. */
#define _GNU_SOURCE
#include "src/report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/problem/notation.h"
#include "src/report/lock_for.h"
#include "src/report/log.h"
#include "src/report/process_path.h"
#include "src/report/quietly.h"
#include "src/report/settings.h"
#include "src/report/standard_error.h"

struct fg_report_row {
  fg_report_row *next, *keyed;             /* keyed: of the same place in by_key */
  char *problem, *where, *reason, *passes; /* the first three, and precision, are the key */
  const char *precision;
  uint64_t hash;                           /* of the key */
  char *fallback;                          /* why the first fallback happened, or NULL */
  unsigned long plans, executes, fallbacks;
  double seconds, best; /* best: infinite before the first execution */
  double cold, warm;    /* planning: the first, the shortest of the others; infinite before */
  double error;         /* worst; negative: never verified */
};

/* Rows live as long as the process: plans hold them. */
static struct {
  pthread_mutex_t lock;
  fg_report_row *first, **last; /* in order of appearance */
  fg_report_row *by_key[1024];  /* the same, by the hash */
  int error_fd;                 /* copy of stderr, or -1 */
} report = {.lock = PTHREAD_MUTEX_INITIALIZER, .last = &report.first, .error_fd = -1};

static pid_t loaded_by; /* children of a fork are other processes */

/* For programs that close theirs before they exit. */
static void keep_stderr(void) {
  if (report.error_fd < 0 && fg_is_standard_error(STDERR_FILENO))
    report.error_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 100); /* high: programs may count on low numbers */
}

/* The settings are not read yet: a program without plans is not bothered with them. */
void fg_report_loaded(void) {
  const char *path = secure_getenv("FFTW3_GPU_REPORT");
  loaded_by = getpid();
  if (!path || strcmp(path, "-")) return;
  fg_standard_error_begin(); /* whichever constructor comes first */
  keep_stderr();
}

bool fg_report_wanted(void) { return fg_settings_get()->report != NULL; }

/* ---- the process: its beginning, its children ---- */

static void before_fork(void) { pthread_mutex_lock(&report.lock); }
static void in_parent(void) { pthread_mutex_unlock(&report.lock); }

static void clear(fg_report_row *row) {
  row->plans = row->executes = row->fallbacks = 0;
  row->seconds = 0;
  row->best = row->cold = row->warm = INFINITY;
  row->error = -1;
  free(row->fallback);
  row->fallback = NULL;
}

/* A child reports what it does itself, under plans that it may have inherited. */
static void in_child(void) {
  for (fg_report_row *row = report.first; row; row = row->next) clear(row);
  pthread_mutex_unlock(&report.lock);
}

/* With this priority before the planner lock's, which the forking thread then takes first, as planners do. */
__attribute__((constructor(201))) static void watch_fork(void) { pthread_atfork(before_fork, in_parent, in_child); }

static void unusable(const char *path) {
  static atomic_flag told = ATOMIC_FLAG_INIT;
  if (!atomic_flag_test_and_set(&told)) fg_log_setting("FFTW3_GPU_REPORT", path, fg_error_text(errno));
}

/* With the number of this process, which a child of it has not. */
static bool own_path(char path[PATH_MAX]) { return fg_process_path(path, fg_settings_get()->report, false); }

/* A file that cannot be written is told of before the hours of the run, not after.  A pipe may have no reader yet. */
static void try_file(const char *path) {
  struct stat st;
  if (!stat(path, &st) && !S_ISREG(st.st_mode)) return;
  const int fd = fg_open_quietly(path);
  if (fd < 0) unusable(path);
  else close(fd);
}

static void start(void) {
  char path[PATH_MAX];
  if (!strcmp(fg_settings_get()->report, "-")) keep_stderr();
  else if (own_path(path)) try_file(path);
}

/* ---- rows ---- */

static uint64_t hash_text(uint64_t hash, const char *text) { /* FNV-1a, the terminator included */
  do hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
  while (*text++);
  return hash;
}

static fg_report_row **keyed(uint64_t hash) {
  return &report.by_key[hash % (sizeof report.by_key / sizeof *report.by_key)];
}

static fg_report_row *find(uint64_t hash, const char *problem, const char *precision, const char *where,
                           const char *reason) {
  for (fg_report_row *row = *keyed(hash); row; row = row->keyed)
    if (row->hash == hash && !strcmp(row->problem, problem) && !strcmp(row->precision, precision) &&
        !strcmp(row->where, where) && !strcmp(row->reason, reason))
      return row;
  return NULL;
}

/* Make text fit for a column. */
static char *clean(char *text) {
  for (char *c = text; c && *c; c++)
    if ((unsigned char)*c < ' ') *c = ' ';
  return text;
}

static char *column(const char *text) { return clean(strdup(text && *text ? text : "-")); }

static fg_report_row *add(uint64_t hash, const char *problem, const char *precision, const char *where,
                          const char *reason, const char *passes) {
  fg_report_row *row = calloc(1, sizeof *row);
  if (!row) return NULL;
  clear(row);
  row->hash = hash;
  row->problem = column(problem);
  row->precision = precision;
  row->where = column(where);
  row->reason = column(reason);
  row->passes = column(passes);
  if (!row->problem || !row->where || !row->reason || !row->passes) {
    free(row->problem);
    free(row->where);
    free(row->reason);
    free(row->passes);
    free(row);
    return NULL;
  }
  row->keyed = *keyed(hash);
  *keyed(hash) = row;
  *report.last = row;
  report.last = &row->next;
  return row;
}

fg_report_row *fg_report_plan(const fg_problem *p, const char *precision, const char *where, const char *reason,
                              const char *passes) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (!fg_report_wanted()) return NULL;
  pthread_once(&once, start);
  char problem[256], why[256];
  fg_notation_print(p, problem, sizeof problem);
  snprintf(why, sizeof why, "%s", reason && *reason ? reason : "-");
  clean(why);
  uint64_t hash = hash_text(hash_text(UINT64_C(0xcbf29ce484222325), problem), precision);
  hash = hash_text(hash_text(hash, where), why);
  pthread_mutex_lock(&report.lock);
  fg_report_row *row = find(hash, problem, precision, where, why);
  if (!row) row = add(hash, problem, precision, where, why, passes);
  if (row) row->plans++;
  pthread_mutex_unlock(&report.lock);
  return row;
}

void fg_report_planned(fg_report_row *row, double seconds) {
  if (!row) return;
  pthread_mutex_lock(&report.lock);
  if (row->cold == INFINITY) row->cold = seconds;
  else if (seconds < row->warm) row->warm = seconds;
  pthread_mutex_unlock(&report.lock);
}

void fg_report_execute(fg_report_row *row, double seconds, const char *fallback, double error) {
  if (!row) return;
  pthread_mutex_lock(&report.lock);
  row->executes++;
  row->seconds += seconds;
  if (seconds < row->best) row->best = seconds;
  if (fallback) {
    row->fallbacks++;
    if (!row->fallback) row->fallback = column(fallback);
  }
  if (isnan(error)) error = INFINITY; /* a result that is no number is as wrong as can be */
  if (error > row->error && error >= 0) row->error = error;
  pthread_mutex_unlock(&report.lock);
}

/* ---- at exit ---- */

static const char header[] =
    "#problem\twhere\treason\tplans\texecutes\tfallbacks\tseconds\tbest_seconds\terror\tpasses\tpid\tprogram\tprecision"
    "\tplan_cold\tplan_warm\n";

static void print_row(FILE *f, const fg_report_row *row, const char *program) {
  fprintf(f, "%s\t%s\t%s%s%s\t%lu\t%lu\t%lu\t%.9f\t", row->problem, row->where, row->reason,
          row->fallback ? "; fallback: " : "", row->fallback ? row->fallback : "", row->plans, row->executes,
          row->fallbacks, row->seconds);
  fprintf(f, row->executes ? "%.9f\t" : "-\t", row->best);
  fprintf(f, row->error >= 0 ? "%.3e\t" : "-\t", row->error);
  fprintf(f, "%s\t%ld\t%s\t%s\t", row->passes, (long)getpid(), program, row->precision);
  fprintf(f, row->cold < INFINITY ? "%.6f\t" : "-\t", row->cold);
  fprintf(f, row->warm < INFINITY ? "%.6f\n" : "-\n", row->warm);
}

/* Header and rows as one malloc'd text; NULL if there is nothing to tell. */
static char *print_rows(size_t *length) {
  char *text = NULL;
  bool any = loaded_by == getpid();
  FILE *f = open_memstream(&text, length);
  if (!f) return NULL;
  char program[NAME_MAX + 1];
  snprintf(program, sizeof program, "%s", program_invocation_short_name);
  clean(program);
  fputs(header, f);
  for (const fg_report_row *row = report.first; row; row = row->next) {
    if (!row->plans && !row->executes) continue; /* of the parent, before the fork */
    print_row(f, row, program);
    any = true;
  }
  if (!fclose(f) && any) return text;
  free(text);
  return NULL;
}

/* Numbers with a point, whatever the program's locale. */
static char *print_in_c_locale(size_t *length) {
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (!c) return NULL;
  locale_t before = uselocale(c);
  char *text = print_rows(length);
  uselocale(before);
  freelocale(c);
  return text;
}

/* Whether fd is still what stderr was when the first plan was made, not a file that the program opened since. */
static void write_stderr(const char *text, size_t length) {
  const int fds[] = {STDERR_FILENO, report.error_fd};
  int fd = -1;
  for (int i = 1; i >= 0; i--)
    if (fg_is_standard_error(fds[i])) fd = fds[i];
  if (fd >= 0) fg_write_quietly(fd, text, length, -1);
}

/* Not for ever: a program has to end, whoever else has locked the file.  Of hundreds of ranks that end at once somebody writes all
 * the time. */
static void lock_file(int fd) {
  enum { MOST_IDLE_MS = 2000, MOST_MS = 30000 };
  struct stat st = {.st_size = -1};
  for (int ms = 0, idle = 0; idle < MOST_IDLE_MS && ms < MOST_MS && flock(fd, LOCK_EX | LOCK_NB) &&
                             (errno == EWOULDBLOCK || errno == EINTR); ms++) {
    const off_t before = st.st_size;
    usleep(1000);
    idle = fstat(fd, &st) || st.st_size == before ? idle + 1 : 0;
  }
}

/* The lock makes one process alone find the file empty, and write the header. */
static void write_file(const char *path, const char *text, size_t length) {
  const int fd = fg_open_quietly(path);
  struct stat st;
  if (fd >= 0) lock_file(fd);
  size_t skip = fd >= 0 && !fstat(fd, &st) && st.st_size > 0 ? sizeof header - 1 : 0;
  if (fd < 0 || !fg_write_quietly(fd, text + skip, length - skip, -1))
    unusable(path);
  if (fd >= 0) close(fd);
}

/* A destructor, which runs after the program's own exit handlers: they may still transform. */
static void __attribute__((destructor)) write_report(void) {
  /* Where nothing was planned the settings may never have been read; they are not, but for a report. */
  if (!report.first && (loaded_by != getpid() || !secure_getenv("FFTW3_GPU_REPORT"))) return;
  char path[PATH_MAX];
  if (!fg_settings_get()->report || !own_path(path)) return;
  size_t length = 0;
  if (!fg_lock_for(&report.lock, FG_LOCK_AT_END)) return;
  char *text = print_in_c_locale(&length);
  pthread_mutex_unlock(&report.lock);
  if (text && strcmp(path, "-"))
    write_file(path, text, length);
  else if (text)
    write_stderr(text, length);
  free(text);
}
