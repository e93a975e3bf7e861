/* device_case.h: one plan on the simulated device, and what its memory looks like after the device and after the
 * real FFTW have answered. */
#ifndef FG_TEST_DEVICE_CASE_H
#define FG_TEST_DEVICE_CASE_H

#include "arrays.h"
#include "src/plan/plan.h"
#include "suite.h"

typedef struct {
  const fg_problem *problem; /* the plan's, or our own before there is one */
  fg_plan *plan;
  test_arrays arrays;
  size_t bytes;
  char *by_device, *by_host; /* all memory after an execution by either */
} device_case;

/* The beginning and the end of a program of such tests: on sim, where failures that are injected are none, the real FFTW
 * behind plans, the log in a file; two minutes for each test.  Returns the program's exit status. */
void device_case_begin(void);
int device_case_end(TCase *tc, const char *name);

/* The problem of a text; 'i' in it places it in place.  Arrays are filled; the two answers are not there yet. */
void device_case_open(device_case *c, const char *text);
void device_case_close(device_case *c);

/* A plan of ours, and both answers; with luck they are the same. */
void device_case_plan(device_case *c);

/* Fill the arrays again and execute the plan. */
void device_case_execute(device_case *c);

/* All memory is as it was after the device's, or the real FFTW's, answer. */
bool device_case_is(const device_case *c, const char *answer);

/* Likewise within rounding: another plan may have other radices. */
bool device_case_is_near(const device_case *c, const char *answer);

/* Of the memory now: malloc'd. */
char *device_case_memory(const device_case *c);

#endif
