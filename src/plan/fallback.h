/* fallback.h: the real FFTW's answer for a plan of ours. */
#ifndef FG_FALLBACK_H
#define FG_FALLBACK_H

#include "src/plan/plan.h"

/* Execute with the real FFTW on a's arrays; false if it has no plan for them. */
bool fg_fallback_execute(fg_plan *plan, const fg_arrays *a);

#endif
