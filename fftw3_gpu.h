/* fftw3_gpu.h: what FFTW's API has no words for, when fftw3-gpu (libfftw3_gpu) computes its transforms.
 *
 * OVERVIEW
 *   No program needs this file: under the preload, or linked with -lfftw3_gpu, FFTW's own functions (fftwf_… and fftw_…)
 *   run on the GPU where that pays, also on arrays in device or managed memory, which are then transformed where they
 *   are.  Here is what goes beyond:
 *
 *     1. version, errors
 *     2. device memory           for programs that do not use CUDA themselves
 *     3. a plan's info           where it runs, why, what it moves
 *     4. execution in a stream   of a program that uses CUDA
 *     5. execution in the background
 *     6. double precision        how it is computed
 *
 *   Every function takes any fftwf_plan or fftw_plan ("const void *plan"), also those that stay with the real FFTW.  None
 *   prints.  Names begin with fftw3_gpu_ and not with fftw_, which is FFTW's to give.
 *
 * BOTH KINDS OF MEMORY IN FFTW'S OWN FUNCTIONS
 *   Planners and executes take pointers to device memory (cudaMalloc, fftw3_gpu_malloc), managed memory and pinned
 *   memory, also one array of each.  Planning never touches such arrays.  fftw[f]_execute comes after all that the
 *   program has given to CUDA's legacy default stream, and is done when it returns.  The current context and device
 *   stay as they are. With arrays on several devices, or where the GPU cannot do a transform, the data goes through the
 *   host. A plan that the real FFTW made before the program first used CUDA, or fftw3_gpu_malloc, takes host arrays
 *   only.
 *
 * A PROGRAM THAT MUST RUN WITHOUT THE LIBRARY
 *   Define FFTW3_GPU_WEAK before this file is included: the functions are then weak, and their addresses NULL where the
 *   library is absent.  Compile such a program as PIC or PIE.
 *
 *       #define FFTW3_GPU_WEAK
 *       #include <fftw3_gpu.h>
 *       …
 *       if (fftw3_gpu_version) printf("fftw3-gpu %s\n", fftw3_gpu_version_text());
 *
 *   Or look them up: dlsym(RTLD_DEFAULT, "fftw3_gpu_version").
 *
 * THREADS
 *   All functions may be called from any thread at any time.  Two executions at once need arrays that do not meet.
 *
 * C99 and C++.  fftw3.h is not needed, but may be included before or after. */
#ifndef FFTW3_GPU_H
#define FFTW3_GPU_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined FFTW3_GPU_WEAK && defined __GNUC__
#define FFTW3_GPU_API __attribute__((weak))
#else
#define FFTW3_GPU_API
#endif

/* An fftwf_plan and an fftw_plan, by the names that fftw3.h has for them. */
struct fftwf_plan_s;
struct fftw_plan_s;

/* ---- 1. version, errors ------------------------------------------------------------------------------------------ */

#define FFTW3_GPU_VERSION_MAJOR 0
#define FFTW3_GPU_VERSION_MINOR 1
#define FFTW3_GPU_VERSION_RELEASE 0
#define FFTW3_GPU_VERSION \
  (FFTW3_GPU_VERSION_MAJOR * 10000 + FFTW3_GPU_VERSION_MINOR * 100 + FFTW3_GPU_VERSION_RELEASE)

/* FFTW3_GPU_VERSION of the library that is loaded.  Functions are only ever added, structs only grow at their end. */
FFTW3_GPU_API int fftw3_gpu_version(void);
FFTW3_GPU_API const char *fftw3_gpu_version_text(void); /* "0.1.0" */

/* What functions return: 0, or less. */
enum {
  FFTW3_GPU_OK = 0,
  FFTW3_GPU_ERROR_ARGUMENT = -1,  /* a pointer or size that makes no sense */
  FFTW3_GPU_ERROR_NO_DEVICE = -2, /* none, FFTW3_GPU=off, or in the forked child of a process that used it */
  FFTW3_GPU_ERROR_MEMORY = -3,    /* of the device or of the host: exhausted */
  FFTW3_GPU_ERROR_ON_HOST = -4,   /* the plan, or an array, stays on the host: nothing was done */
  FFTW3_GPU_ERROR_FAILED = -5,    /* a launch, copy or compilation; the device still answers; see the function */
  FFTW3_GPU_ERROR_LOST = -6       /* the device is gone, and what its memory held */
};

/* A code in words: a literal. */
FFTW3_GPU_API const char *fftw3_gpu_error_text(int code);

/* Why the calling thread's last call that failed did: a line, which is good until its next call. */
FFTW3_GPU_API const char *fftw3_gpu_message(void);

/* ---- 2. device memory -------------------------------------------------------------------------------------------- */

/* Memory of the library's device (FFTW3_GPU_DEVICE), aligned to 256 bytes, undefined content; *memory is left alone on
 * failure.  0 bytes are as good as one.  FFTW3_GPU_MEMORY does not count it: it is the program's.  The first call
 * starts the GPU, which takes about half a second.  It is CUDA's memory: a program may give it to CUDA's functions
 * and to kernels of its own; what cudaMalloc gave may be freed here. */
FFTW3_GPU_API int fftw3_gpu_malloc(void **memory, size_t bytes);

/* Free it; NULL is fine.  Nothing may be going on with it. */
FFTW3_GPU_API int fftw3_gpu_free(void *memory);

/* Copy bytes between any two kinds of memory, as memcpy does on the host: after what the default stream had to do, done
 * on return.  ERROR_FAILED: part of it may have been copied. */
FFTW3_GPU_API int fftw3_gpu_copy(void *to, const void *from, size_t bytes);

