/* build.h: runs of the host's C++ compiler, several at a time, in a temporary folder. */
#ifndef FG_SIM_BUILD_H
#define FG_SIM_BUILD_H

#include "cuda/backend.h"

typedef struct fg_build fg_build;

/* The compiler and its options as one text: part of a kernel's identity. */
const char *fg_build_command(void);

/* Room for at most jobs compiles.  Folders and files appear when needed, and go with free. */
fg_build *fg_build_new(int jobs);
void fg_build_free(fg_build *);

/* Write down what to compile; jobs are numbered from 0 in the order of their adding.  0 or FG_ECOMPILE. */
int fg_build_add(fg_build *, const fg_kernel_request *);

/* Compile all jobs: 0, or FG_ECOMPILE with the first complaint of the compiler as message. */
int fg_build_run(fg_build *);

/* The path of a compiled job's object; of a blob written as an object (NULL: cannot).  Each path is used only once in a
 * process, as the dynamic loader knows objects by their names.  Valid until the next call. */
const char *fg_build_object(fg_build *, int job);
const char *fg_build_write_object(fg_build *, const void *blob, size_t bytes);

/* Read a file whole, into malloc'd memory: 0 or -1. */
int fg_build_read_object(const char *path, void **blob, size_t *bytes);

#endif
