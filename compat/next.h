/* next.h: the real FFTW behind this library, as a table of its public functions.
 *
 * It is looked for when it is first needed: among the objects loaded after us (a preload), among all loaded ones (a
 * program that opened FFTW with RTLD_LOCAL), by SONAME, then at the path that configure recorded.  The real library
 * calls its own public functions through the dynamic linker and so comes back to us: as far as there is a choice, the
 * table has functions that call no other public one (but plan_r2r and the like: MKL has plans of these only). */
#ifndef FG_COMPAT_NEXT_H
#define FG_COMPAT_NEXT_H

#include "compat/lock.h"
#include "compat/precision.h"

/* Executes.  Their entries can be called at any time: each begins as a function that looks for the real library. */
#define FG_NEXT_EXECUTES(F)                                                                                            \
  F(execute) F(execute_dft) F(execute_split_dft) F(execute_dft_r2c) F(execute_split_dft_r2c) F(execute_dft_c2r)        \
  F(execute_split_dft_c2r) F(execute_r2r)

/* What else is given plans. */
#define FG_NEXT_OF_PLANS(F) F(destroy_plan) F(copy_plan) F(sprint_plan) F(fprint_plan) F(flops) F(cost) F(estimate_cost)

/* The rest of the library. */
#define FG_NEXT_FUNCTIONS(F)                                                                                           \
  F(plan_many_dft) F(plan_many_dft_r2c) F(plan_many_dft_c2r) F(plan_many_r2r)                                          \
  F(plan_guru64_dft) F(plan_guru64_split_dft) F(plan_guru64_dft_r2c) F(plan_guru64_split_dft_r2c)                      \
  F(plan_guru64_dft_c2r) F(plan_guru64_split_dft_c2r) F(plan_guru64_r2r)                                               \
  F(plan_r2r) F(plan_r2r_1d) F(plan_r2r_2d) F(plan_r2r_3d) FG_NEXT_OF_PLANS(F)                                         \
  F(malloc) F(free) F(alignment_of) F(cleanup) F(set_timelimit)                                                        \
  F(forget_wisdom) F(export_wisdom_to_string) F(import_wisdom) F(import_wisdom_from_file)                              \
  F(import_wisdom_from_string) F(import_system_wisdom) F(set_planner_hooks)

/* What its planners, which plan and destroy, call before and behind; exported for its threads library (FFTW 3.3.5 and later), and in
 * no header. */
void X(set_planner_hooks)(void (*before)(void), void (*after)(void));

/* Its threads library, or the library itself where both were built as one. */
#define FG_NEXT_THREADS(F)                                                                                             \
  F(init_threads) F(cleanup_threads) F(plan_with_nthreads) F(planner_nthreads) F(make_planner_thread_safe)             \
  F(threads_set_callback)

#define FG_NEXT_POINTER(name) __typeof__(X(name)) *name;
typedef struct {
  FG_NEXT_EXECUTES(FG_NEXT_POINTER)
  FG_NEXT_FUNCTIONS(FG_NEXT_POINTER)
  FG_NEXT_THREADS(FG_NEXT_POINTER)
} FG(next_table);

extern FG(next_table) FG(next) FG_HIDDEN;

/* The table after the search.  NULL entries, except for the executes, where the real library (found or not) lacks a
 * function.  A library that was not found, which the log says once, is looked for again at the next call. */
FG_HIDDEN const FG(next_table) *FG(real)(void);
FG_HIDDEN bool FG(real_found)(void);

/* The same after a search for the threads library too, which is opened if it is not loaded and open is set.  Never more
 * than one of FFTW's two threads libraries is opened by us. */
FG_HIDDEN const FG(next_table) *FG(real_threads)(bool open);

/* File and version text of the real library; NULL if there is none. */
FG_HIDDEN const char *FG(real_path)(void);
FG_HIDDEN const char *FG(real_version)(void);

/* Call a function of the real library, or take a value where it does not have it. */
#define FG_REAL(name, otherwise, ...) (FG(real)()->name ? FG(real)()->name(__VA_ARGS__) : (otherwise))
#define FG_REAL_DO(name, ...)                                                                                          \
  do {                                                                                                                 \
    if (FG(real)()->name) FG(real)()->name(__VA_ARGS__);                                                               \
  } while (0)

/* Threads that the real planner has been told to use; 1 while no threads library is in the process. */
FG_HIDDEN int FG(threads_in_force)(void);

/* In a planner that the real FFTW has called: the planner of that FFTW itself, if it is one of another name than the one behind
 * this library, whose plans it may not take; else that of the latter. */
FG_HIDDEN void *FG(straight)(const char *name);
#define FG_STRAIGHT(name, ...)                                                                                         \
  (FG(straight)(FG_TEXT(X(name))) ? ((__typeof__(&X(name)))FG(straight)(FG_TEXT(X(name))))(__VA_ARGS__)                 \
                                  : FG_REAL(name, NULL, __VA_ARGS__))

/* The entry of an execute: one load, so that host plans cost no more than a jump. */
#define FG_NEXT_EXECUTE(name) __atomic_load_n(&FG(next).name, __ATOMIC_RELAXED)

/* Behind a cleanup of the real FFTW: what goes with it of ours (misc.c). */
FG_HIDDEN void FG(cleaned_up)(void);

/* Before it is asked: the real FFTW has a planner.  In a planner, with its lock. */
FG_HIDDEN void FG(make_planner)(void);

/* The real planner takes our lock, also for who calls it past us.  In a planner, with the lock. */
FG_HIDDEN void FG(guard_planner)(void);

/* It is FFTW, not what stands for it (MKL, cuFFTW). */
FG_HIDDEN bool FG(real_is_fftw)(void);

/* The real planner has gone, and with it how many threads it was to use; with its lock. */
FG_HIDDEN void FG(threads_forgotten)(void);

/* Whose code is at address.  A real FFTW of this precision is this one, another copy, or one within a library of another name,
 * whose own code is the program's. */
FG_HIDDEN enum fg_caller FG(caller)(const void *address);

#endif
