/* measure_geometry.c: how much is measured by which patience, and the entries of wisdom. */
#include "src/plan/measure_geometry.h"

#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/pass/tuned.h"
#include "src/plan/prepare.h"
#include "src/plan/tuning.h"
#include "src/report/clock.h"
#include "src/report/log.h"

bool fg_measure_geometry_on_sim;

/* By patience, as wisdom counts it: geometries of a pass; seconds. */
static const struct {
  int most;
  double seconds;
} effort[] = {{0, 0}, {5, 1}, {16, 10}, {32, 60}};

static const double compiling = 0.5; /* seconds that one round of compilations may take */

static int patience_of(unsigned flags) {
  if (flags & (FG_ESTIMATE | FG_WISDOM_ONLY)) return 0;
  return flags & FG_EXHAUSTIVE ? 3 : flags & FG_PATIENT ? 2 : 1;
}

static void note(void *better, const fg_tuning_result *r) {
  *(bool *)better = r->kept;
  if (r->kept)
    fg_log(FG_LOG_INFO, "measured: %.1f us on the device, %.1f us with other geometries", r->before * 1e6,
           r->after * 1e6);
}

/* Tables are made, as in fg_prepare: not with the program's rounding mode. */
static bool run(const fg_target *target, const fg_problem *p, const fg_tuning_limits *limits) {
  bool better = false;
  fenv_t of_program;
  feholdexcept(&of_program);
  fesetround(FE_TONEAREST);
  const char *why = fg_tuning_run(target, p, limits, note, &better);
  fesetenv(&of_program);
  if (why) fg_log(FG_LOG_INFO, "geometries are not measured: %s", why);
  return better;
}

fg_program *fg_measure_geometry(const fg_target *target, const fg_problem *p, double until, fg_program *program) {
  const int patience = patience_of(p->flags);
  const double now = fg_clock_seconds();
  const bool meant = target->backend != &fg_backend_sim || fg_measure_geometry_on_sim;
  if (!patience || !meant || fg_program_empty(program) || until - now < compiling) return program;
  const fg_tuning_limits limits = {.most = effort[patience].most, .patience = patience, .keep_slower = true,
                                   .until = fmin(until, now + effort[patience].seconds)};
  const char *why;
  fg_need need;
  if (!run(target, p, &limits)) return program;
  fg_program *better = fg_prepare(target, p, NULL, NULL, &need, &why);
  if (!better) return program;
  fg_program_destroy(program);
  return better;
}

/* ---- wisdom ---- */

static const char prefix[] = "geometry:";

/* Part of the keys of passes that compute in a precision. */
static const char *part_of(enum fg_precision precision) { return precision == FG_SINGLE ? ":s:" : ":d:"; }

void fg_measure_geometry_forget(enum fg_precision precision) { fg_tuned_forget(part_of(precision)); }

int fg_measure_geometry_export(FILE *f, enum fg_precision precision) {
  char *text = NULL, key[FG_CHOICE_KEY];
  size_t size;
  int entries = 0, arch, length;
  FILE *lines = open_memstream(&text, &size);
  if (!lines) return 0;
  fg_tuned_write(lines);
  fclose(lines);
  for (char *line = text, *end; line && (end = strchr(line, '\n')); line = end + 1) {
    *end = 0;
    if (sscanf(line, "%d %159s %n", &arch, key, &length) != 2) continue;
    if (!strstr(key, part_of(precision))) continue;
    fprintf(f, "\n  (%s%d:%s %s)", prefix, arch, key, line + length);
    entries++;
  }
  free(text);
  return entries;
}

bool fg_measure_geometry_import(const char *problem, int patience, const char *rest, int *length) {
  const char *close = strchr(rest, ')');
  const char *key = strncmp(problem, prefix, strlen(prefix)) ? NULL : strchr(problem + strlen(prefix), ':');
  char line[FG_CHOICE_KEY + FG_CHOICE_TEXT + 32];
  if (!key || !close || close - rest >= FG_CHOICE_TEXT) return false;
  *length = (int)(close - rest) + 1;
  const char *arch = problem + strlen(prefix);
  snprintf(line, sizeof line, "%.*s %s %d %.*s", (int)(key - arch), arch, key + 1, patience, (int)(close - rest), rest);
  return fg_tuned_read(line);
}
