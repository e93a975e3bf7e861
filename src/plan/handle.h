/* handle.h: what a handle of ours holds; for the files of src/plan that are about handles. */
#ifndef FG_HANDLE_H
#define FG_HANDLE_H

#include <stdatomic.h>

#include "src/cost/account.h"
#include "src/plan/parts.h"
#include "src/plan/pause.h"
#include "src/plan/plan.h"
#include "src/plan/resident.h"
#include "src/plan/ways.h"
#include "src/report/log.h"
#include "src/report/report.h"
#include "src/run/program.h"

/* Where the plan's executions go.  WAITING becomes SWITCHED at most once, and that RETURNED at most once. */
enum fg_state {
  FG_STATE_HOST,     /* the real FFTW's plan, wrapped so that report and trace see it executed */
  FG_STATE_DEVICE,   /* on the device from the beginning */
  FG_STATE_WAITING,  /* on the host, counted, until the device pays */
  FG_STATE_SWITCHED, /* then on the device */
  FG_STATE_RETURNED, /* back on the host: the device was slower */
  FG_STATE_BESIDE,   /* no state of a plan, but of single executions: on the host while others are on the device */
  FG_STATE_APART,    /* likewise: on the host, since real and imaginary parts lie otherwise than planned */
  FG_STATE_LOOK,     /* likewise: on the host, which is timed once more before the device has the plan for good */
  FG_STATE_BEYOND,   /* likewise: on the host, since those before brought numbers that single precision does not hold */
  FG_STATE_STREAM,   /* likewise: given to a stream of the program's */
  FG_STATES
};

struct fg_plan {
  uint64_t magic;
  atomic_int owners;             /* handles that the program has of it: all together are one of the references */
  atomic_int references;         /* and what goes on in the background is another */
  fg_problem *problem;
  _Atomic(fg_program *) program; /* NULL: not on the device (yet) */
  fg_parts *parts;               /* what is too large for a program; NULL for almost all */
  fg_ways ways;
  fg_account *account;           /* NULL: the plan stays where it is */
  enum fg_memory memory;         /* of the account */
  double host_seconds, device_seconds; /* of an execution, as measured before the plan was made; else 0 */
  atomic_bool queued;            /* for the switch */
  double patience;               /* seconds that an execution waits for it: what the host is expected to take; or 0 */
  bool away;                     /* its own arrays are not all the host's */
  fg_residents *residents;       /* for executions on such arrays */
  char reason[108];              /* of where it began */
  atomic_ulong executions, by_host; /* begun; done by the real FFTW in place of the device */
  atomic_bool out_of_range;      /* the log has been told that numbers were */
  bool pauses;                   /* after such executions others are not tried on the device */
  fg_pause pause;
  _Atomic(fg_report_row *) row[FG_STATES];
};

enum fg_state fg_plan_state(const fg_plan *plan);

/* Its row in the report for that state; NULL if there is no report.  Where there is none yet it is made: begin says
 * why the plan is in that state, and with which program. */
fg_report_row *fg_plan_row(fg_plan *plan, enum fg_state state);
void fg_plan_row_begin(fg_plan *plan, enum fg_state state, const fg_program *program, const char *reason);

/* A line of the log about p at that level. */
void fg_plan_tell(enum fg_level level, const fg_problem *p, const char *where, const char *reason);

/* Give up a reference: with the last one it is gone, whose ways went with its last owner. */
void fg_plan_let_go(fg_plan *plan);

/* It is time for the device: have it opened and the plan made there, in the background (switch.c). */
void fg_plan_switch(fg_plan *plan);

/* Execute with the real FFTW on a's arrays; false if it has no plan for them. */
bool fg_plan_fall_back(fg_plan *plan, const fg_arrays *a);

/* The real FFTW does an execution in place of the device: counted, and a line of the log at that level.  why may be
 * fg_backend_message(). Numbers that single precision does not hold are told of once a plan; again only at debug. */
void fg_plan_by_host(fg_plan *plan, enum fg_level level, const char *why);

/* The line of the log about a verification that failed. */
void fg_plan_tell_replaced(const fg_problem *p, double error, double tolerance);

/* Execute on a's arrays, one of which is on a device (execute_resident.c). */
void fg_plan_execute_resident(fg_plan *plan, const fg_arrays *a);

#endif
