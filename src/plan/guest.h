/* guest.h: copies on the host of arrays that are on a device, for the real FFTW. */
#ifndef FG_GUEST_H
#define FG_GUEST_H

#include "src/problem/problem.h"

typedef struct fg_guests fg_guests;

/* Copies of all that a's arrays of p span on devices, after what the program's default stream had to do; what the host
 * reaches is not copied.  Arrays that meet have one copy.  NULL on failure (fg_backend_message says why). */
fg_guests *fg_guests_bring(const fg_problem *p, const fg_arrays *a);

/* a's arrays as the host has them. */
fg_arrays fg_guests_arrays(const fg_guests *);

/* Bring all once more; give the output's own elements back, and nothing else.  As a backend's functions. */
int fg_guests_bring_again(fg_guests *);
int fg_guests_give_back(const fg_guests *);

void fg_guests_free(fg_guests *);

#endif
