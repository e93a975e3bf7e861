/* thread.h: threads of ours in the program's process. */
#ifndef FG_THREAD_H
#define FG_THREAD_H

#include <stdbool.h>

/* Start work(context) in a detached thread, which gets none of the program's signals, and a stack of 2 MB at least, however
 * small the program's default is. */
bool fg_thread_start(void *(*work)(void *), void *context);

#endif
