/* process_path.h: names of files that may hold the process's number. */
#ifndef FG_PROCESS_PATH_H
#define FG_PROCESS_PATH_H

#include <limits.h>
#include <stdbool.h>

/* pattern with the first %p of the file's own name, behind its folder's, replaced by the number of this process; append: where
 * it has none, the number behind it.  False if that is too long for a path. */
bool fg_process_path(char path[PATH_MAX], const char *pattern, bool append);

#endif
