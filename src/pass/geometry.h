/* geometry.h: how a pass is laid over the device: radices, lines a block, threads, the order of each stage. */
#ifndef FG_GEOMETRY_H
#define FG_GEOMETRY_H

#include "src/pass/pass.h"
#include "src/pass/radices.h"

/* Choose lines, threads, radices and stage orders for p (n, strides, loops and sign are set).  Fewest stages first,
 * then whole sectors, then enough blocks on a multiprocessor.  false if a line does not fit into a block or n is not
 * smooth. */
bool fg_geometry_choose(fg_pass *p, const fg_device_info *device);

/* Two blocks on a multiprocessor where one would be alone for its registers only, in single precision.  To be asked for when all
 * passes of a plan are chosen (what cuts were measured by is what one block costs), of those that nobody measured.  (Of 41
 * timed on an H100 two blocks were 1.17 times as fast in the mean, 1.68 at most, three slower: doc/measurements.md.) */
void fg_geometry_pair_blocks(fg_pass *p, const fg_device_info *device);

/* The stages of a box of kinds: the slowest dimension first, whose lines are loaded side by side, then the rows. */
void fg_r2r_box_order(fg_pass *p);

/* The longest line that one thread has (boxes of real to real transforms, in single precision). */
enum { FG_LONGEST_LINE = 129 };

/* Of such a box choose boxes a block and threads; how good these are (0: they do not fit); blocks on a multiprocessor. */
bool fg_geometry_choose_r2r_box(fg_pass *p, const fg_device_info *device);
double fg_geometry_score_r2r_box(const fg_pass *p, const fg_device_info *device);
void fg_geometry_fit_r2r_box(fg_pass *p, const fg_device_info *device);

/* Of rows that mirror themselves, as sums (FG_SUMS_OF_MIRRORS): complex places of a row in the tile; factors of a row of the table;
 * shares of a block, of which a thread has one, and what that takes in registers, in points; how many they would be if all were full;
 * instructions of a block (40 problems of 14 to 83 terms on an H100: half of them within a tenth, all within a half). */
ptrdiff_t fg_geometry_sums_row(const fg_pass *p);
ptrdiff_t fg_geometry_sums_factors(const fg_pass *p);
ptrdiff_t fg_geometry_sums_shares(const fg_pass *p);
int fg_geometry_sums_points(const fg_pass *p);
double fg_geometry_sums_full_shares(const fg_pass *p);
double fg_geometry_sums_operations(const fg_pass *p);

/* The same for a box whose stages, axes and pitch are set: boxes a block, threads, pitch and skews.  Returns how good
 * the best choice is (higher is better), 0 if none fits or it cannot be better than least. */
double fg_geometry_choose_box(fg_pass *p, const fg_device_info *device, double least, bool arrange);

/* ---- its parts, for geometries that are listed and put in (src/pass/choice.c) ---- */

enum { FG_GEOMETRY_LISTS = 16 }; /* of radices that are considered, at most */

/* Those of p, without moves; largest first, but that of reals in its place.  How many. */
int fg_geometry_lists(const fg_pass *p, fg_radix_list list[FG_GEOMETRY_LISTS]);

/* Behind those, of lines that are neither odd nor real, some with large radices, and some of a stage more, whose smaller
 * radices leave registers for more threads: what measurements choose. */
enum { FG_GEOMETRY_MORE_LISTS = 3 * FG_GEOMETRY_LISTS };
int fg_geometry_more_lists(const fg_pass *p, fg_radix_list list[FG_GEOMETRY_MORE_LISTS]);

/* Give p these radices, in the order of stages, and with them an odd row's n. */
void fg_geometry_set_radices(fg_pass *p, const int *radix, int stages);

/* p's radices without moves are set: choose the orders of the stages and put moves in.  permuted_across: those of a
 * permuted convolution run across its lines first. */
void fg_geometry_order(fg_pass *p, bool permuted_across);

/* How good lines and threads are (higher is better), exchanges left out; 0 or less: it does not fit. */
double fg_geometry_score(const fg_pass *p, const fg_device_info *device);

/* Lines, threads and radices are set: choose all the rest.  How good it is; 0: it does not fit. */
double fg_geometry_refine(fg_pass *p, const fg_device_info *device);

/* Skew the exchanges of a box with that pitch where it helps; of a tile, whose blocks_sm is set. */
void fg_geometry_skew(fg_pass *p, int pitch);
void fg_geometry_skew_tile(fg_pass *p, const fg_device_info *device);

/* A block of p fits: points a thread, shared memory. */
bool fg_geometry_fits(const fg_pass *p, const fg_device_info *device);

/* The orders of stages that box.c considers for p, at most so many.  How many. */
int fg_box_ways(const fg_pass *p, fg_pass *list, int most);

/* The share of a box's speed that its exchanges leave. */
double fg_box_exchange_efficiency(const fg_pass *p);

/* The best of them, with the geometry chosen, or with its exchanges left as they come.  How good it is; 0: none fits or is better
 * than least. */
double fg_box_choose(fg_pass *p, const fg_device_info *device, double least, bool arrange);

/* The share of a device's speed that its cluster has, by how many blocks there are, too. */
double fg_box_share(const fg_pass *p, const fg_device_info *device);

/* A box of three dimensions, or of two complex ones with a twiddle, a strip, or what is cut in two, that the blocks of a cluster may
 * share, on a device that has clusters. */
