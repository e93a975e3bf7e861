/* driver_case.h: the cuda backend over a fake driver, so that it needs no GPU.
 *
 * The fake has the name libcuda.so.1 and is loaded first, so that the backend gets it when it asks for that name.
 * Every test runs in a process of its own (Check's fork mode), because the driver is started once in a process. */
#ifndef FG_TEST_DRIVER_CASE_H
#define FG_TEST_DRIVER_CASE_H

#include <cuda.h>

#include "cuda/backend.h"
#include "fake_cuda.h"
#include "suite.h"

#define cuda (&fg_backend_cuda)

extern fake_cuda_state *fake;
extern fg_device *device; /* these two: once driver_case_open has been called */
extern fg_stream *stream;
extern char folder[]; /* the kernel store, of this test alone */

void driver_case_open(void);

/* The next call of that function of the driver's gives result. */
void driver_case_fail(const char *function, CUresult result);

/* The backend's message has that part. */
void driver_case_says(const char *part);

/* A function of the fake's own, to be called as the program would. */
void *driver_case_symbol(const char *name);

/* Whether kernels can be compiled. Opens nothing in this process. */
bool driver_case_has_nvrtc(void);

/* Run the tests that add adds.  Returns the program's exit status. */
int driver_case_run(const char *name, void (*add)(TCase *));

#endif
