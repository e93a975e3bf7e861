/* misspelt.c: variables of the environment that look like settings and are none. */
#define _GNU_SOURCE
#include "src/report/misspelt.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/report/settings.h"
#include "src/report/standard_error.h"

static const char prefix[] = "FFTW3_GPU";
enum { LONGEST = 40, MOST = 8, NEAR = 2 };

/* What the sim backend reads, beside SIM_…; and what modules of clusters call where a package is. */
static const char *const others[] = {"CXX", "BASE", "BIN", "DIR", "HOME", "INC", "INCLUDE", "INCLUDE_DIR", "LIB",
                                     "LIBDIR", "LIBRARY_DIR", "LIBS", "PATH", "PREFIX", "ROOT", "VERSION", NULL};

static int least(int a, int b) { return a < b ? a : b; }

/* Letters to insert, remove, replace, or exchange with the next one, until a is b (optimal string alignment). */
static int distance(const char *a, const char *b) {
  const int rows = (int)strlen(a), columns = (int)strlen(b);
  int d[LONGEST + 1][LONGEST + 1];
  for (int i = 0; i <= rows; i++)
    for (int j = 0; j <= columns; j++) {
      if (!i || !j) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = least(least(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[rows][columns];
}

static const char *nearest(const char *name, int *away) {
  const char *best = NULL;
  for (const fg_setting *s = fg_setting_table; s->name; s++) {
    const int here = distance(name, s->name);
    if (best && here >= *away) continue;
    best = s->name;
    *away = here;
  }
  return best;
}

/* Also FFTW_GPU_BIN, one letter from FFTW3_GPU_PIN but for the 3. */
static bool is_other(const char *name) {
  const char *const gpu = strstr(name, "_GPU_"), *const rest = gpu ? gpu + strlen("_GPU_") : "";
  for (int i = 0; others[i]; i++)
    if (!strcmp(rest, others[i])) return true;
  return !strncmp(rest, "SIM_", 4);
}

/* The setting that name, which is none, may have been meant for; "" if it is like none, NULL if it meant none. */
static const char *meant(const char *name) {
  int away = 0;
  const bool ours = !strncmp(name, prefix, sizeof prefix - 1), longer = ours && name[sizeof prefix - 1] == '_';
  if (strlen(name) > LONGEST) return longer ? "" : NULL;
  if (is_other(name)) return NULL;
  const char *best = nearest(name, &away);
  if (away == 0) return NULL;
  if (away <= NEAR && strlen(best) > sizeof prefix) return best; /* also FFTW_GPU_LOG; FFTW_GPU may be anybody's */
  return longer ? "" : NULL;
}

static void tell(const char *name, const char *best) {
  char line[256];
  const int n = *best ? snprintf(line, sizeof line, "fftw3-gpu: error: %.80s is no setting; is %s meant?\n", name, best)
                      : snprintf(line, sizeof line, "fftw3-gpu: error: %.80s is no setting; 'fftw3-gpu help' names "
                                                    "them\n", name);
  if (n > 0) fg_standard_error_write(line, (size_t)n);
}

void fg_misspelt_tell(void) {
  int told = 0;
  for (char **e = environ; e && *e && told < MOST; e++) {
    char name[128];
    const size_t length = strcspn(*e, "=");
    if (strncmp(*e, "FFTW", 4) || length >= sizeof name) continue;
    memcpy(name, *e, length);
    name[length] = '\0';
    const char *value = secure_getenv(name), *best = value && *value ? meant(name) : NULL;
    if (!best) continue;
    tell(name, best);
    told++;
  }
}
