/* standard_error.h: the standard error output that the process began with. */
#ifndef FG_STANDARD_ERROR_H
#define FG_STANDARD_ERROR_H

#include <stdbool.h>
#include <stddef.h>

/* Take what descriptor 2 is now for it: done when the library is loaded, and by tests that put a file of
 * theirs there. */
void fg_standard_error_begin(void);

/* Whether fd still is the file that descriptor 2 was when the library was loaded: a program may have closed it and
 * opened something of its own under that number. */
bool fg_is_standard_error(int fd);

/* Write text to standard error if it is still there. */
void fg_standard_error_write(const char *text, size_t length);

#endif
