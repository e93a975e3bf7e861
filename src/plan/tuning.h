/* tuning.h: geometries of passes, timed on the device against the one that the planner chose.
 *
 * Each pass of a problem is run by itself on arrays as the problem has them, larger than the L2 together.  Before a
 * geometry counts, the whole problem is computed with it, from random input into memory that holds something else, and
 * every number is compared with what the planner's geometry gives.  The fastest are timed again, by turns with the planner's, if
 * there is time.  What is found is kept only if the whole problem is faster with it, too. */
#ifndef FG_TUNING_H
#define FG_TUNING_H

#include "src/pass/choice.h"
#include "src/run/target.h"

typedef struct {
  int most;          /* geometries to try of a pass, at most FG_TUNING_MOST */
  int patience;      /* that they are kept with (src/pass/tuned.h); what was measured with as much is left out */
  double until;      /* no further geometry is timed after that moment of fg_clock_seconds; INFINITY: no limit */
  const fg_choice *these; /* the geometries to try, instead of the likeliest, and how many; none: 0 */
  int given;
  bool keep_slower;  /* learn the planner's own choice, too, where nothing was faster: it is not measured again */

  /* NULL, or called with each geometry: the seconds of the pass, NAN if it is wrong, negative if it does not run. */
  void (*tell_each)(void *context, const fg_pass *planned, const fg_pass *tried, double seconds);
} fg_tuning_limits;

enum { FG_TUNING_MOST = 400 };

/* One pass: as planned, and the fastest (the same one if none was faster by what counts); seconds of both. */
typedef struct {
  const fg_pass *planned, *fastest;
  double before, after;
  int tried, wrong; /* geometries timed; left out for their results */
} fg_tuning_pass;

/* A problem whose passes were measured; of each in order, tried 0 if it was known or time had run out. */
typedef struct {
  const fg_problem *problem;
  int count;
  const fg_tuning_pass *pass;
  double before, after; /* seconds of all passes; 0 where no pass was faster */
  bool kept;
} fg_tuning_result;

typedef void (*fg_tuning_tell)(void *context, const fg_tuning_result *);

/* Measure p's passes and learn what is faster (fg_tuned_learn), so that it is planned so from now on.  tell may be
 * NULL; it is not called where all is known.  NULL, or why nothing could be measured. */
const char *fg_tuning_run(const fg_target *, const fg_problem *p, const fg_tuning_limits *, fg_tuning_tell tell,
                          void *context);

#endif
