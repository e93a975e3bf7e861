/* allocator.c: a program with an allocator of its own, which has memalign, as FFTW asks for, but not posix_memalign.  What it did
 * not give and is to free ends it. */
#include <errno.h>
#include <pthread.h>
#include <fftw3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  size_t bytes, mark;
} header;

enum { HEAP = 64 << 20, MARK = 0x5ca1ab1e };

static _Alignas(64) char heap[HEAP];
static size_t used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static header *of(void *block) { return (header *)block - 1; }

void *memalign(size_t alignment, size_t bytes) {
  const size_t grain = alignment < sizeof(header) ? sizeof(header) : alignment;
  pthread_mutex_lock(&lock);
  const uintptr_t at = ((uintptr_t)heap + used + sizeof(header) + grain - 1) / grain * grain;
  const bool fits = bytes <= HEAP && at + bytes <= (uintptr_t)heap + HEAP;
  if (fits) used = (at + bytes - (uintptr_t)heap + 15) / 16 * 16;
  pthread_mutex_unlock(&lock);
  if (!fits) {
    errno = ENOMEM;
    return NULL;
  }
  *of((void *)at) = (header){bytes, MARK};
  return (void *)at;
}

void *aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }
void *malloc(size_t bytes) { return memalign(16, bytes); }

void *calloc(size_t count, size_t size) {
  volatile char *const block = size && count > HEAP / size ? NULL : malloc(count * size);
  for (size_t i = 0; block && i < count * size; i++) block[i] = 0;
  return (void *)block;
}

void free(void *block) {
  static const char told[] = "free of a foreign block\n";
  if (!block) return;
  if ((char *)block < heap || (char *)block >= heap + HEAP || of(block)->mark != MARK) {
    if (write(STDERR_FILENO, told, sizeof told - 1) < 0) _exit(4);
    _exit(3);
  }
  of(block)->mark = 0;
}

void *realloc(void *block, size_t bytes) {
  void *const other = malloc(bytes);
  if (!block || !other) return other;
  memcpy(other, block, of(block)->bytes < bytes ? of(block)->bytes : bytes);
  free(block);
  return other;
}

int main(void) {
  enum { N = 8192 };
  fftwf_complex *const in = fftwf_malloc(N * sizeof *in), *const out = fftwf_malloc(N * sizeof *out);
  if (!in || !out) return 1;
  memset(in, 0, N * sizeof *in);
  in[1][0] = 1;
  fftwf_plan p = fftwf_plan_dft_1d(N, in, out, FFTW_FORWARD, FFTW_ESTIMATE);
  fftwf_execute(p);
  const float im = out[N / 4][1];
  fftwf_destroy_plan(p);
  fftwf_free(in);
  fftwf_free(out);
  return im < -0.999f && im > -1.001f ? 0 : 2;
}
