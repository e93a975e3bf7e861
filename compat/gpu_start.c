/* gpu_start.c: fftw3_gpu.h: execution in the background.  The real FFTW's own plans do not say which precision they are
 * of: there is a function for each. */
#include "config.h"

#include "compat/gpu.h"
#include "compat/precision.h"
#include "src/run/jobs.h"

static void execute(void *plan) { X(execute)(plan); }

int GPU(start)(const struct X(plan_s) *plan, fftw3_gpu_job **job) {
  if (!plan || !job) return fg_gpu_refuse("start: a NULL pointer");
  fg_job *started = fg_job_start(execute, (void *)plan);
  if (!started) return fg_gpu_code(fg_backend_fail(FG_ENOMEM, "no host memory"));
  *job = (fftw3_gpu_job *)started;
  return FFTW3_GPU_OK;
}
