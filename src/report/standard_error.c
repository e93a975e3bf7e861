/* standard_error.c: the standard error output that the process began with. */
#include "src/report/standard_error.h"

#include <sys/stat.h>
#include <unistd.h>

#include "src/report/quietly.h"

static struct stat at_start;
static bool known;

__attribute__((constructor)) void fg_standard_error_begin(void) { known = fstat(STDERR_FILENO, &at_start) == 0; }

bool fg_is_standard_error(int fd) {
  struct stat now;
  return known && fd >= 0 && !fstat(fd, &now) && now.st_dev == at_start.st_dev && now.st_ino == at_start.st_ino;
}

void fg_standard_error_write(const char *text, size_t length) {
  if (fg_is_standard_error(STDERR_FILENO)) fg_write_quietly(STDERR_FILENO, text, length, -1); /* else nobody is told */
}