/* ---- 3. a plan's info -------------------------------------------------------------------------------------------- */

enum { FFTW3_GPU_ROUTE_HOST, FFTW3_GPU_ROUTE_CUDA, FFTW3_GPU_ROUTE_SIM };

typedef struct {
  size_t size;          /* sizeof(fftw3_gpu_info), set by the caller: fields beyond it are left alone */
  int route;            /* where it is computed: FFTW3_GPU_ROUTE_… */
  int device;           /* its number, -1 on the host */
  int passes;           /* over the data in device memory */
  char reason[108];     /* of the route, a few words */
  double device_bytes;  /* that the passes read and write, one execution */
  double bytes_in, bytes_out;     /* over the link, one execution on the plan's own arrays; 0 for those on the device */
  unsigned long long executions;  /* begun so far, new-array ones too; 0 for the real FFTW's own plans: nobody counts */
  unsigned long long by_host;     /* of those, done by the real FFTW, because of a failure or of the arrays; not a batch's parts */
  int precision, compute; /* bytes of a real number, 4 or 8: in the arrays; in the arithmetic, less for
                             FFTW3_GPU_DOUBLE_SINGLE; 0 for the real FFTW's own plans: as the function was called */
} fftw3_gpu_info;

/* What an info begins as, in C and C++. */
#define FFTW3_GPU_INFO_INIT {sizeof(fftw3_gpu_info), 0, 0, 0, {0}, 0, 0, 0, 0, 0, 0, 0}

/*   fftw3_gpu_info info = FFTW3_GPU_INFO_INIT;
 *   if (fftw3_gpu_plan_info(plan, &info) == 0) puts(info.reason); */
FFTW3_GPU_API int fftw3_gpu_plan_info(const void *plan, fftw3_gpu_info *info);

/* ---- 4. execution in a stream ------------------------------------------------------------------------------------ */

/* Execute plan in the program's CUDA stream (cudaStream_t or CUstream; NULL: the legacy default stream) of the device
 * where the arrays are, and return without waiting.  The plan's own arrays, or others by the rules of FFTW's new-array
 * executes: all must be on one device.
 *
 * ERROR_ON_HOST, _NO_DEVICE, _MEMORY: nothing was done; FFTW's execute would give the answer.  ERROR_FAILED: the same,
 * unless message says that the output was damaged.  Streams of another context than the device's primary one, and
 * streams that are being captured, fail.  A fault of the device after this call returned shows in the stream.
 * plan must not be destroyed, nor its arrays be touched, before the stream has come that far. */
FFTW3_GPU_API int fftw3_gpu_execute_stream(const void *plan, void *cuda_stream);
FFTW3_GPU_API int fftw3_gpu_execute_arrays_stream(const void *plan, void *in, void *out,
                                                  void *cuda_stream); /* not for plans of split arrays */

/* ---- 5. execution in the background ------------------------------------------------------------------------------ */

typedef struct fftw3_gpu_job fftw3_gpu_job;

/* Begin an execution of plan on its own arrays, of any kind, in a thread of the library's, as fftwf_execute would do it
 * (also by the real FFTW).  Any number may be under way, on plans whose arrays do not meet; executions on the GPU
 * overlap.  (Where no thread can be started it is done before start returns.) Until it was waited for the arrays must
 * not be touched, nor the plan destroyed.  On failure nothing was begun.  start is for fftwf_plans, start_double for
 * fftw_plans. */
FFTW3_GPU_API int fftw3_gpu_start(const struct fftwf_plan_s *plan, fftw3_gpu_job **job);
FFTW3_GPU_API int fftw3_gpu_start_double(const struct fftw_plan_s *plan, fftw3_gpu_job **job);

/* 1 if it is done, else 0; job stays. */
FFTW3_GPU_API int fftw3_gpu_done(const fftw3_gpu_job *job);

/* Wait until it is done, and free job; NULL is fine.  A job that no thread has begun yet is done by the caller.
 * ERROR_NO_DEVICE in the forked child of a process whose job it was: the arrays are then undefined there. */
FFTW3_GPU_API int fftw3_gpu_wait(fftw3_gpu_job *job);

/* ---- 6. double precision ----------------------------------------------------------------------------------------- */

/* How the plans of double-precision arrays (fftw_plan_…) are computed that the calling thread makes from now on, until
 * it says otherwise; plans that are made already stay what they are, other threads' plans what they will be.
 *
 *   AS_SET   as FFTW3_GPU_DOUBLE says (host, single, double); without it as DOUBLE on GPUs made for double precision,
 *            as HOST on others.  So each thread begins.
 *   HOST     by the real FFTW.
 *   SINGLE   where the GPU is faster: in single precision; the arrays stay double and are converted on the way.  Half
 *            the bytes cross the link.  Results agree with double to about six digits; executions whose numbers
 *            are too large or all too small for that are the real FFTW's, in double.  Arrays on a device are not looked
 *            at: there numbers beyond 3·10³⁸ become infinite, numbers below 10⁻³⁸ zero.
 *   DOUBLE   where the GPU is faster: in double precision, whatever GPU it is.
 *
 * Arrays on a device are transformed there in any case but HOST: in double precision, for SINGLE in single. */
enum { FFTW3_GPU_DOUBLE_AS_SET, FFTW3_GPU_DOUBLE_HOST, FFTW3_GPU_DOUBLE_SINGLE, FFTW3_GPU_DOUBLE_DOUBLE };

FFTW3_GPU_API int fftw3_gpu_double(int how); /* ERROR_ARGUMENT, and nothing changes, for any other number */

#undef FFTW3_GPU_API
#ifdef __cplusplus
}
#endif
#endif
