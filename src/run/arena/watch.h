/* watch.h: FFTW3_GPU_PIN=register: the program's own memory becomes the arena's regions. */
#ifndef FG_RUN_WATCH_H
#define FG_RUN_WATCH_H

/* If the setting asks for it and libfftw3_gpu_watch.so is there: from now on what the program allocates and maps, and
 * its static variables. To be called when the library is loaded: what the program has by then is never known. */
void fg_watch_begin(void);

/* When memory might first be pinned: say on stderr, once, why the setting could not be followed. */
void fg_watch_complain(void);

#endif
