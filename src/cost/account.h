/* account.h: what this process has learned about each problem: what it costs on the host and on the device.
 *
 * A problem that the device would do faster, but for which its start-up is not earned yet, is computed on the host and
 * counted.  Opening the device and planning there are paid for once the executions so far would have saved as much
 * (ski rental: whatever the program goes on to do, waiting has cost it at most what the start-up costs).  Then the
 * first executions on the device are timed, where it is in doubt some more on the host too, and if the former are slower
 * the host has the problem for good.
 *
 * Accounts live as long as the process and belong to all plans of a problem, whose arrays lie in the same kind of
 * memory. All functions may be called from any thread. */
#ifndef FG_ACCOUNT_H
#define FG_ACCOUNT_H

#include "src/cost/model.h"

typedef struct fg_account fg_account;

enum fg_verdict {
  FG_UNDECIDED,
  FG_BETTER_ON_DEVICE, /* its executions there were timed */
  FG_BETTER_ON_HOST,   /* likewise */
  FG_SHORT_ON_HOST,    /* so short there that the device was not tried */
  FG_NOT_FOR_DEVICE    /* it could not be planned there */
};

/* Executions on the device that are timed, behind the first, which warms up: more of them where both sides are about as
 * fast. Of the host, where its first ones, with threads and caches that were cold, are about all that is known, so many
 * more are timed between them, behind some that warm up. So many on the host tell whether they are too short to be worth
 * counting; behind so many a device that is there already is tried also where it only may be faster. */
enum { FG_TRIALS = 5, FG_MOST_TRIALS = 25, FG_LOOKS = 4, FG_HOST_TRIALS = 16, FG_HOST_MANY = 100 };

/* p's account, found or begun; gpu_seconds: what the model expects of the device.  NULL if there are too many problems
 * or no memory: then it is not waited for. */
fg_account *fg_account_of(const fg_problem *p, enum fg_memory memory, double gpu_seconds);

/* p's account if there is one. */
fg_account *fg_account_find(const fg_problem *p, enum fg_memory memory);

/* An execution on the host took so long.  Whether it is time for the device now. */
bool fg_account_host(fg_account *, double seconds);

/* An execution on the device took so long.  The verdict, if this one has settled it, else FG_UNDECIDED. */
enum fg_verdict fg_account_device(fg_account *, double seconds);

/* What an execution that took so many seconds beside others, which made it so many times longer, takes alone: not less than the
 * model hopes for, unless it was. Who comes first among many, while the others still make their memory ready, was hardly held
 * up. */
double fg_account_alone(const fg_account *, double seconds, double stretch);

/* Whether an execution that would go to the device is one of those on the host that are timed once more; it took so long. */
bool fg_account_looks_back(const fg_account *);
void fg_account_looked(fg_account *, double seconds);

/* Whether compiling its kernels, which are not on disk, has been earned; if not, it is not time for the device before
 * that, or before another problem was planned there, which may have brought them. */
bool fg_account_compiles(fg_account *);

/* The problem was planned on the device; or never will be. */
void fg_account_planned(fg_account *);
void fg_account_refused(fg_account *);

enum fg_verdict fg_account_verdict(const fg_account *);
bool fg_account_is_planned(const fg_account *); /* its kernels are there already */
unsigned long fg_account_executions(const fg_account *); /* on the host */
/* Seconds of an execution; 0: not known.  Means: of the host's but for the first, unless that was the only one, or of those
 * that were timed once more, but for the slowest; of the device's trials but for the slowest, which somebody may have
 * disturbed.  One that takes far longer than the others counts for twice their mean. */
double fg_account_host_seconds(const fg_account *);
double fg_account_device_seconds(const fg_account *);

/* What all accounts together would have saved so far: seconds. */
double fg_account_saved(void);

/* What is known of a problem, beside what the model said when its account was begun: seconds. */
typedef struct {
  int threads;
  enum fg_precision precision, compute; /* of the arrays; of the arithmetic on the device */
  bool past_cache;            /* of the host's last one */
  enum fg_memory memory;
  unsigned long executions;   /* on the host */
  double host, host_estimate, device, device_estimate; /* of an execution; 0: not known */
} fg_account_facts;

/* Tell of all problems, some thousands at most; nothing is told if another thread is counting. */
void fg_account_each(void (*tell)(const fg_account_facts *, void *what), void *what);
bool fg_account_any(void);

/* What planning p on the device takes: seconds.  kept: its kernels are taken to be on disk. */
double fg_account_planning(const fg_problem *p, bool kept);

#endif
