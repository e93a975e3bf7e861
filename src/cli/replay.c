/* replay.c: `fftw3-gpu replay` repeats the FFTW calls that FFTW3_GPU_TRACE recorded, and times them. */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/cli/cli.h"
#include "src/cli/replay.h"

typedef struct {
  const char *file, *csv;
  int times;
  long most;
  bool compare, threads;
} request;

/* ---- comparing: each library in a process of its own, with its own plans and wisdom ------------------------------ */

/* Room for the rows that a child fills in; NULL on lack of memory. */
static fg_replay_row *shared_rows(const fg_replay_file *file) {
  const size_t bytes = ((size_t)file->rows + 1) * sizeof(fg_replay_row);
  void *rows = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (rows == MAP_FAILED) {
    fg_cli_error("replay: out of memory");
    return NULL;
  }
  fg_replay_rows_begin(file, rows);
  return rows;
}

static int wait_for(pid_t pid) {
  int status;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return FG_EXIT_FAILED;
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  fg_cli_error("replay: it was ended by signal %d", WTERMSIG(status));
  return FG_EXIT_FAILED;
}

/* mode: FFTW3_GPU, or NULL: as it is. */
static int run_apart(fg_replay_file *file, fg_replay_row *rows, const fg_replay_options *options, const char *mode) {
  fflush(stdout);
  const pid_t pid = fork();
  if (pid < 0) {
    fg_cli_error("replay: %s", strerror(errno));
    return FG_EXIT_FAILED;
  }
  if (pid > 0) return wait_for(pid);
  if (mode) setenv("FFTW3_GPU", mode, 1);
  exit(fg_replay_run(file, rows, options));
}

/* Without a name. */
static FILE *temporary(void) {
  char path[PATH_MAX];
  const int length = snprintf(path, sizeof path, "%s/fftw3-gpu-replay-XXXXXX", fg_cli_tmpdir());
  const int file = length < (int)sizeof path ? mkstemp(path) : -1;
  if (file < 0) return NULL;
  unlink(path);
  return fdopen(file, "w+b");
}

static int compare(fg_replay_file *file, const request *r, fg_replay_row *stock, fg_replay_row *ours) {
  FILE *results = temporary();
  if (!results) {
    fg_cli_error("replay: no temporary file in %s: %s", fg_cli_tmpdir(), strerror(errno));
    return FG_EXIT_FAILED;
  }
  fg_replay_options options = {r->times, r->most, results, false, false};
  int status = run_apart(file, stock, &options, "off");
  rewind(results);
  options.compare = true;
  if (!status) status = run_apart(file, ours, &options, NULL);
  fclose(results);
  return status;
}

