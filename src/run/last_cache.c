/* last_cache.c: how much the processors' last cache holds, by sysfs: index0, index1, … with level, type, and size in kB.  (The
 * C library's sysconf is wrong by a factor on some machines.) */
#include "src/run/last_cache.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_CACHES = 10, PATH = 256, TEXT = 32 };

/* The file's first line; false if there is none. */
static bool read_line(const char *folder, int index, const char *name, char text[TEXT]) {
  char path[PATH];
  const int length = snprintf(path, sizeof path, "%s/index%d/%s", folder, index, name);
  const int file = length > 0 && length < PATH ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return false;
  const ssize_t bytes = read(file, text, TEXT - 1);
  close(file);
  text[bytes > 0 ? bytes : 0] = 0;
  text[strcspn(text, "\n")] = 0;
  return bytes > 0;
}

/* "32768K"; 0 if it is not like that. */
static size_t size_of(const char *text) {
  char *unit;
  if (!isdigit((unsigned char)*text)) return 0;
  const unsigned long long number = strtoull(text, &unit, 10);
  return strcmp(unit, "K") || number > SIZE_MAX >> 10 ? 0 : (size_t)number << 10;
}

size_t fg_last_cache(const char *folder) {
  char level[TEXT], type[TEXT], size[TEXT];
  long highest = 0;
  size_t found = 0;
  for (int i = 0; i < MOST_CACHES; i++) {
    if (!read_line(folder, i, "level", level) || !read_line(folder, i, "type", type)) continue;
    if (strtol(level, NULL, 10) <= highest || !strcmp(type, "Instruction") || !read_line(folder, i, "size", size)) continue;
    highest = strtol(level, NULL, 10);
    found = size_of(size);
  }
  return found;
}
