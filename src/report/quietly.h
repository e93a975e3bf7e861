/* quietly.h: writing that harms nobody where it fails. */
#ifndef FG_QUIETLY_H
#define FG_QUIETLY_H

#include <stdbool.h>
#include <sys/types.h>

/* Open to append, made if it is not there: -1 and errno why, at once where it is a pipe that nobody reads. */
int fg_open_quietly(const char *path);

/* Write all, from at = 0 on at that place, or (at < 0) where the file is; false, and errno why, if that fails.  No SIGPIPE (nobody
 * reads) and no SIGXFSZ (ulimit -f) reaches the program: it is not the one that writes. */
bool fg_write_quietly(int fd, const void *from, size_t bytes, off_t at);

#endif
