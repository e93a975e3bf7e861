/* target.h: the device that this process runs on, opened the first time that a plan is worth it; and others, where a
 * program has put its arrays. */
#ifndef FG_TARGET_H
#define FG_TARGET_H

#include "cuda/backend.h"

typedef struct {
  const fg_backend *backend;
  fg_device *device;
  const fg_device_info *info;
  int ordinal;       /* the driver's number of the device */
  size_t last_cache; /* bytes of the processors' last cache; 0: not known */
} fg_target;

/* The process's target; NULL if there is none, then *why says so (a text that lives as long as the process). */
const fg_target *fg_target_get(const char **why);

/* The same, but where another thread is starting it, NULL after a minute of waiting for that, and until it is started: that thread may
 * be waiting for the loader's lock, and this one may have it, in a library's constructor. */
const fg_target *fg_target_get_soon(const char **why);

/* Which of count > 0 devices is this process's.  -1, and a line on stderr, if FFTW3_GPU_DEVICE names none of them. */
int fg_target_choose(int count);

/* Device ordinal as a target, where arrays of the program's are: the process's own, or another. */
const fg_target *fg_target_of(int ordinal, const char **why);

/* The backend that settings and build give this process, opened or not; NULL if there is none. */
const fg_backend *fg_target_backend(void);

/* It has been opened: its start-up is paid.  False again after the device was lost, and in the child of a fork that came
 * after. */
bool fg_target_open(void);

/* What opening it took, if all of it was ours to do; else 0. */
double fg_target_start_seconds(void);

/* It has been, or may still be: it was not found missing, not lost, and this is no child that must not have it. */
bool fg_target_possible(void);

/* Why there is none and will be none, as far as is known without opening it; NULL if there may be one.  Lives as long
 * as the process. */
const char *fg_target_missing(void);

/* In such a child: what the parent had on the device is not ours to free, and its locks may never be released. */
bool fg_target_inherited(void);

/* Nothing will work on it any more: from now on every plan answers from the host. */
void fg_target_lost(const char *why);

#endif
