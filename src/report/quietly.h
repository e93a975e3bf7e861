/* quietly.h: writing that harms nobody where it fails. */
#ifndef FG_QUIETLY_H
#define FG_QUIETLY_H

#include <stdbool.h>
#include <sys/types.h>

/* Write all, from at = 0 on at that place, or (at < 0) where the file is; false, and errno why, if that fails.  No SIGPIPE (nobody
 * reads) and no SIGXFSZ (ulimit -f) reaches the program: it is not the one that writes. */
bool fg_write_quietly(int fd, const void *from, size_t bytes, off_t at);

#endif
