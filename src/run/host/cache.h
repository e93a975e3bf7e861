/* cache.h: how much the processors' caches hold. */
#ifndef FG_CACHE_H
#define FG_CACHE_H

#include <stddef.h>

/* Bytes of the last cache of this machine's first processor, which it mostly shares with others; 0: the system does not
 * say. Asked of the system once. */
size_t fg_last_cache(void);

/* What the text of a size under /sys/devices/system/cpu says ("32768K", "2M"), in bytes; 0 if it is none. */
size_t fg_cache_size(const char *text);

#endif
