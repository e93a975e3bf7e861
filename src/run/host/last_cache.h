/* last_cache.h: how much the processors' last cache holds. */
#ifndef FG_LAST_CACHE_H
#define FG_LAST_CACHE_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the first processor's cache of the highest level, which it mostly shares with others (in a virtual machine also
 * with those of other machines); 0: the system does not say.  Asked of the system once, when a device is opened. */
size_t fg_last_cache(void);

/* The same by a folder like /sys/devices/system/cpu/cpu0/cache. */
size_t fg_last_cache_in(const char *folder);

#endif
