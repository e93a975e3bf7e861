/* gpu_execute.c: fftw3_gpu.h: execution in a stream of the program's; jobs, but for their start. */
#include "config.h"

#include "compat/gpu.h"
#include "compat/translate.h"
#include "src/plan/plan.h"
#include "src/run/jobs.h"

static int on_host(void) {
  return fg_gpu_code(fg_backend_fail(FG_EHOST, "the plan is the real FFTW's own"));
}

int fftw3_gpu_execute_stream(const void *plan, void *cuda_stream) {
  if (!plan) return fg_gpu_refuse("execute_stream: a NULL plan");
  if (!fg_plan_is_ours(plan)) return on_host();
  return fg_gpu_code(fg_plan_execute_in((fg_plan *)plan, NULL, cuda_stream));
}

int fftw3_gpu_execute_arrays_stream(const void *plan, void *in, void *out, void *cuda_stream) {
  if (!plan || !in || !out) return fg_gpu_refuse("execute_arrays_stream: a NULL pointer");
  if (!fg_plan_is_ours(plan)) return on_host();
  const fg_problem *p = fg_plan_problem(plan);
  if (p->format == FG_SPLIT) return fg_gpu_refuse("execute_arrays_stream: a plan of split arrays");
  fg_arrays a = {in, NULL, out, NULL};
  if (fg_problem_complex_side(p, FG_INPUT)) a.in_im = fg_imaginary(in, p->precision);
  if (fg_problem_complex_side(p, FG_OUTPUT)) a.out_im = fg_imaginary(out, p->precision);
  return fg_gpu_code(fg_plan_execute_in((fg_plan *)plan, &a, cuda_stream));
}

int fftw3_gpu_done(const fftw3_gpu_job *job) { return job && fg_job_done((const fg_job *)job); }

int fftw3_gpu_wait(fftw3_gpu_job *job) {
  if (!job || fg_job_wait((fg_job *)job)) return FFTW3_GPU_OK;
  return fg_gpu_code(fg_backend_fail(FG_ENODEVICE, "the job was another process's, before a fork"));
}
