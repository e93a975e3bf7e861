/* replay_library.h: FFTW's interface in one precision, of the library that is replayed through. */
#ifndef FG_REPLAY_LIBRARY_H
#define FG_REPLAY_LIBRARY_H

#include <stdio.h>

#include "src/problem/problem.h"

/* guru64: rank, dims, howmany_rank, howmany_dims. */
#define FG_REPLAY_LOOPS int, const fg_dim *, int, const fg_dim *
typedef void *fg_replay_plan;

#define FG_REPLAY_FUNCTIONS(F)                                                                                         \
  F(void *, malloc, (size_t))                                                                                          \
  F(void, free, (void *))                                                                                              \
  F(fg_replay_plan, plan_guru64_dft, (FG_REPLAY_LOOPS, void *, void *, int, unsigned))                                 \
  F(fg_replay_plan, plan_guru64_dft_r2c, (FG_REPLAY_LOOPS, void *, void *, unsigned))                                  \
  F(fg_replay_plan, plan_guru64_dft_c2r, (FG_REPLAY_LOOPS, void *, void *, unsigned))                                  \
  F(fg_replay_plan, plan_guru64_r2r, (FG_REPLAY_LOOPS, void *, void *, const int *, unsigned))                         \
  F(fg_replay_plan, plan_guru64_split_dft, (FG_REPLAY_LOOPS, void *, void *, void *, void *, unsigned))                \
  F(fg_replay_plan, plan_guru64_split_dft_r2c, (FG_REPLAY_LOOPS, void *, void *, void *, unsigned))                    \
  F(fg_replay_plan, plan_guru64_split_dft_c2r, (FG_REPLAY_LOOPS, void *, void *, void *, unsigned))                    \
  F(void, execute, (fg_replay_plan))                                                                                   \
  F(void, execute_dft, (fg_replay_plan, void *, void *))                                                               \
  F(void, execute_dft_r2c, (fg_replay_plan, void *, void *))                                                           \
  F(void, execute_dft_c2r, (fg_replay_plan, void *, void *))                                                           \
  F(void, execute_r2r, (fg_replay_plan, void *, void *))                                                               \
  F(void, execute_split_dft, (fg_replay_plan, void *, void *, void *, void *))                                         \
  F(void, execute_split_dft_r2c, (fg_replay_plan, void *, void *, void *))                                             \
  F(void, execute_split_dft_c2r, (fg_replay_plan, void *, void *, void *))                                             \
  F(void, destroy_plan, (fg_replay_plan))                                                                              \
  F(fg_replay_plan, copy_plan, (fg_replay_plan))                                                                       \
  F(char *, sprint_plan, (fg_replay_plan))                                                                             \
  F(void, flops, (fg_replay_plan, double *, double *, double *))                                                       \
  F(double, cost, (fg_replay_plan))                                                                                    \
  F(double, estimate_cost, (fg_replay_plan))                                                                           \
  F(void, cleanup, (void))                                                                                             \
  F(void, cleanup_threads, (void))                                                                                     \
  F(int, init_threads, (void))                                                                                         \
  F(void, plan_with_nthreads, (int))                                                                                   \
  F(int, planner_nthreads, (void))                                                                                     \
  F(void, make_planner_thread_safe, (void))                                                                            \
  F(void, threads_set_callback, (void (*)(void *(*)(char *), char *, size_t, int, void *), void *))                    \
  F(void, set_timelimit, (double))                                                                                     \
  F(int, alignment_of, (void *))                                                                                       \
  F(void, forget_wisdom, (void))                                                                                       \
  F(void, export_wisdom, (void (*)(char, void *), void *))                                                             \
  F(void, export_wisdom_to_file, (FILE *))                                                                             \
  F(char *, export_wisdom_to_string, (void))                                                                           \
  F(int, import_wisdom, (int (*)(void *), void *))                                                                     \
  F(int, import_wisdom_from_file, (FILE *))                                                                            \
  F(int, import_wisdom_from_string, (const char *))                                                                    \
  F(int, import_system_wisdom, (void))

#define FG_REPLAY_MEMBER(type, name, parameters) type(*name) parameters;
/* Of fftw3_gpu.h, NULL where the library has it not. */
typedef struct {
  int (*malloc)(void **, size_t);
  int (*free)(void *);
  int (*copy)(void *, const void *, size_t);
  int (*info)(fg_replay_plan, void *);
} fg_replay_device;

typedef struct {
  FG_REPLAY_FUNCTIONS(FG_REPLAY_MEMBER)
  fg_replay_device device;
} fg_replay_library;

/* false, after a message: it is not there or lacks a function. */
bool fg_replay_library_open(fg_replay_library *, enum fg_precision precision);

/* Where a plan runs: "host", "cuda", "sim", or "gpu" for one of the last two; "-" where asking would be traced.  And
 * whether it is computed in single precision, as far as can be known. */
void fg_replay_library_where(const fg_replay_library *, fg_replay_plan plan, char *where, size_t size, bool *single);

/* p on these arrays, by its guru64 planner. */
fg_replay_plan fg_replay_library_plan(const fg_replay_library *, const fg_problem *p, const fg_arrays *a);

/* plan, which was made for p on the arrays own, on a. */
void fg_replay_library_execute(const fg_replay_library *, fg_replay_plan plan, const fg_problem *p,
                               const fg_arrays *own, const fg_arrays *a);

#endif
