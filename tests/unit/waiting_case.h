/* waiting_case.h: plans that wait on the host until the device pays, in a process in which only executions take
 * time (told_time.h): a millisecond on the host, nothing on the device. */
#ifndef FG_TEST_WAITING_CASE_H
#define FG_TEST_WAITING_CASE_H

#include "device_case.h"
#include "src/cost/account.h"
#include "suite.h"
#include "told_time.h"

/* Seconds: an execution on the host, starting the device, planning on it. */
extern const double waiting_host_time, waiting_start, waiting_planning;

/* Executions until a plan has switched (each saves just under a millisecond of twelve), and until it is settled which
 * side is better; those on the host among them, where that is not slower by far. */
enum { UNTIL_SWITCH = 13, TRIALS = 1 + FG_TRIALS, LOOKS = 1 + FG_LOOKS };

/* A plan of ours for the problem of a text, of so many threads, and the real FFTW's answer. */
extern int waiting_threads; /* 1 */
void waiting_open(device_case *c, const char *text);

/* The arrays hold the real FFTW's answer, but for rounding. */
bool waiting_is_right(const device_case *c);

/* times executions, each right, each followed by what it started. */
void waiting_execute(device_case *c, int times);

/* The plan's description begins so. */
void waiting_says(const device_case *c, const char *begin);

/* The problem gets the real FFTW's own plan. */
void waiting_stays_on_host(const char *text, unsigned flags);

/* From now on no kernel is compiled yet: a folder for the cache, made from a template of mkdtemp, and removed. */
void waiting_empty_cache(char *folder);
void waiting_remove_cache(const char *folder);

/* Run the tests that add adds.  Returns the program's exit status. */
int waiting_run(const char *name, void (*add)(TCase *));

#endif