static int judge(const fg_replay_file *file, const fg_replay_row *ours) {
  for (int i = 0; i < file->rows; i++)
    if (!(ours[i].difference <= fg_replay_wrong(&ours[i]))) return FG_EXIT_FAILED;
  return 0;
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static int write_csv(const request *r, const fg_replay_file *file, const fg_replay_row *stock,
                     const fg_replay_row *ours) {
  FILE *csv;
  if (!fg_cli_open("replay", r->csv, &csv)) return FG_EXIT_FAILED;
  if (csv) fg_replay_csv(csv, file, stock, ours);
  return fg_cli_close("replay", r->csv, csv);
}

static int replay_compared(const request *r, fg_replay_file *file, fg_replay_row *ours) {
  fg_replay_row *stock = shared_rows(file);
  if (!stock) return FG_EXIT_FAILED;
  int status = compare(file, r, stock, ours);
  if (status) return status;
  fg_replay_compare_table(file, stock, ours);
  status = write_csv(r, file, stock, ours);
  return status ? status : judge(file, ours);
}

static int replay_alone(const request *r, fg_replay_file *file, fg_replay_row *rows) {
  const fg_replay_options options = {r->times, r->most, NULL, false, r->threads};
  const int status = fg_replay_run(file, rows, &options);
  if (status) return status;
  fg_replay_table(file, rows, r->times);
  return write_csv(r, file, NULL, rows);
}

static int replay(const request *r) {
  fg_replay_file file;
  if (!fg_replay_read(&file, r->file)) return FG_EXIT_FAILED;
  if (*file.note) fg_cli_error("replay: %s: %s", file.name, file.note);
  fg_replay_row *rows = shared_rows(&file);
  int status = FG_EXIT_FAILED;
  if (rows) status = r->compare ? replay_compared(r, &file, rows) : replay_alone(r, &file, rows);
  fg_replay_free(&file);
  return status;
}

static bool read_count(const char *text, long most, long *to) {
  char *end;
  errno = 0;
  *to = strtol(text, &end, 10);
  return end != text && !*end && !errno && *to >= 1 && *to <= most;
}

/* One option; 0 or an exit status. */
static int apply(request *r, int option, const char *argument) {
  long n;
  switch (option) {
    case 'c': r->csv = argument; return 0;
    case 'C': r->compare = true; return 0;
    case 'T': r->threads = true; return 0;
    case 't':
      if (!read_count(argument, 1000000, &n))
        return fg_cli_usage("replay", "replay: --times=%s: it takes a count", argument);
      r->times = (int)n;
      return 0;
    case 'm':
      if (!read_count(argument, LONG_MAX, &r->most))
        return fg_cli_usage("replay", "replay: --most=%s: it takes a count", argument);
      return 0;
    default: return fg_cli_usage("replay", NULL);
  }
}

static int replay_main(int argc, char **argv) {
  static const struct option options[] = {
      {"times", required_argument, NULL, 't'}, {"most", required_argument, NULL, 'm'},
      {"csv", required_argument, NULL, 'c'},   {"compare", no_argument, NULL, 'C'},
      {"threads", no_argument, NULL, 'T'},
      {"help", no_argument, NULL, 'h'},        {NULL, 0, NULL, 0}};
  request r = {.times = 1};
  for (int c; (c = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
    if (c == 'h') {
      fg_cli_print_help(&fg_command_replay);
      return 0;
    }
    const int status = apply(&r, c, optarg);
    if (status) return status;
  }
  if (optind == argc) return fg_cli_usage("replay", "replay: a trace is missing");
  if (optind + 1 < argc) return fg_cli_usage("replay", "replay: unexpected argument '%s'", argv[optind + 1]);
  if (r.compare && r.threads) return fg_cli_usage("replay", "replay: --compare is done by one thread");
  r.file = argv[optind];
  return replay(&r);
}

const fg_command fg_command_replay = {
    .name = "replay",
    .synopsis = "[OPTION...] FILE",
    .summary = "Repeat and time the FFTW calls of a trace",
    .help = "  --compare     stock FFTW, then this library, each in a process of its own: both times, and the\n"
            "                largest relative L2 difference of their results\n"
            "  --threads     executions of several threads by as many threads, at once\n"
            "  --times=N     repeat the program N times\n"
            "  --most=N      repeat what the program repeats at most N times\n"
            "  --csv=FILE    write all figures to FILE too\n"
            "\n"
            "FILE is what a program wrote under FFTW3_GPU_TRACE=FILE (or 'fftw3-gpu run --trace=FILE').  The calls\n"
            "are repeated in their order, by one thread if nothing else is said, on arrays of the same kind, size,\n"
            "alignment and overlap with numbers of this program's own, through this library: FFTW3_GPU and the other\n"
            "settings count, and with FFTW3_GPU=off it is stock FFTW that is timed.  'recorded' is what the trace\n"
            "says of the column before it.  'mean us' is the mean of all executions in microseconds, as recorded;\n"
            "--compare shows medians of both libraries, on which the first executions do not tell.  The CSV has both.\n"
            "Filling arrays is not timed.\n"
            "\n"
            "A trace whose program was killed is replayed as far as it goes, with a message.  Exits with 1 if the\n"
            "trace cannot be read or replayed, or a result was wrong or could not be kept (in TMPDIR, else /tmp).\n",
    .main = replay_main,
};