enum { FG_MOST_CLUSTER = 16 }; /* blocks of one, on any device */
bool fg_geometry_may_cluster(const fg_pass *p, const fg_device_info *device);

/* That many blocks, p's cluster, are worth a try.  What is cut in other clusters is not done. */
bool fg_geometry_cluster_suits(const fg_pass *p, const fg_device_info *device);

/* Give p that many blocks, whatever the answer: that both are so. */
bool fg_geometry_set_cluster(fg_pass *p, int blocks, const fg_device_info *device);

/* ---- a row that is cut in two and convolved with a chirp (src/pass/cut_chirp.c, cuda/kernel/box_chirp.h) ---- */

/* p is that: a box with a filter.  Its stages are there twice, the second time backwards. */
bool fg_is_cut_chirp(const fg_pass *p);

/* Cut it so, the stages left open; false, and it stays as it is, if n1 does not divide its length. */
bool fg_cut_chirp(fg_pass *p, ptrdiff_t n1);

/* Behind the stages forwards put those backwards. */
void fg_cut_return(fg_pass *p);

/* That many blocks, p's cluster, may have it. */
bool fg_cut_chirp_suits(const fg_pass *p, const fg_device_info *device);

/* The n1 that it may be cut at, the largest first.  How many. */
int fg_cut_chirp_factors(const fg_pass *p, int list[FG_MAX_RADIX]);

/* A pass over complex rows that lie one behind the other, or columns side by side, of several stages (which are set), whose
 * blocks may load tiles ahead, on a device that has bulk copies. */
bool fg_geometry_may_load_ahead(const fg_pass *p, const fg_device_info *device);

/* The same, and of as few stages as the compiler makes good code for: with five and six ptxas (CUDA 13.0, sm_90 and sm_100)
 * overwrote the pointer to the stack in 4 of 9 kernels that spill, which nothing tells but their code (doc/measurements.md, "Stages
 * ahead"); with three and four in none of 31, but in one that tuning came to since, so that what is compiled is looked at, too
 * (fg_usage). */
enum { FG_MOST_STAGES_AHEAD = 4 }; /* moves would count */
bool fg_geometry_loads_ahead(const fg_pass *p, const fg_device_info *device);

/* Columns of p two by two are neighbours, of which the first begins an even number of points into the array. */
bool fg_geometry_in_even(const fg_pass *p);

/* Neighbouring lines lie closer together than the points of a line, on that side. */
bool fg_geometry_load_across(const fg_pass *p);
bool fg_geometry_store_across(const fg_pass *p);

/* A box that is only part of a transform, cut in two, or side by side with its neighbours.  Whole small transforms keep the
 * geometry that was measured for them: rows of odd pitch, no skews. */
bool fg_geometry_shares(const fg_pass *p);

/* A whole box each of whose dimensions is one butterfly, and of which a thread does more than its registers hold at a time:
 * one after the other. */
bool fg_geometry_singly(const fg_pass *p);

/* Rows of real data that are one butterfly each, which a thread has whole (cuda/kernel/short_row.h). */
bool fg_geometry_short_row(const fg_pass *p);

/* A row of a real to real kind of odd length goes through the tile, where its elements are in the order of a real transform, or of
 * its spectrum, by FG_TABLE_PLACES, on both sides but that of plain reals (HC2R's results). */
bool fg_geometry_ordered(const fg_pass *p);

/* Two real elements of a half row are one access of that side: next to each other, and aligned.  Of an extended row two
 * of three are, whichever are aligned. */
bool fg_geometry_by_twos(const fg_pass *p, enum fg_side side);

/* Rows of two complex points in single precision, one behind the other: a thread has whole ones, each one access of that side. */
bool fg_geometry_couples(const fg_pass *p, enum fg_side side);

/* Spectra are loaded by the first stage, or, of two rows a line or half rows, stored by the last, each element once, a
 * thread having the butterflies that belong together (cuda/kernel/mirror.h).  Those of convolutions go through the
 * tile, and so do those of boxes. */
typedef enum { FG_MIRROR_NONE, FG_MIRROR_LOAD, FG_MIRROR_STORE } fg_mirror;
fg_mirror fg_geometry_mirror(const fg_pass *p);

/* A side of reals is reached by neighbouring elements at a time, a thread having the butterflies that they belong to: a
 * half row's in Makhoul's order by four, that of an extended row by three, of REDFT11 and RODFT11 by twice two
 * (cuda/kernel/folded.h). */
bool fg_geometry_folds(const fg_pass *p, enum fg_side side);

/* Extended rows, the reals or bins of odd ones, that lie one behind the other in memory, and whose threads would not fill
 * sectors (of bins they never do), go through the tile as they are (cuda/kernel/extended.h, rows.h); odd rows that are put in order
 * there, wherever they lie. */
bool fg_geometry_rows_through(const fg_pass *p, enum fg_side side);

/* Of stage s of a tile: butterflies that go to a thread together (1 or 2), and how often a line has so many. */
int fg_geometry_together(const fg_pass *p, int s);
ptrdiff_t fg_geometry_portions(const fg_pass *p, int s);

/* Points of the tile with padding, and dynamic shared memory of the kernel, as cuda/kernel/exchange.h, box.cu and
 * r2r_box.cu lay them out. */
ptrdiff_t fg_geometry_tile_points(const fg_pass *p);
size_t fg_geometry_shared(const fg_pass *p);

#endif
