/* accuracy_program.c: `fftw3-gpu accuracy --program`: a program with stock FFTW and with the library, which compares each
 * transform on the device with FFTW's of the same numbers (FFTW3_GPU_VERIFY) and reports what it found. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/cli/accuracy.h"
#include "src/cli/cli.h"

typedef struct {
  char folder[PATH_MAX], output[2][PATH_MAX + 16], report[PATH_MAX + 16];
  double tolerance;
  off_t input; /* where standard input stood; -1: it cannot go back */
} session;

/* ---- running it ---- */

/* In the child: the environment of the run. */
static int prepare(const session *s, bool with_library) {
  char tolerance[32];
  const char *mode = getenv("FFTW3_GPU");
  unsetenv("FFTW3_GPU_REPORT");
  unsetenv("FFTW3_GPU_TRACE");
  unsetenv("FFTW3_GPU_VERIFY");
  if (!with_library) return setenv("FFTW3_GPU", "off", 1); /* linked to the library, even */
  snprintf(tolerance, sizeof tolerance, "%.9g", s->tolerance > 0 ? s->tolerance : fg_bench_wrong(FG_SINGLE));
  if (!mode || !*mode) setenv("FFTW3_GPU", "force", 1);
  setenv("FFTW3_GPU_REPORT", s->report, 1);
  setenv("FFTW3_GPU_VERIFY", tolerance, 1);
  return fg_cli_preload("accuracy");
}

/* Returns after a message if it could not be started. */
static void start(const session *s, bool with_library, char **argv) {
  const int output = open(s->output[with_library], O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (output < 0 || dup2(output, STDOUT_FILENO) < 0) {
    fg_cli_error("accuracy: %s: %s", s->output[with_library], strerror(errno));
    return;
  }
  close(output);
  if (prepare(s, with_library)) return;
  execvp(argv[0], argv);
  fg_cli_error("accuracy: %s: %s", argv[0], strerror(errno));
}

/* A child that writes to failed if the program could not be started; programs may end with any status. */
static pid_t begin(const session *s, bool with_library, char **argv, const int failed[2]) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  start(s, with_library, argv);
  if (write(failed[1], "", 1) != 1) abort();
  _exit(FG_EXIT_FAILED);
}

