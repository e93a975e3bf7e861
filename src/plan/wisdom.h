/* wisdom.h: what was planned on the device, so that programs that later ask for plans from wisdom alone get them.
 *
 * FFTW's wisdom knows nothing of plans that it did not make.  This set stands beside it: each problem with the patience it was
 * planned with.  As text it is one parenthesised list, which programs' exports carry behind FFTW's own. */
#ifndef FG_WISDOM_H
#define FG_WISDOM_H

#include "src/problem/problem.h"

/* How the text begins. */
#define FG_WISDOM_HEAD "(fftw3-gpu-wisdom"

/* Remember that p was planned with its flags; ask whether it was, with at least the patience of p's flags. */
void fg_wisdom_learn(const fg_problem *p);
bool fg_wisdom_knows(const fg_problem *p);

/* All of one precision as text, malloc'd; NULL if there is nothing (or no memory). */
char *fg_wisdom_export(enum fg_precision precision);

/* Add what text, which begins with FG_WISDOM_HEAD, knows.  Returns false if it is damaged; what came before is kept. */
bool fg_wisdom_import(enum fg_precision precision, const char *text);

void fg_wisdom_forget(enum fg_precision precision);

#endif
