/* calibration.h: what this machine can do, as the coefficients of the cost model (src/cost/model.h), and its text.
 *
 * The defaults are the reference machine's (doc/performance.md).  `fftw3-gpu tune` measures them anew and keeps them
 * in a file beside the compiled kernels, one for each host name; that file is read by the first plan that is not
 * small.  Where there is none, what programs have learned (src/cost/learn.h) is read from another one. */
#ifndef FG_CALIBRATION_H
#define FG_CALIBRATION_H

#include <stdbool.h>
#include <stdio.h>

/* Seconds, bytes, and what they give; flops are FFTW's count, 5 n log2 n. */
typedef struct {
  /* stock FFTW, one thread, FFTW_ESTIMATE */
  double rate_two, rate_smooth, rate_prime; /* flops/s: powers of two, factors to 13, larger primes */
  double walk_cache, walk_memory;           /* s a point: long power-of-two strides through 512 kB, through 128 MB */
  double cache, stream;                     /* bytes of the last cache; bytes/s past it */
  double measured_rate, measured_walk;      /* FFTW_MEASURE: so many times faster, so many times as long */
  double thread_share, thread_seconds;      /* what each further thread adds, of the first; what it costs a transform */

  /* the GPU */
  double start, plan;                       /* s: opening it; planning a problem that is new to it */
  double overhead, piece;                   /* s: an execution; each further piece of a batch */
  double link, link_both;                   /* bytes/s: pinned memory, one way; both ways together */
  double staged, staged_both;               /* the same of other memory */
  double staging_seconds, staging_rate;     /* s and bytes/s: the first and last piece through staging */
  double device;                            /* bytes/s of device memory, read and write counted */

  /* what the route does with them */
  double uncertain;                         /* times: how wrong an estimate may be */
  double worse;                             /* times: the GPU must be slower than the host was to be given up */

  /* what executions took, of these estimates (src/cost/learn.h); 1: nothing was learned */
  double seen_cache, seen_memory;           /* times: FFTW, in the last cache and past it */
  double seen_own, seen_foreign;            /* times: the GPU, memory of fftwf_malloc and other */
  double seen_double, seen_converted;       /* times: FFTW in double precision in that cache; the GPU, doubles converted */
} fg_calibration;

extern const fg_calibration fg_calibration_defaults;

/* All coefficients as a table. */
typedef struct {
  const char *name, *unit, *meaning;
  double scale; /* one unit */
  size_t offset;
  bool gpu;     /* the device's, not the host's */
} fg_coefficient;
extern const fg_coefficient fg_coefficients[]; /* ends with a NULL name */

/* Whose coefficients they are. */
typedef struct {
  char host[72], cpu[96], device[96]; /* device "none": the GPU's are defaults */
} fg_machine;

/* As text, whatever the program's locale. */
void fg_calibration_print(FILE *to, const fg_calibration *c, const fg_machine *m);

/* Back from text: false if it is damaged or incomplete; *c and *m are unchanged then. */
bool fg_calibration_parse(const char *text, fg_calibration *c, fg_machine *m);

/* Those in force: the file's, which the first call reads, or the defaults. Cheap after that. */
const fg_calibration *fg_calibration_get(void);

/* Where they come from, in a few words: "defaults", "…/calibration-node1", "…/learned-node1". */
const char *fg_calibration_source(void);

/* The device turned out to be this one: if the file was made with another its figures are not believed. */
void fg_calibration_device(const char *name);

/* Take these from now on (fftw3-gpu tune, tests). */
void fg_calibration_use(const fg_calibration *c);

/* This machine; the device is "none". */
void fg_calibration_machine(fg_machine *m);

/* Keep c as what programs have learned, unless this machine was tuned; device: its GPU's name, NULL: as it was.  NULL,
 * or why that cannot be. */
const char *fg_calibration_keep_learned(const fg_calibration *c, const char *device);

/* It was measured with that device. */
void fg_calibration_name_device(fg_machine *m, const char *name);

/* Keep c in this machine's file.  NULL, or why that cannot be; *path is the file, malloc'd, or NULL if there is no
 * folder for it. */
const char *fg_calibration_save(const fg_calibration *c, const fg_machine *m, char **path);

#endif
