/* wisdom.h: what was planned on the device, so that programs that later ask for plans from wisdom alone get them; and
 * what was found out about each problem by timing both sides.
 *
 * FFTW's wisdom knows nothing of plans that it did not make.  This set stands beside it.  As text it is one
 * parenthesised list, which programs' exports carry behind FFTW's own:
 *
 *     (fftw3-gpu-wisdom
 *       (PROBLEM PATIENCE)                                      planned on the device
 *       (geometry:… PATIENCE …)                                 of one pass (src/plan/measure_geometry.h)
 *       (PROBLEM PATIENCE SIDE THREADS MEMORY HOST_NS GPU_NS))  timed: SIDE host or gpu, MEMORY own or foreign
 *
 * Where MPI processes are expected to share the device (src/run/ranks.h), THREADS is followed by / and their number: what was timed
 * holds for as many.  Text of before 2026-12 has no such number and counts as of one process.
 * A problem on double arrays that was computed in single precision has "single:" before it. */
#ifndef FG_WISDOM_H
#define FG_WISDOM_H

#include "src/cost/model.h"

/* How the text begins. */
#define FG_WISDOM_HEAD "(fftw3-gpu-wisdom"

/* What timing both sides has shown: the best seconds of each, and which is to be used. */
typedef struct {
  bool device;
  double host, gpu;
} fg_finding;

/* Remember that p was planned on the device with its flags; ask whether it was, with at least the patience of p's
 * flags. */
void fg_wisdom_learn(const fg_problem *p);
bool fg_wisdom_knows(const fg_problem *p);

/* The same for what was found out, with p's threads, arrays in that kind of memory and as many processes on the device. */
void fg_wisdom_keep(const fg_problem *p, enum fg_memory memory, const fg_finding *found);
bool fg_wisdom_find(const fg_problem *p, enum fg_memory memory, fg_finding *found);

/* All of one precision as text, malloc'd; NULL if there is nothing (or no memory). */
char *fg_wisdom_export(enum fg_precision precision);

/* Add what text, which begins with FG_WISDOM_HEAD, knows.  Returns false if it is damaged, or of a later library;
 * the rest of it is kept. */
bool fg_wisdom_import(enum fg_precision precision, const char *text);

void fg_wisdom_forget(enum fg_precision precision);

#endif
