/* print.c: plans as text, and what they cost. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "compat/fftw2.h"
#include "compat/lock.h"
#include "compat/next.h"
#include "compat/traced.h"
#include "src/plan/plan.h"

char *X(sprint_plan)(const X(plan) p) {
  FG_TRACED_PLAN(FG_CALL_PRINT, p);
  return fg_plan_is_ours(p) ? fg_plan_sprint((const fg_plan *)p) : FG_REAL(sprint_plan, NULL, p);
}

static void print_to(const X(plan) p, FILE *output_file) {
  FG_TRACED_PLAN(FG_CALL_PRINT, p);
  if (!fg_plan_is_ours(p)) {
    FG_REAL_DO(fprint_plan, p, output_file);
    return;
  }
  char *text = fg_plan_sprint((const fg_plan *)p);
  if (text) fputs(text, output_file);
  free(text);
}

void X(fprint_plan)(const X(plan) p, FILE *output_file) {
  if (!fg_plan_is_ours(p)) FG_FFTW2_DO(fprint_plan, p, output_file); /* (FFTW 2 has them the other way round) */
  print_to(p, output_file);
}

void X(print_plan)(const X(plan) p) {
  if (!fg_plan_is_ours(p)) FG_FFTW2_DO(print_plan, p);
  print_to(p, stdout);
}

/* FFTW's measures are of its own algorithms: for a plan of ours they are those of the real plan behind it, or NULL. */
static X(plan) behind(const X(plan) p) {
  return fg_plan_is_ours(p) ? (X(plan))fg_plan_host((fg_plan *)p) : p;
}

/* Without the lock, as in FFTW: who asks does not wait for who plans.  In double, whatever the precision of the plan. */
void X(flops)(const X(plan) p, double *add, double *mul, double *fma) {
  FG_TRACED_PLAN(FG_CALL_FLOPS, p);
  *add = *mul = *fma = 0;
  const X(plan) host = behind(p);
  if (host) FG_REAL_DO(flops, host, add, mul, fma);
}

double X(estimate_cost)(const X(plan) p) {
  FG_TRACED_PLAN(FG_CALL_ESTIMATE_COST, p);
  const X(plan) host = behind(p);
  return host ? FG_REAL(estimate_cost, 0, host) : 0;
}

double X(cost)(const X(plan) p) {
  FG_TRACED_PLAN(FG_CALL_COST, p);
  const X(plan) host = behind(p);
  return host ? FG_REAL(cost, 0, host) : 0;
}
