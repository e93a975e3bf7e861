/* output.c: files that commands write. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/cli.h"

const char *fg_cli_tmpdir(void) {
  const char *const wanted = getenv("TMPDIR");
  return wanted && *wanted ? wanted : "/tmp";
}

bool fg_cli_open(const char *command, const char *path, FILE **file) {
  *file = path ? fopen(path, "w") : NULL;
  if (!path || *file) return true;
  fg_cli_error("%s: %s: %s", command, path, strerror(errno));
  return false;
}

int fg_cli_close(const char *command, const char *path, FILE *file) {
  if (!file || !(ferror(file) | fclose(file))) return 0;
  fg_cli_error("%s: %s could not be written", command, path);
  return FG_EXIT_FAILED;
}
