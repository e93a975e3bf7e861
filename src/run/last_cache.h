/* last_cache.h: how much the processors' last cache holds. */
#ifndef FG_LAST_CACHE_H
#define FG_LAST_CACHE_H

#include <stddef.h>

/* Bytes of a processor's cache of the highest level by its folder of Linux's sysfs (/sys/devices/system/cpu/cpu0/cache:
 * Documentation/ABI/testing/sysfs-devices-system-cpu); 0: it does not say.  The processor mostly shares it with others, in
 * a virtual machine also with those of other machines. */
size_t fg_last_cache(const char *folder);

#endif
