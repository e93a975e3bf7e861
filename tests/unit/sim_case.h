/* sim_case.h: kernels given as text, on the simulated device.
 *
 * Every test runs in a process of its own (Check's fork mode), on a device that it alone has opened; kernels are kept
 * in a folder that the tests of a program share and that is removed with its end. */
#ifndef FG_TEST_SIM_CASE_H
#define FG_TEST_SIM_CASE_H

#include <check.h>

#include "cuda/backend.h"
#include "cuda/sim/sim.h"
#include "suite.h"

enum { N = 256 };

/* What every kernel here takes. */
typedef struct {
  float *in, *out;
  int n;
} arguments;

/* The text of a kernel that does body; T: the thread, SHARED: floats in shared memory. */
#define PRELUDE                                                                                                        \
  "#include \"memory.h\"\n"                                                                                            \
  "struct arguments { float *in, *out; int n; };\n"                                                                    \
  "#define SHARED static_cast<float *>(FG_SHARED_BASE())\n"                                                            \
  "#define T int(threadIdx.x)\n"
#define KERNEL(body) PRELUDE "extern \"C\" __global__ void k(const arguments a) {\n" body "\n}\n"
/* The same in clusters of two. */
#define IN_PAIRS(body)                                                                                                 \
  "#define FG_CLUSTER 2\n#define FG_REAL float\n#include \"cluster.h\"\n"                                            \
  "FG_DEVICE void cluster_arrive() { fg_sim_now->hooks->cluster_arrive(fg_sim_now); }\n"                               \
  "FG_DEVICE void cluster_store(cplx *tile, int rank, int at, cplx v) { cluster_send(tile, rank, at, v, nullptr); }\n" KERNEL( \
      "cplx *const tile = static_cast<cplx *>(FG_SHARED_BASE()); const int other = 1 - cluster_rank();" body)
/* The same with copies into shared memory. */
#define WITH_COPIES(body)                                                                                              \
  "#define FG_REAL float\n#include \"bulk_copy.h\"\n" KERNEL(                                                         \
      "cplx *const tile = static_cast<cplx *>(FG_SHARED_BASE()), *const in = reinterpret_cast<cplx *>(a.in);"          \
      "arrivals *const at = reinterpret_cast<arrivals *>(tile + 120);" body)

/* shared_store, __syncthreads, shared_load: thread i of a block of N gets number i % 16 * 16 + i / 16. */
#define TRANSPOSITION                                                                                                  \
  KERNEL("shared_store(SHARED + T, global_load(a.in + T));"                                                            \
         "__syncthreads();"                                                                                            \
         "global_store(a.out + T, shared_load(SHARED + T % 16 * 16 + T / 16));")

#define sim (&fg_backend_sim)

extern fg_device *device;
extern fg_stream *stream;
extern char folder[]; /* the kernel store */

/* The kernel of a text, which may use that many bytes of shared memory.  Returns the backend's code. */
int sim_case_load(const char *text, size_t shared, fg_kernel **kernel);

/* Memory of the device for count floats. */
float *sim_case_array(size_t count);

/* Compile text and run it on N floats (0, 1, 2…) with an output as long; both on the device.  Returns the launch's
 * code. */
int sim_case_run(const char *text, unsigned grid, unsigned block, size_t shared, float *result);

/* Run text, which has to succeed. */
void sim_case_run_well(const char *text, unsigned grid, unsigned block, size_t shared, float *result);

/* A test case of the suite whose tests find a device and a stream, and have two minutes each. */
TCase *sim_case_tests(Suite *s, const char *name);

/* Run the tests that add adds.  Returns the program's exit status. */
int sim_case_main(const char *name, void (*add)(Suite *));

#endif
