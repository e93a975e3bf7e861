/* copy.h: copying what will not be read again soon. */
#ifndef FG_COPY_H
#define FG_COPY_H

#include <stddef.h>

/* As memcpy, but what is written goes past the caches (non-temporal stores) where the processor can: its old content is
 * not read first, and what the caches hold stays. */
void fg_copy_past_cache(void *to, const void *from, size_t bytes);

/* What is there leaves all caches (is written to memory first, if it has to be), where the processor can do that without
 * waiting for each line. It may be read and written meanwhile. */
void fg_copy_leave_caches(const void *from, size_t bytes);

#endif
