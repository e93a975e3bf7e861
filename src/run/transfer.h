/* transfer.h: between the program's arrays and their images on the device, through pinned staging. */
#ifndef FG_TRANSFER_H
#define FG_TRANSFER_H

#include "src/problem/layout.h"
#include "src/run/slot.h"

/* Bytes that are moved at a time.  A variable so that tests can have many chunks of little data. */
extern size_t fg_transfer_chunk;

/* Bytes of the image on the device; where in it a plane (0: re or complex, 1: im of a split array) begins; staging that a
 * slot needs for both directions. */
size_t fg_transfer_bytes(const fg_layout *l);
void *fg_transfer_plane(const fg_layout *l, void *image, int plane);
size_t fg_transfer_staging(const fg_layout *in, const fg_layout *out);

/* Copy a's input to the slot's input array, in the slot's stream; the program's array may be overwritten when the stream has
 * got that far. */
int fg_transfer_in(const fg_target *, fg_slot *, const fg_layout *in, const fg_arrays *a);

/* Copy the slot's output array to a's output and wait for it.  *writing is set before the first element is written. */
int fg_transfer_out(const fg_target *, fg_slot *, const fg_layout *out, const fg_arrays *a, bool *writing);

/* Bring the input back from the slot's input array, which no pass writes, after output was written over it. */
int fg_transfer_undo(const fg_target *, fg_slot *, const fg_layout *in, const fg_arrays *a);

/* Whether the memory that input and output span has bytes in common. */
bool fg_transfer_overlap(const fg_layout *in, const fg_layout *out, const fg_arrays *a);

#endif
