/* ending.h: the process is ending: work behind the program's back leaves off at the next good place. */
#ifndef FG_ENDING_H
#define FG_ENDING_H

#include <stdbool.h>

void fg_ending_begin(void);
bool fg_ending(void);

#endif
