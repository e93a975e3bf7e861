/* gpu_memory.c: fftw3_gpu.h: device memory. */
#include "config.h"

#include "compat/gpu.h"
#include "src/run/calm.h"
#include "src/run/device_memory.h"
#include "src/run/residence.h"

int fftw3_gpu_malloc(void **memory, size_t bytes) {
  void *p;
  if (!memory) return fg_gpu_refuse("malloc: a NULL pointer");
  const fg_calm calm = fg_calm_begin();
  const int code = fg_device_memory_alloc(&p, bytes);
  fg_calm_end(calm);
  if (code == FG_OK) *memory = p;
  return fg_gpu_code(code);
}

int fftw3_gpu_free(void *memory) {
  if (!memory) return FFTW3_GPU_OK;
  const fg_pointer where = fg_residence_of(memory);
  if (!fg_residence_device(&where) || where.base != memory)
    return fg_gpu_refuse("free: not the start of memory of a device");
  const fg_calm calm = fg_calm_begin();
  const int code = fg_device_memory_free(memory);
  fg_calm_end(calm);
  return fg_gpu_code(code);
}

int fftw3_gpu_copy(void *to, const void *from, size_t bytes) {
  if (bytes == 0) return FFTW3_GPU_OK;
  if (!to || !from) return fg_gpu_refuse("copy: a NULL pointer");
  const fg_calm calm = fg_calm_begin();
  const int code = fg_device_memory_copy(to, from, bytes);
  fg_calm_end(calm);
  return fg_gpu_code(code);
}
