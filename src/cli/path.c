/* path.c: `fftw3-gpu path` prints the preloadable library's path. */
#include <limits.h>
#include <stdio.h>

#include "src/cli/cli.h"

static int path_main(int argc, char **argv) {
  int status;
  if (!fg_cli_no_options(&fg_command_path, argc, argv, &status)) return status;
  char path[PATH_MAX];
  if (!fg_cli_library(path, sizeof path)) {
    fg_cli_error("the library is not where it should be: %s", path);
    return FG_EXIT_FAILED;
  }
  puts(path);
  return 0;
}

const fg_command fg_command_path = {
    .name = "path",
    .synopsis = "",
    .summary = "Print the path of the library, for LD_PRELOAD",
    .help = "",
    .main = path_main,
};
