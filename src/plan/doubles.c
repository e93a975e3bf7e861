/* doubles.c: FFTW3_GPU_DOUBLE. */
#include "src/plan/doubles.h"

#include "src/report/settings.h"

/* Single-precision flops in the time of a double one, on devices made for double precision: 2 (compute capability 6.0,
 * 7.0, 8.0, 9.0, 10.0); 32 or 64 on all others. */
enum { FAST = 4 };

static _Thread_local enum fg_doubles of_thread;

void fg_doubles_of_thread(enum fg_doubles how) { of_thread = how; }

/* What is only copied keeps all its digits. */
static bool is_copy(const fg_problem *p) {
  for (int d = 0; d < p->transform.rank; d++)
    if (p->transform.dim[d].n > 1) return false;
  return true;
}

void fg_doubles_ask(fg_problem *p) {
  if (p->precision != FG_DOUBLE) return;
  p->doubles = of_thread != FG_DOUBLES_AUTO ? of_thread : fg_settings_get()->doubles;
  p->compute = p->doubles == FG_DOUBLES_SINGLE && !is_copy(p) ? FG_SINGLE : FG_DOUBLE;
}

const char *fg_doubles_refuse(const fg_problem *p) {
  return p->precision == FG_DOUBLE && p->doubles == FG_DOUBLES_HOST ? "double precision is for the host" : NULL;
}

const char *fg_doubles_object(const fg_problem *p, const fg_device_info *device) {
  const bool open = p->compute == FG_DOUBLE && p->doubles == FG_DOUBLES_AUTO;
  if (!open || fg_settings_get()->mode == FG_MODE_FORCE || device->double_ratio <= FAST) return NULL;
  return "double precision is slow on this GPU";
}

const char *fg_doubles_name(const fg_problem *p, bool on_device) {
  if (p->precision == FG_SINGLE) return "single";
  return on_device && p->compute == FG_SINGLE ? "double as single" : "double";
}
