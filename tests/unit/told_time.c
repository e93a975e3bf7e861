/* told_time.c: a clock that only executions of the thread that looks move, so that what it times does not depend on how
 * others are scheduled. */
#include "told_time.h"

#include "cuda/sim/sim.h"
#include "real_fftw.h"
#include "src/report/clock.h"

static double host_seconds, launch_seconds;

static double now(void) {
  return host_seconds * test_real_fftw_executions_here() + launch_seconds * (double)fg_sim_launches_here();
}

void test_time(double host, double launch) {
  host_seconds = host;
  launch_seconds = launch;
  fg_clock_test = now;
}

const fg_calibration *test_coefficients(double start, double plan) {
  static fg_calibration c;
  c = fg_calibration_defaults;
  c.rate_smooth = 1e9;
  c.start = start;
  c.plan = plan;
  c.overhead = 1e-6;
  c.link = c.link_both = c.staged = c.staged_both = c.staging_rate = 1e12;
  c.staging_seconds = c.piece = 1e-9;
  fg_calibration_use(&c);
  return &c;
}
