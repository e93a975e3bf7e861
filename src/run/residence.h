/* residence.h: whose memory a pointer leads to: the library's own, the program's on the host, pinned by the program, or
 * of a device. */
#ifndef FG_RESIDENCE_H
#define FG_RESIDENCE_H

#include "src/run/target.h"

/* Whether any pointer of this process may lead to memory of a device: the program has loaded the CUDA driver, or we
 * have. Until then all memory is the host's, and this costs some nanoseconds. */
bool fg_residence_possible(void);

/* The program has such memory, or uses the device itself so that it may: plans of the host must be ready for it. */
bool fg_residence_expected(void);
void fg_residence_expect(void); /* it has, from now on */

/* Where p leads.  A search in the arena, then the driver: some hundred nanoseconds at most.  Opens nothing; NULL, and
 * what nobody knows, is the host's. */
fg_pointer fg_residence_of(const void *p);

/* It is memory of a device, or managed. */
bool fg_residence_device(const fg_pointer *where);

/* Until the program's default stream can be used, as it cannot while another thread captures a stream that it waits for: most
 * captures end within the tenth of a second that this takes at most; one of this thread does not. */
void fg_residence_await_captures(const fg_target *);

/* Until what the program has queued for such memory is done: in its default stream of that device, and in that of the
 * memory's own context (fg_pointer.owner, or NULL).  What fails there is the program's. */
void fg_residence_wait_for_program(const fg_target *, void *owner);

/* Both at once, and at no cost for what lies in the program's image or its heap. */
bool fg_residence_on_device(const void *p);

/* All of [from, from + bytes) was pinned by the program, so that copies reach it by DMA. */
bool fg_residence_pinned(const void *from, size_t bytes);

/* As fg_arena_hold, for any memory of the host: also what the program has pinned, which is FG_PINNED_BY_PROGRAM each
 * time. It may not be recorded with its address, since nobody knows when the program unpins it, and kernels are kept
 * from it. */
#define FG_PINNED_BY_PROGRAM (~0ul)
unsigned long fg_residence_hold(const fg_target *, const void *from, size_t bytes);
void fg_residence_let_go(unsigned long number);

#endif
