/* run.c: `fftw3-gpu run` starts a program with the library preloaded. */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/cli/cli.h"
#include "src/report/settings.h"

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
};
enum { MEANINGS = sizeof meanings / sizeof meanings[0] };

static const fg_setting *setting_named(const char *name) {
  const fg_setting *s = fg_setting_table;
  while (strcmp(s->name, name))
    s++;
  return s;
}

/* Put the setting of option i into the environment; 0 or an exit status. */
static int apply(int i, const char *argument) {
  const fg_setting *s = setting_named(meanings[i].setting);
  const char *value = argument ? argument : meanings[i].value;
  fg_settings scratch = {0};
  if (!*value || !s->parse(value, &scratch))
    return fg_cli_usage("run", "run: --%s=%s: it takes %s", meanings[i].option, value, s->takes);
  if (setenv(s->name, value, 1)) {
    fg_cli_error("run: %s", strerror(errno));
    return FG_EXIT_FAILED;
  }
  return 0;
}

/* That library in front of whatever is preloaded already; 0 or an exit status. */
static int preload(bool (*library)(char *path, size_t size)) {
  char path[PATH_MAX], *all;
  if (!library(path, sizeof path)) {
    fg_cli_error("run: the library is not where it should be: %s", path);
    return FG_EXIT_FAILED;
  }
  if (strpbrk(path, " :")) { /* what separates the libraries of LD_PRELOAD */
    fg_cli_error("run: a path with a blank or a colon cannot be preloaded: %s", path);
    return FG_EXIT_FAILED;
  }
  const char *before = getenv("LD_PRELOAD");
  bool others = before && *before;
  if (asprintf(&all, "%s%s%s", path, others ? ":" : "", others ? before : "") < 0) return FG_EXIT_FAILED;
  int failed = setenv("LD_PRELOAD", all, 1);
  free(all);
  return failed ? FG_EXIT_FAILED : 0;
}

static bool wants_watching(void) {
  const char *pin = getenv("FFTW3_GPU_PIN");
  return pin && !strcmp(pin, "register");
}

static int start(char **argv) {
  int status = wants_watching() ? preload(fg_cli_watch_library) : 0;
  if (!status) status = preload(fg_cli_library);
  if (status) return status;
  if (fg_cli_is_static(argv[0]))
    fg_cli_error("run: %s is linked statically: the library has no effect on it", argv[0]);
  execvp(argv[0], argv);
  int why = errno;
  fg_cli_error("run: %s: %s", argv[0], strerror(why));
  return why == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

static int run_main(int argc, char **argv) {
  struct option options[MEANINGS + 2] = {[MEANINGS] = {"help", no_argument, NULL, MEANINGS}};
  for (int i = 0; i < MEANINGS; i++)
    options[i] = (struct option){meanings[i].option, meanings[i].argument, NULL, i};
  for (int c; (c = getopt_long(argc, argv, "+", options, NULL)) != -1;) {
    if (c == MEANINGS) {
      fg_cli_print_help(&fg_command_run);
      return 0;
    }
    if (c == '?') return fg_cli_usage("run", NULL);
    int status = apply(c, optarg);
    if (status) return status;
  }
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
            "  --trace=FILE         write every FFTW call to FILE, for 'fftw3-gpu replay'\n"
            "  --verify=TOLERANCE   compare every GPU result with FFTW's, and take FFTW's where the relative L2\n"
            "                       error is larger than TOLERANCE, a number above 0\n"
            "  --log=LEVEL          error, warn, info or debug, to stderr or where FFTW3_GPU_LOG_FILE says\n"
            "  --pin=own|register|never\n"
            "                       memory that the GPU may reach without staging: of fftwf_malloc; any that is often\n"
            "                       used, for which libfftw3_gpu_watch.so is preloaded too; none\n"
            "\n"
            "Of options that contradict each other the last one stands.  What is not given comes from the\n"
            "environment: 'fftw3-gpu help' names the settings.  A statically linked program, or one that uses\n"
            "double precision only, does what it does without the library.\n"
            "\n"
            "Exits as the program does; 127 if there is no such program, 126 if it cannot be started, 2 if the\n"
            "command line was not understood, 1 if there is no library to preload.\n",
    .main = run_main,
};
