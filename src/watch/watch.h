/* watch.h: libfftw3_gpu_watch.so sees the program's memory come and go, and tells whoever asks.
 *
 * Preloaded, it takes the place of malloc, free, mmap, munmap and their kin. It passes all calls on; blocks of
 * FG_WATCH_SMALLEST bytes and more get a little more memory than the program asked for. As long as nobody has asked it
 * does nothing else. It depends on no other library of this project. */
#ifndef FG_WATCH_H
#define FG_WATCH_H

#include <stddef.h>

/* What is shorter is not told of. */
#define FG_WATCH_SMALLEST ((size_t)64 << 10)

/* Called by any thread, in signal handlers too, and with whatever locks the caller of malloc or munmap may hold; but
 * never from within malloc itself. errno is the program's. */
typedef struct {
  size_t pad;                                         /* bytes wanted behind each block */
  void (*block_came)(void *base, size_t bytes);       /* of malloc and its kin; pad bytes behind it are nobody's */
  void (*block_goes)(void *base);                     /* is about to be freed, if it is a block at all */
  void (*mapping_came)(void *base, size_t bytes);     /* private, anonymous, readable and writable */
  void (*range_came)(void *from, size_t bytes);       /* other memory has been mapped there */
  void (*range_goes)(void *from, size_t bytes);       /* pages that are about to be unmapped; perhaps none */
  void (*range_renewed)(void *from, size_t bytes);    /* pages that are still mapped, but not the ones they were */
} fg_watcher;

/* From now on tell watcher, which stays there for ever: NULL; else why that cannot be trusted to be all. By its name,
 * through dlsym. */
const char *fftw3_gpu_watch(const fg_watcher *watcher);
typedef const char *fg_watch_function(const fg_watcher *);
#define FG_WATCH_NAME "fftw3_gpu_watch"

#endif
