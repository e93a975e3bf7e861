/* report.h: what FFTW3_GPU_REPORT writes at exit: each problem, where it ran and why, counts and times.
 *
 * One row stands for all plans of equal problem text, precision, place and reason. The file is appended to in one
 * write, so that several processes may share it. Rows are tab-separated after a header line, which a process without
 * plans writes too, so that one sees that the library was loaded; "-" is stderr. */
#ifndef FG_REPORT_H
#define FG_REPORT_H

#include <stdbool.h>

#include "src/problem/problem.h"

typedef struct fg_report_row fg_report_row;

bool fg_report_wanted(void);

/* Called when the library is loaded: without it a process without plans writes nothing. */
void fg_report_loaded(void);

/* The row of a plan; it lives as long as the process.  where: "host", "cuda", "sim"; reason and passes: short texts,
 * copied; precision: a literal, of the arrays and the arithmetic.  NULL if no report is wanted. */
fg_report_row *fg_report_plan(const fg_problem *p, const char *precision, const char *where, const char *reason,
                              const char *passes);

/* Planning took so many seconds: the first plan's time is told apart from the shortest of the others'.  row may be
 * NULL. */
void fg_report_planned(fg_report_row *row, double seconds);

/* One execution: seconds it took, whether it fell back to the real FFTW (then why, copied; else NULL), its error
 * against the real FFTW under FFTW3_GPU_VERIFY (relative L2; negative: not verified).  row may be NULL.  Thread-safe.
 * */
void fg_report_execute(fg_report_row *row, double seconds, const char *fallback, double error);

#endif
