/* run.c: `fftw3-gpu run` starts a program with the library preloaded. */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/cli/cli.h"
#include "src/report/settings.h"
#include "src/report/trace_line.h"

/* The shell's exit statuses for programs that cannot be started. */
enum { EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };

/* An option is a setting, with a value of its own where the option takes none. */
static const struct {
  const char *option, *setting, *value;
  int argument;
} meanings[] = {
    {"force", "FFTW3_GPU", "force", no_argument},
    {"off", "FFTW3_GPU", "off", no_argument},
    {"backend", "FFTW3_GPU_BACKEND", NULL, required_argument},
    {"report", "FFTW3_GPU_REPORT", "-", optional_argument},
    {"trace", "FFTW3_GPU_TRACE", NULL, required_argument},
    {"verify", "FFTW3_GPU_VERIFY", NULL, required_argument},
    {"log", "FFTW3_GPU_LOG", NULL, required_argument},
    {"pin", "FFTW3_GPU_PIN", NULL, required_argument},
    {"double", "FFTW3_GPU_DOUBLE", NULL, required_argument},
};
enum { MEANINGS = sizeof meanings / sizeof meanings[0] };

/* A file's name that holds wherever the program goes before its first call of FFTW, when the library opens it;
 * malloc'd. */
static char *anywhere(const char *setting, const char *value) {
  const bool file = !strcmp(setting, "FFTW3_GPU_REPORT") || !strcmp(setting, "FFTW3_GPU_TRACE");
  char *const here = file && *value != '/' && strcmp(value, "-") ? getcwd(NULL, 0) : NULL, *name = NULL;
  if (!here) return strdup(value);
  if (asprintf(&name, "%s/%s", here, value) < 0) name = NULL;
  free(here);
  return name;
}

/* Put the setting of option i into the environment; 0 or an exit status. */
static int apply(int i, const char *argument) {
  const fg_setting *s = fg_setting_named(meanings[i].setting);
  const char *value = argument ? argument : meanings[i].value;
  fg_settings scratch = {0};
  if (!*value || !s->parse(value, &scratch))
    return fg_cli_usage("run", "run: --%s=%s: it takes %s", meanings[i].option, value, s->takes);
  char *const lasting = anywhere(s->name, value);
  const int failed = !lasting || setenv(s->name, lasting, 1);
  if (failed) fg_cli_error("run: %s", strerror(errno));
  free(lasting);
  return failed ? FG_EXIT_FAILED : 0;
}

static int start(char **argv) {
  const int status = fg_cli_preload("run");
  if (status) return status;
  const char *const obstacle = fg_cli_obstacle(argv[0]);
  if (obstacle) fg_cli_error("run: %s %s: the library has no effect on it", argv[0], obstacle);
  execvp(argv[0], argv);
  int why = errno;
  fg_cli_error("run: %s: %s", argv[0], strerror(why));
  return why == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

/* The word behind an option that was taken for its value; NULL if it has none, or one of its own. */
static const char *taken(char **argv) { return optarg && optarg == argv[optind - 1] ? optarg : NULL; }

/* One that the library would not write a trace over; most likely it is the program. */
static bool is_other_file(const char *path) {
  char start[sizeof FG_TRACE_MAGIC - 1];
  struct stat st;
  FILE *f = !stat(path, &st) && S_ISREG(st.st_mode) && st.st_size > 0 ? fopen(path, "r") : NULL;
  if (!f) return false;
  const size_t length = fread(start, 1, sizeof start, f);
  fclose(f);
  return length < sizeof start || memcmp(start, FG_TRACE_MAGIC, sizeof start);
}

/* Option i; 0 or an exit status.  "--trace -- program" is no trace into a file "--". */
static int take(int i, char **argv) {
  const char *option = meanings[i].option, *word = taken(argv);
  if (word && !strncmp(word, "--", 2))
    return fg_cli_usage("run", "run: --%s takes %s, and '%s' comes instead", option,
                        fg_setting_named(meanings[i].setting)->takes, word);
  if (!strcmp(option, "trace") && is_other_file(optarg))
    return fg_cli_usage("run", "run: --trace=%s: a file that is not a trace is not written over", optarg);
  return apply(i, optarg);
}

static int run_main(int argc, char **argv) {
  struct option options[MEANINGS + 2] = {[MEANINGS] = {"help", no_argument, NULL, MEANINGS}};
  for (int i = 0; i < MEANINGS; i++)
    options[i] = (struct option){meanings[i].option, meanings[i].argument, NULL, i};
  const char *last = NULL;
  for (int c; (c = getopt_long(argc, argv, "+", options, NULL)) != -1;) {
    if (c == MEANINGS) {
      fg_cli_print_help(&fg_command_run);
      return 0;
    }
    if (c == '?') return fg_cli_usage("run", NULL);
    int status = take(c, argv);
    if (status) return status;
    last = taken(argv);
  }
  if (optind == argc && last) return fg_cli_usage("run", "run: a program is missing behind '%s'", last);
  if (optind == argc) return fg_cli_usage("run", "run: a program is missing");
  return start(argv + optind);
}

const fg_command fg_command_run = {
    .name = "run",
    .synopsis = "[OPTION...] [--] PROGRAM [ARGUMENT...]",
    .summary = "Run a program with the library preloaded",
    .help = "  --backend=cuda|sim   run kernels on the GPU, or the same kernels on the CPU\n"
            "  --force              the GPU wherever it can, whatever the size\n"
            "  --off                all plans stay with FFTW\n"
            "  --report[=FILE]      at exit, append to FILE (default, or '-': stderr) where each problem ran and\n"
            "                       why; a heading alone: the library was loaded and had nothing to do\n"
            "  --trace=FILE         write every FFTW call to FILE, for 'fftw3-gpu replay'; %p in these files' own\n"
            "                       names is the process's number\n"
            "  --verify=TOLERANCE   compare every GPU result with FFTW's, and take FFTW's where the relative L2\n"
            "                       error is larger than TOLERANCE, a number above 0, or auto: 1e-5, in double\n"
            "                       precision 1e-13\n"
            "  --log=LEVEL          error, warn, info or debug, to stderr or where FFTW3_GPU_LOG_FILE says\n"
            "  --double=host|single|double\n"
            "                       double precision: by FFTW; on the GPU, computed in single precision; in double\n"
            "  --pin=own|register|never\n"
            "                       memory that the GPU may reach without staging: of fftwf_malloc; any that is often\n"
            "                       used, for which libfftw3_gpu_watch.so is preloaded too; none\n"
            "\n"
            "libfftw3_gpu_lookup.so is preloaded, too, where it was built: it gives programs that open FFTW themselves\n"
            "(dlopen, dlsym) the library's functions.\n"
            "\n"
            "Of options that contradict each other the last one stands.  What is not given comes from the\n"
            "environment: 'fftw3-gpu help' names the settings.  A statically linked program, or one that uses\n"
            "other precisions only, does what it does without the library.\n"
            "\n"
            "Exits as the program does; 127 if there is no such program, 126 if it cannot be started, 2 if the\n"
            "command line was not understood, 1 if there is no library to preload.\n",
    .main = run_main,
};
