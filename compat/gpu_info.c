/* gpu_info.c: fftw3_gpu.h: version, errors, what a plan is. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "compat/gpu.h"
#include "src/plan/doubles.h"
#include "src/plan/plan.h"

int fftw3_gpu_version(void) { return FFTW3_GPU_VERSION; }

const char *fftw3_gpu_version_text(void) { return PACKAGE_VERSION; }

const char *fftw3_gpu_error_text(int code) {
  switch (code) {
    case FFTW3_GPU_OK: return "no error";
    case FFTW3_GPU_ERROR_ARGUMENT: return "an argument makes no sense";
    case FFTW3_GPU_ERROR_NO_DEVICE: return "there is no GPU that this process may use";
    case FFTW3_GPU_ERROR_MEMORY: return "memory is exhausted";
    case FFTW3_GPU_ERROR_ON_HOST: return "the plan or an array stays on the host";
    case FFTW3_GPU_ERROR_FAILED: return "the GPU failed";
    case FFTW3_GPU_ERROR_LOST: return "the GPU is lost";
    default: return "unknown error";
  }
}

const char *fftw3_gpu_message(void) { return fg_backend_message(); }

int fg_gpu_code(int code) {
  switch (code) {
    case FG_OK: return FFTW3_GPU_OK;
    case FG_ENODEVICE: return FFTW3_GPU_ERROR_NO_DEVICE;
    case FG_ENOMEM: return FFTW3_GPU_ERROR_MEMORY;
    case FG_EHOST: return FFTW3_GPU_ERROR_ON_HOST;
    case FG_ELOST: return FFTW3_GPU_ERROR_LOST;
    default: return FFTW3_GPU_ERROR_FAILED;
  }
}

int fg_gpu_refuse(const char *why) {
  fg_backend_fail(FG_ELAUNCH, "%s", why);
  return FFTW3_GPU_ERROR_ARGUMENT;
}

static int route_of(const char *where) {
  if (!strcmp(where, "cuda")) return FFTW3_GPU_ROUTE_CUDA;
  return !strcmp(where, "sim") ? FFTW3_GPU_ROUTE_SIM : FFTW3_GPU_ROUTE_HOST;
}

static void describe(const fg_plan *plan, fftw3_gpu_info *info) {
  const fg_plan_facts f = fg_plan_facts_of(plan);
  info->route = route_of(f.where);
  info->device = f.device;
  info->passes = f.passes;
  snprintf(info->reason, sizeof info->reason, "%s", f.reason);
  info->device_bytes = f.device_bytes;
  info->bytes_in = f.bytes_in;
  info->bytes_out = f.bytes_out;
  info->executions = f.executions;
  info->by_host = f.by_host;
  const fg_problem *p = fg_plan_problem(plan);
  info->precision = (int)fg_real_size(p->precision);
  info->compute = (int)fg_real_size(info->route == FFTW3_GPU_ROUTE_HOST ? p->precision : p->compute);
}

int fftw3_gpu_plan_info(const void *plan, fftw3_gpu_info *info) {
  if (!plan || !info) return fg_gpu_refuse("plan_info: a NULL pointer");
  if (info->size < offsetof(fftw3_gpu_info, passes)) return fg_gpu_refuse("plan_info: the struct's size is not set");
  fftw3_gpu_info all = {.size = info->size, .device = -1};
  snprintf(all.reason, sizeof all.reason, "the real FFTW's own plan");
  if (fg_plan_is_ours(plan)) describe(plan, &all);
  memcpy(info, &all, info->size < sizeof all ? info->size : sizeof all);
  return FFTW3_GPU_OK;
}

int fftw3_gpu_double(int how) {
  static const enum fg_doubles doubles[] = {
      [FFTW3_GPU_DOUBLE_AS_SET] = FG_DOUBLES_AUTO, [FFTW3_GPU_DOUBLE_HOST] = FG_DOUBLES_HOST,
      [FFTW3_GPU_DOUBLE_SINGLE] = FG_DOUBLES_SINGLE, [FFTW3_GPU_DOUBLE_DOUBLE] = FG_DOUBLES_DOUBLE};
  if (how < 0 || how >= (int)(sizeof doubles / sizeof *doubles)) return fg_gpu_refuse("double: no such way");
  fg_doubles_of_thread(doubles[how]);
  return FFTW3_GPU_OK;
}
