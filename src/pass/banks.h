/* banks.h: how the exchanges of a tile meet the banks of shared memory. */
#ifndef FG_BANKS_H
#define FG_BANKS_H

#include "src/pass/pass.h"

/* Wavefronts that the exchanges between p's stages need, relative to accesses without conflicts, on average: 1 is
 * perfect.  p's stages, orders, lines, threads and padding are set.  1 if there is no exchange. */
double fg_banks_conflicts(const fg_pass *p);

/* All stages run across lines first, and so do the points of the tile. */
bool fg_banks_all_columns(const fg_pass *p);

/* Points of the whole tile. */
ptrdiff_t fg_banks_tile_points(const fg_pass *p);

/* Exchanges between p's stages, all of which run along lines, may have skews; give them those with which they meet fewer
 * conflicts than with padding. */
bool fg_banks_may_skew(const fg_pass *p);
void fg_banks_skew(fg_pass *p);

/* The same of boxes: on average over the exchanges, and of the one after stage s. */
double fg_banks_box_conflicts(const fg_pass *p);
double fg_banks_exchange_conflicts(const fg_pass *p, int s);

/* Points of one box in shared memory, and the shortest pitch that its rows have room in with p's skews. */
ptrdiff_t fg_banks_box_points(const fg_pass *p);
ptrdiff_t fg_banks_shortest_pitch(const fg_pass *p);

#endif
