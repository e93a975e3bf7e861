/* plan.h: the handle that a program holds, and all that compat/ asks of src/.
 *
 * A plan that stays on the host is the real FFTW's own plan, handed back untouched.  A plan of ours begins with a magic
 * word that no FFTW plan can begin with (theirs begins with a pointer; the word is not a canonical address). */
#ifndef FG_PLAN_H
#define FG_PLAN_H

#include <stdint.h>
#include <stdio.h>

#include "src/plan/host.h"
#include "src/problem/problem.h"

#define FG_PLAN_MAGIC UINT64_C(0x9e3779b97f4a7c15)

typedef struct fg_plan fg_plan;

static inline bool fg_plan_is_ours(const void *plan) { return *(const uint64_t *)plan == FG_PLAN_MAGIC; }

/* Decide where p runs and plan it there; takes p over.  Returns the real FFTW's plan, or an fg_plan, or NULL where FFTW
 * returns NULL.  Arguments that FFTW answers with NULL (n <= 0, …) are refused by the caller before. */
void *fg_plan_create(fg_problem *p);

/* Execute on the plan's own arrays (a == NULL) or on other ones.  Any number of threads, on the same plan too.  Ends
 * with the right answer in the output, or ends the process with a message. */
void fg_plan_execute(fg_plan *plan, const fg_arrays *a);

/* copy: one reference more; destroy: one less, the last frees. */
fg_plan *fg_plan_copy(fg_plan *plan);
void fg_plan_destroy(fg_plan *plan);

/* Give back the device memory and the pinned staging that no execution is using; later executions allocate anew. */
void fg_plan_cleanup(void);

/* The problem as planned; lives as long as the plan. */
const fg_problem *fg_plan_problem(const fg_plan *plan);

/* What a program may know of a plan. */
typedef struct {
  const char *where;    /* as fg_plan_where */
  const char *reason;   /* of that; lives as long as the plan */
  int device, passes;   /* -1, 0 on the host */
  double device_bytes, bytes_in, bytes_out; /* one execution: of the passes; over the link, on the plan's own arrays */
  unsigned long executions, by_host; /* begun so far; done by the real FFTW in place of the device */
} fg_plan_facts;

fg_plan_facts fg_plan_facts_of(const fg_plan *plan);

/* Execute in a stream of the program's, which is not waited for: a's arrays (NULL: the plan's own) must be on one
 * device. As a backend's function; FG_EHOST: nothing was done, since the plan or an array stays on the host. */
enum { FG_EHOST = -100 };
int fg_plan_execute_in(fg_plan *plan, const fg_arrays *a, void *stream);

/* Where it runs: "host", "cuda", "sim". */
const char *fg_plan_where(const fg_plan *plan);

/* The plan as text: one parenthesised list, passes with radices, layouts and bytes.  malloc'd; NULL on lack
 * of memory. */
char *fg_plan_sprint(const fg_plan *plan);

/* The real FFTW's plan behind ours, made at the first call (FFTW_ESTIMATE | FFTW_UNALIGNED: never touches the arrays).
 * For flops and cost, and for falling back.  NULL if the real FFTW has none. */
fg_host_plan fg_plan_host(fg_plan *plan);

#endif
