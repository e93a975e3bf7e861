/* bench_device.h: what the files of `fftw3-gpu bench --device` share: one case on the device, its check, its timing. */
#ifndef FG_BENCH_DEVICE_H
#define FG_BENCH_DEVICE_H

#include "src/cli/bench.h"
#include "src/plan/resident.h"
#include "src/run/program.h"

enum { FG_BENCH_STAGING = 16 << 20 }; /* bytes that go to and from the device at a time */

/* What all cases share. */
typedef struct {
  const fg_target *target;
  const fg_bench_options *options;
  fg_stream *stream;
  fg_event *begin, *end;
  void *staging;
} fg_bench_bed;

/* A program and its scratch memory. */
typedef struct {
  fg_program *program;
  void *scratch[2];
} fg_bench_runner;

/* One case.  Its arrays are repeated until they are more than the L2 holds, and used in turn, so that no execution
 * finds its input there; but for --waited, as programs do it. */
typedef struct {
  const fg_bench_bed *b;
  const fg_problem *p;
  fg_layout in, out;
  bool in_place; /* it is, and its images allow it */
  fg_bench_runner forward;
  fg_residents *residents;    /* --waited: its executions as fftwf_execute has them; else NULL */
  const fg_bench_peer *peer;  /* the one that is timed now */
  size_t in_bytes, out_bytes; /* of one array */
  size_t stride;              /* from one array of a block to the next: room for either side, in place too */
  ptrdiff_t pairs, next;
  char *in_block, *out_block;
  char *spare_block; /* for peers that overwrite their input; NULL until it is needed */
} fg_bench_subject;

/* ---- a case (bench_subject.c); a const char * is NULL, or why not ---- */

const char *fg_bench_runner_make(const fg_target *t, const fg_problem *p, fg_bench_runner *r);
int fg_bench_runner_launch(const fg_bench_bed *b, const fg_bench_runner *r, void *in, void *out);

/* One execution from one block to another; in place on the other one, to which the input is copied first. */
int fg_bench_execute(fg_bench_subject *s, const fg_bench_runner *r, void *from, void *to);
void fg_bench_runner_free(const fg_target *t, fg_bench_runner *r);

const char *fg_bench_subject_make(fg_bench_subject *s, const fg_bench_bed *b, const fg_problem *p);
void fg_bench_subject_free(fg_bench_subject *s);

typedef int fg_bench_part(const fg_bench_bed *b, char *device, size_t count, uint64_t first, int step, void *context);

/* Go through all of an image, a part after the other: reals with the indices of the test data. */
int fg_bench_each_part(const fg_bench_bed *b, const fg_layout *l, void *image, fg_bench_part *f, void *context);

/* The test data into an image. */
int fg_bench_fill(const fg_bench_bed *b, const fg_layout *l, void *image);

/* The first input array into all others, and into the room between them. */
int fg_bench_spread(fg_bench_subject *s);

/* ---- the check (bench_check.c) ---- */

/* Run the case once, where it is in place on one array, and compare.  Leaves an input in the first input array. */
const char *fg_bench_check(fg_bench_subject *s, double *error, bool *by_round_trip);

/* The relative L2 distance of s->peer's result, out of place, from ours, apart from a factor; NAN: it failed. */
double fg_bench_distance(fg_bench_subject *s);

/* ---- timing (bench_timing.c) ---- */

typedef struct {
  int (*run)(fg_bench_subject *s, void *in, void *out);
  enum { FG_BENCH_KEEPS, FG_BENCH_IN_PLACE, FG_BENCH_DESTROYS } input; /* what becomes of it */
  bool waits; /* run returns when it is done */
} fg_bench_work;

/* Median time in microseconds.  Input that an execution overwrites is fresh again before it could
 * grow out of range. */
const char *fg_bench_measure(fg_bench_subject *s, const fg_bench_work *w, double *median);

/* In place, if it is so. */
const char *fg_bench_measure_ours(fg_bench_subject *s, double *median);

/* As many bytes read and written as the case has at least to. */
const char *fg_bench_measure_copy(fg_bench_subject *s, double *median);

/* s->peer out of place or in place. */
const char *fg_bench_measure_peer(fg_bench_subject *s, bool in_place, double *median);

#endif
