/* jobs.h: work in the background, by threads that are started when they are first needed. */
#ifndef FG_JOBS_H
#define FG_JOBS_H

#include <stdbool.h>

typedef struct fg_job fg_job;

/* Have work(context) done; NULL on lack of memory.  Where no thread can be started it is done at once. */
fg_job *fg_job_start(void (*work)(void *), void *context);

bool fg_job_done(const fg_job *);

/* Wait and free it; false if it was another process's, before a fork, and not done there. */
bool fg_job_wait(fg_job *);

#endif
