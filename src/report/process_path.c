/* process_path.c: names of files that may hold the process's number. */
#include "src/report/process_path.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool fg_process_path(char path[PATH_MAX], const char *pattern, bool append) {
  /* In the file's own name: the folder's may have come from the working folder, where it stands for itself. */
  const char *const folder = strrchr(pattern, '/'), *const mark = strstr(folder ? folder : pattern, "%p");
  const long pid = (long)getpid();
  int n;
  if (mark) n = snprintf(path, PATH_MAX, "%.*s%ld%s", (int)(mark - pattern), pattern, pid, mark + 2);
  else if (append) n = snprintf(path, PATH_MAX, "%s.%ld", pattern, pid);
  else n = snprintf(path, PATH_MAX, "%s", pattern);
  return n > 0 && n < PATH_MAX;
}
