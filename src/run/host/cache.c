/* cache.c: how much the processors' caches hold, by Linux's sysfs (Documentation/ABI/testing/sysfs-devices-system-cpu): the
 * C library's sysconf is wrong by a factor of the processors on some machines. */
#include "src/run/host/cache.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

static size_t last_cache;

size_t fg_cache_size(const char *text) {
  char *unit;
  const unsigned long long number = strtoull(text, &unit, 10);
  const int bits = *unit == 'K' ? 10 : *unit == 'M' ? 20 : *unit == 'G' ? 30 : 0;
  if (unit == text || *text == '-' || number > SIZE_MAX >> bits) return 0;
  return (size_t)number << bits;
}

static size_t read_size(const char *path) {
  char text[32];
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  if (length <= 0) return 0;
  text[length] = 0;
  return fg_cache_size(text);
}

/* 0 and 1 are the first level's, for data and code. */
static void ask(void) {
  last_cache = read_size("/sys/devices/system/cpu/cpu0/cache/index3/size");
  if (!last_cache) last_cache = read_size("/sys/devices/system/cpu/cpu0/cache/index2/size");
}

size_t fg_last_cache(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, ask);
  return last_cache;
}
