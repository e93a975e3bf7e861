/* preload.c: the library in front of what the programs started from here load. */
#define _GNU_SOURCE
#include "config.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/cli.h"

/* That library in front of whatever is preloaded already; 0 or an exit status. */
static int preload(const char *command, bool (*library)(char *path, size_t size)) {
  char path[PATH_MAX], *all;
  if (!library(path, sizeof path)) {
    fg_cli_error("%s: the library is not where it should be: %s", command, path);
    return FG_EXIT_FAILED;
  }
  if (strpbrk(path, " :")) { /* what separates the libraries of LD_PRELOAD */
    fg_cli_error("%s: a path with a blank or a colon cannot be preloaded: %s", command, path);
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

#ifdef HAVE_LOOKUP
/* Without it hardly a program misses anything. */
static int preload_lookup(const char *command) {
  char path[PATH_MAX];
  if (fg_cli_lookup_library(path, sizeof path)) return preload(command, fg_cli_lookup_library);
  fg_cli_error("%s: there is no libfftw3_gpu_lookup.so: a program that opens FFTW itself calls it past the library", command);
  return 0;
}
#else
static int preload_lookup(const char *command) { return (void)command, 0; }
#endif

int fg_cli_preload(const char *command) {
  char path[PATH_MAX];
  int status = 0;
  if (fg_cli_library(path, sizeof path)) {
    if (wants_watching()) status = preload(command, fg_cli_watch_library);
    if (!status) status = preload_lookup(command);
  }
  return status ? status : preload(command, fg_cli_library);
}
