/* gpu_execute.c: fftw3_gpu.h: execution in a stream of the program's, and in the background. */
#include "config.h"

#include "compat/gpu.h"
#include "compat/next.h"
#include "compat/plan_problem.h"
#include "src/plan/plan.h"
#include "src/run/jobs.h"

static int on_host(void) {
  return fg_gpu_code(fg_backend_fail(FG_EHOST, "the plan is the real FFTW's own"));
}

int fftw3_gpu_execute_stream(const struct fftwf_plan_s *plan, void *cuda_stream) {
  if (!plan) return fg_gpu_refuse("execute_stream: a NULL plan");
  if (!fg_plan_is_ours(plan)) return on_host();
  return fg_gpu_code(fg_plan_execute_in((fg_plan *)plan, NULL, cuda_stream));
}

int fftw3_gpu_execute_arrays_stream(const struct fftwf_plan_s *plan, void *in, void *out, void *cuda_stream) {
  if (!plan || !in || !out) return fg_gpu_refuse("execute_arrays_stream: a NULL pointer");
  if (!fg_plan_is_ours(plan)) return on_host();
  const fg_problem *p = fg_plan_problem((const fg_plan *)plan);
  if (p->format == FG_SPLIT) return fg_gpu_refuse("execute_arrays_stream: a plan of split arrays");
  fg_arrays a = {in, NULL, out, NULL};
  if (fg_problem_complex_side(p, FG_INPUT)) a.in_im = fg_imaginary(in, FG_PRECISION);
  if (fg_problem_complex_side(p, FG_OUTPUT)) a.out_im = fg_imaginary(out, FG_PRECISION);
  return fg_gpu_code(fg_plan_execute_in((fg_plan *)plan, &a, cuda_stream));
}

/* ---- in the background ---- */

static void execute(void *plan) { X(execute)(plan); }

int fftw3_gpu_start(const struct fftwf_plan_s *plan, fftw3_gpu_job **job) {
  if (!plan || !job) return fg_gpu_refuse("start: a NULL pointer");
  fg_job *started = fg_job_start(execute, (void *)plan);
  if (!started) return fg_gpu_code(fg_backend_fail(FG_ENOMEM, "no host memory"));
  *job = (fftw3_gpu_job *)started;
  return FFTW3_GPU_OK;
}

int fftw3_gpu_done(const fftw3_gpu_job *job) { return job && fg_job_done((const fg_job *)job); }

int fftw3_gpu_wait(fftw3_gpu_job *job) {
  if (!job || fg_job_wait((fg_job *)job)) return FFTW3_GPU_OK;
  return fg_gpu_code(fg_backend_fail(FG_ENODEVICE, "the job was another process's, before a fork"));
}
