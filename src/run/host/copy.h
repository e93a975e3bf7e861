/* copy.h: copying what will not be read again soon. */
#ifndef FG_COPY_H
#define FG_COPY_H

#include <stddef.h>

/* As memcpy, but what is written goes past the caches (non-temporal stores) where the processor can: its old content is
 * not read first, and what the caches hold stays. */
void fg_copy_past_cache(void *to, const void *from, size_t bytes);

#endif
