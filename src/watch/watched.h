/* watched.h: what the files of the watching library share. */
#ifndef FG_WATCHED_H
#define FG_WATCHED_H

#include <stdbool.h>

#include "src/watch/watch.h"

/* Whom to tell; NULL before somebody asks. */
extern __attribute__((visibility("hidden"))) const fg_watcher *_Atomic fg_watched_by;

/* malloc and free behind ours are the C library's. */
__attribute__((visibility("hidden"))) bool fg_watched_libc(void);

/* Whether what a library calls under these names is ours: by allocating, freeing, mapping and unmapping. */
__attribute__((visibility("hidden"))) const char *fg_watched_trial(void);

#endif