/* As the shell has it: 128 more than a signal.  Negative: it could not be started. */
static int run(const session *s, bool with_library, char **argv) {
  int status, failed[2];
  char byte;
  fflush(stdout);
  if (with_library && s->input >= 0) lseek(STDIN_FILENO, s->input, SEEK_SET);
  if (pipe2(failed, O_CLOEXEC)) {
    fg_cli_error("accuracy: %s", strerror(errno));
    return -1;
  }
  const pid_t pid = begin(s, with_library, argv, failed);
  if (pid < 0) fg_cli_error("accuracy: %s", strerror(errno));
  close(failed[1]);
  const bool started = pid > 0 && read(failed[0], &byte, 1) == 0;
  close(failed[0]);
  while (pid > 0 && waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return -1;
  if (!started) return -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* ---- its report ---- */

enum { PROBLEM, WHERE, REASON, PRECISION, PLANS, EXECUTES, FALLBACKS, ERROR, FIELDS };
static const char *const titles[FIELDS] = {"problem",  "where",     "reason", "precision", "plans",
                                           "executes", "fallbacks", "error"};
enum { TEXTS = PLANS }; /* the first are what an entry is known by */

typedef struct {
  char *text[TEXTS];
  unsigned long plans, executes, fallbacks;
  double error; /* negative: nothing was compared */
} entry;

typedef struct {
  int count;
  entry *item;
} entries;

/* Fields between tabs; their number, at most most. */
static int split(char *line, char **field, int most) {
  int count = 0;
  line[strcspn(line, "\n")] = 0;
  for (char *at; (at = strsep(&line, "\t")) && count < most;) field[count++] = at;
  return count;
}

static bool known_by(const entry *e, char *const field[FIELDS]) {
  for (int i = 0; i < TEXTS; i++)
    if (strcmp(e->text[i], field[i])) return false;
  return true;
}

/* Several processes may have lines of the same problem, place and reason. */
static entry *entry_of(entries *all, char *const field[FIELDS]) {
  for (int i = 0; i < all->count; i++)
    if (known_by(&all->item[i], field)) return &all->item[i];
  entry *grown = realloc(all->item, ((size_t)all->count + 1) * sizeof *grown);
  if (!grown) return NULL;
  all->item = grown;
  entry *e = &all->item[all->count++];
  *e = (entry){.error = -1};
  for (int i = 0; i < TEXTS; i++) e->text[i] = strdup(field[i]);
  return e;
}

static void add(entries *all, char *const field[FIELDS]) {
  entry *e = entry_of(all, field);
  if (!e) return;
  const double error = *field[ERROR] == '-' ? -1 : strtod(field[ERROR], NULL);
  e->plans += strtoul(field[PLANS], NULL, 10);
  e->executes += strtoul(field[EXECUTES], NULL, 10);
  e->fallbacks += strtoul(field[FALLBACKS], NULL, 10);
  if (error > e->error) e->error = error;
}

/* The columns by their names in the first line. */
static bool find_columns(char *line, int column[FIELDS]) {
  char *field[64];
  const int count = split(line + (*line == '#'), field, 64);
  for (int f = 0; f < FIELDS; f++) {
    column[f] = 0;
    while (column[f] < count && strcmp(field[column[f]], titles[f])) column[f]++;
    if (column[f] == count) return false;
  }
  return true;
}

static bool read_report(const char *path, entries *all) {
  FILE *f = fopen(path, "r");
  char *line = NULL, *field[64], *wanted[FIELDS];
  size_t size = 0;
  int column[FIELDS];
  const bool known = f && getline(&line, &size, f) > 0 && find_columns(line, column);
  while (known && getline(&line, &size, f) > 0) {
    const int count = split(line, field, 64);
    bool whole = true;
    for (int i = 0; i < FIELDS; i++) {
      whole = whole && column[i] < count;
      wanted[i] = whole ? field[column[i]] : NULL;
    }
    if (whole) add(all, wanted);
  }
  free(line);
  if (f) fclose(f);
  return known;
}

static void entries_free(entries *all) {
  for (int i = 0; i < all->count; i++)
    for (int t = 0; t < TEXTS; t++) free(all->item[i].text[t]);
  free(all->item);
}

/* ---- what is told ---- */

static bool compared(const entry *e) { return e->error >= 0; }

/* The difference that is too large: what no rounding explains, unless the user says. */
static double most(const entry *e, double tolerance) {
  return tolerance > 0 ? tolerance : fg_bench_wrong(strcmp(e->text[PRECISION], "double") ? FG_SINGLE : FG_DOUBLE);
}

static void print_entry(const entry *e, FILE *csv) {
  char error[32] = "-";
  if (compared(e)) snprintf(error, sizeof error, "%.2e", e->error);
  printf("%-28s %-16s %-5s %7lu %10lu %10s  %s\n", e->text[PROBLEM], e->text[PRECISION], e->text[WHERE], e->plans,
         e->executes, error, e->text[REASON]);
  if (!csv) return;
  fprintf(csv, "%s,%s,%s,%lu,%lu,%lu,", e->text[PROBLEM], e->text[PRECISION], e->text[WHERE], e->plans, e->executes,
          e->fallbacks);
  fprintf(csv, compared(e) ? "%.9g," : ",", e->error);
  fputc('"', csv);
  for (const char *c = e->text[REASON]; *c; c++) fputs(*c == '"' ? "\"\"" : (const char[]){*c, 0}, csv);
  fputs("\"\n", csv);
}

static bool none_compared(const entries *all) {
  for (int i = 0; i < all->count; i++)
    if (compared(&all->item[i])) return false;
  return true;
}

/* true: transforms were compared, and agree. */
static bool print_summary(const entries *all, double tolerance) {
  unsigned long number = 0, host = 0, replaced = 0;
  const entry *worst = NULL;
  bool agree = true;
  for (int i = 0; i < all->count; i++) {
    const entry *e = &all->item[i];
    if (!strcmp(e->text[WHERE], "host")) host += e->executes;
    if (!compared(e)) continue;
    number += e->executes;
    replaced += e->fallbacks;
    agree = agree && e->error <= most(e, tolerance);
    if (!worst || e->error / most(e, tolerance) > worst->error / most(worst, tolerance)) worst = e;
  }
  printf("%lu transforms on the device compared, %lu on the host\n", number, host);
  if (!worst) return false;
  printf("largest relative L2 difference from stock FFTW: %.2e (%s, %s)%s\n", worst->error, worst->text[PROBLEM],
         worst->text[PRECISION], agree ? "" : ": TOO LARGE");
  if (replaced) printf("%lu results were replaced by FFTW's: too large a difference, or a failure\n", replaced);
  return agree;
}

/* Lines of the two outputs that differ; the first such lines are told. */
static void print_outputs(const session *s) {
  FILE *f[2] = {fopen(s->output[0], "r"), fopen(s->output[1], "r")};
  char *line[2] = {NULL, NULL};
  size_t size[2] = {0, 0};
  unsigned long lines = 0, different = 0;
  ssize_t length[2] = {-1, -1};
  bool only_numbers = true;
  double most = 0, here;
  while (f[0] && f[1]) {
    for (int i = 0; i < 2; i++) length[i] = getline(&line[i], &size[i], f[i]);
    if (length[0] < 0 && length[1] < 0) break;
    lines++;
    if (length[0] == length[1] && !memcmp(line[0], line[1], (size_t)length[0])) continue;
    only_numbers = only_numbers && length[0] >= 0 && length[1] >= 0 && fg_accuracy_lines_near(line[0], line[1], &here);
    if (only_numbers && here > most) most = here;
    if (!different++)
      for (int i = 0; i < 2; i++)
        printf("%s, line %lu: %.*s\n", i ? "with the library" : "stock FFTW", lines,
               length[i] > 0 ? (int)strcspn(line[i], "\n") : 6, length[i] > 0 ? line[i] : "(none)");
  }
  if (different && only_numbers)
    printf("standard output: %lu of %lu lines differ, in numbers only, by %.1e of the largest in the line at most\n",
           different, lines, most);
  else if (different) printf("standard output: %lu of %lu lines differ, not only in numbers\n", different, lines);
  else printf("standard output: the same, %lu lines\n", lines);
  for (int i = 0; i < 2; i++) {
    free(line[i]);
    if (f[i]) fclose(f[i]);
  }
}

static int tell(const session *s, const int status[2], FILE *csv) {
  entries all = {0};
  const bool report = read_report(s->report, &all);
  if (csv) fputs("problem,precision,where,plans,executes,fallbacks,error,reason\n", csv);
  printf("%-28s %-16s %-5s %7s %10s %10s  %s\n", "problem", "precision", "where", "plans", "executes", "difference",
         "reason");
  for (int i = 0; i < all.count; i++) print_entry(&all.item[i], csv);
  const bool agree = print_summary(&all, s->tolerance);
  print_outputs(s);
  if (!report) fg_cli_error("accuracy: there is no report: the program could not be preloaded into, was killed, or ended by _exit");
  else if (!all.count) fg_cli_error("accuracy: the program planned nothing that the library sees");
  else if (none_compared(&all))
    fg_cli_error("accuracy: no transform ran on the device, so that there is nothing to compare%s", fg_accuracy_advice());
  if (status[0] != status[1])
    fg_cli_error("accuracy: exit status %d with stock FFTW, %d with the library", status[0], status[1]);
  entries_free(&all);
  return agree && status[0] == status[1] ? 0 : FG_EXIT_FAILED;
}

/* ---- all ---- */

/* An absolute path: the program may go to another folder. */
static bool make_folder(char folder[PATH_MAX]) {
  static const char name[] = "/fftw3-gpu-accuracy-XXXXXX";
  const char *const where = fg_cli_tmpdir();
  bool made = realpath(where, folder) != NULL;
  if (made && strlen(folder) + sizeof name > PATH_MAX) {
    errno = ENAMETOOLONG;
    made = false;
  }
  made = made && mkdtemp(strcat(folder, name));
  if (!made) fg_cli_error("accuracy: %s: %s", where, strerror(errno));
  return made;
}

static bool session_begin(session *s, double tolerance) {
  *s = (session){.tolerance = tolerance, .input = lseek(STDIN_FILENO, 0, SEEK_CUR)};
  if (!make_folder(s->folder)) return false;
  snprintf(s->output[0], sizeof s->output[0], "%s/stock", s->folder);
  snprintf(s->output[1], sizeof s->output[1], "%s/library", s->folder);
  snprintf(s->report, sizeof s->report, "%s/report", s->folder);
  return true;
}

static void session_end(const session *s) {
  unlink(s->output[0]);
  unlink(s->output[1]);
  unlink(s->report);
  rmdir(s->folder);
}

int fg_accuracy_program(char **argv, double tolerance, FILE *csv) {
  session s;
  int status[2] = {-1, -1}, result = FG_EXIT_FAILED;
  if (!session_begin(&s, tolerance)) return FG_EXIT_FAILED;
  const char *const obstacle = fg_cli_obstacle(argv[0]);
  if (obstacle) fg_cli_error("accuracy: %s %s: the library has no effect on it", argv[0], obstacle);
  for (int i = 0; i < 2 && (i == 0 || status[0] >= 0); i++) status[i] = run(&s, i == 1, argv);
  if (status[0] >= 0 && status[1] >= 0) result = tell(&s, status, csv);
  session_end(&s);
  return result;
}
