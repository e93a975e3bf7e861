/* quietly.h: writing that harms nobody where it fails. */
#ifndef FG_QUIETLY_H
#define FG_QUIETLY_H

#include <sys/types.h>

/* As write, or from at = 0 on pwrite, but no SIGPIPE (nobody reads) and no SIGXFSZ (ulimit -f) reaches the program: it is not
 * the one that writes. */
ssize_t fg_write_quietly(int fd, const void *from, size_t bytes, off_t at);

#endif
