/* refuse.c: a dlopen that finds nothing whose name matches $REFUSE. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <regex.h>
#include <stdlib.h>

void *dlopen(const char *name, int flags) {
  static void *(*next)(const char *, int);
  if (!next) next = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
  const char *pattern = getenv("REFUSE");
  regex_t compiled;
  if (name && pattern && regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB) == 0) {
    const int refused = regexec(&compiled, name, 0, NULL, 0) == 0;
    regfree(&compiled);
    if (refused) return NULL;
  }
  return next(name, flags);
}
