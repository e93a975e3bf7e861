/* pass.h: what a GPU plan is made of.
 *
 * A pass reads every element once from device memory and writes it once; in between all work happens in registers and
 * shared memory.  It is plain data: it can be printed, hashed, priced and executed; nothing in it is a pointer to
 * code. */
#ifndef FG_PASS_H
#define FG_PASS_H

#include <stdint.h>

#include "cuda/backend.h"
#include "cuda/kernel/args.h"
#include "src/problem/problem.h"

#define FG_MAX_STAGES 12
#define FG_MAX_PASSES 64

/* The arrays that passes work on.  IN and OUT are the problem's, laid out as the work says; the scratch arrays are
 * dense. */
enum fg_array { FG_ARRAY_IN, FG_ARRAY_OUT, FG_ARRAY_SCRATCH0, FG_ARRAY_SCRATCH1, FG_ARRAYS };

/* One side of a pass or of a work: an array, where in it the first element is, and whether it is split into two planes.
 * Offsets and strides count elements: complex numbers, reals of each plane, or reals of a form that has those. */
typedef struct {
  enum fg_array array;
  bool split;
  bool wide; /* its reals are doubles although the pass computes in single precision */
  ptrdiff_t offset;
  enum fg_form form;
  ptrdiff_t row;    /* with a form: elements of the transform's row, FFTW's n */
  ptrdiff_t period; /* Hermitian: multiples of half of it are computed with their mirrors; 0: all positions are */
} fg_place;

/* Constant factors by position, computed on the host in higher precision and kept on the device. */
enum fg_table_kind {
  FG_TABLE_NONE,
  FG_TABLE_STAGES,  /* twiddles between the stages of one kernel; n, radices */
  FG_TABLE_HIGH,    /* exp(−2πi·(m << shift)/n) */
  FG_TABLE_LOW,     /* exp(−2πi·m/n), m < 2^shift */
  FG_TABLE_CHIRP,   /* exp(∓πi·m²/n), m < n; sign as the transform's */
  FG_TABLE_ROOTS,   /* exp(−2πi·(step·m + first)/n), m < length */
  FG_TABLE_FILTER,  /* the chirp's convolution filter, conj(chirp) at the lags, transformed: length entries, already
                       divided by length */
  FG_TABLE_RADER,   /* the same of the prime n: exp(−2πi·g^−q/n), q < length = n − 1, g its generator, transformed; in
                       the order in which the radices' stages leave it */
  FG_TABLE_POWERS,  /* integers: step·g^q mod the prime n, q < n − 1, in the order in which the radices' stages read */
  FG_TABLE_HARTLEY, /* RADER's for real points (cuda/kernel/real_prime.h); length n − 1, or from 2(n − 2) on */
  FG_TABLE_PRODUCTS,/* reals: cos(2πjk/n), 0 ≤ k < length, for each j from 1 to (n − 1)/2; then sines; n odd, length even */
  FG_TABLE_PLACES,  /* integers: where the elements of a row of length, of a kind, are as a sequence of reals or as a spectrum
                       (src/run/table/places.h); first, step: forms, from and to */
  FG_TABLE_MIRRORS  /* integers: where the elements of a row that is extended to length are as points of the prime n
                       (cuda/kernel/mirrored_sums.h), loaded, then stored; first: 1 where the extension is odd */
};

typedef struct {
  enum fg_table_kind kind;
  enum fg_precision precision;
  int sign;          /* CHIRP, FILTER; HARTLEY: that of c2r is doubled */
  int shift;         /* HIGH, LOW */
  ptrdiff_t n;
  ptrdiff_t length;  /* FILTER, RADER, HARTLEY: of the convolution; ROOTS: entries; PRODUCTS, PLACES, MIRRORS: see there */
  ptrdiff_t step, first; /* ROOTS, PLACES; step: POWERS; first: MIRRORS */
  ptrdiff_t lags[2]; /* FILTER: the highest forwards and backwards, of length − 1 together at most */
  ptrdiff_t rows;    /* FILTER: 0, or entry k of the transform is in row k mod rows; row after row */
  int stages;        /* STAGES, RADER, HARTLEY, POWERS */
  int halved;        /* ROOTS: divided by 2 */
  int mirrored;      /* STAGES: followed by the table of the reversed radices, for an in-tile convolution */
  int coprime;       /* the stages are groups of coprime ones, without twiddles between them (src/pass/residues.h) */
  int real;          /* STAGES, HARTLEY: the first stage's points are real, so that only half of its results are kept;
                        POWERS: up to their signs, q < (n − 1)/2, as numbers from −(n − 1)/2 to (n − 1)/2;
                        CHIRP: for the lower half of a spectrum, m ≤ n/2, doubled where its mirror is another point */
  int radix[FG_MAX_STAGES];
  int none;          /* 0; ends the struct where it would be padded: keys are compared as bytes */
} fg_table;

/* The kernels that passes run on: lines (cuda/kernel/tile.cu), boxes of two and three dimensions (box.cu), or such boxes of
 * real to real transforms (r2r_box.cu). */
enum fg_family { FG_FAMILY_TILE, FG_FAMILY_BOX, FG_FAMILY_R2R_BOX };

/* Of prime lengths: any lines (cuda/kernel/sums.h), rows that are their own mirrors (mirrored_sums.h). */
enum fg_sums { FG_SUMS_NONE, FG_SUMS_OF_LINES, FG_SUMS_OF_MIRRORS };

typedef struct {
  enum fg_family family;
  enum fg_precision precision;
  int sign;
  fg_place from, to;
  ptrdiff_t n;            /* points of a line, or of a whole box */
  ptrdiff_t in, out;      /* strides along the line; of a box along its last dimension */
  int loops;
  fg_loop loop[FG_MAX_LOOPS]; /* around it, innermost first */

  bool crossed;           /* lines that are neighbours where they are loaded are not where they are stored: the first loop
                             has some of the former, the second of the latter */
  bool padded;            /* lines are stored side by side in rows of scratch that begin with whole sectors and end within
                             one: of the whole pass, also where a launch has a part of its loops */
  ptrdiff_t twiddle;      /* 0, or N': results are multiplied by exp(−2πi·J·k/N') (conjugate when backward); of a
                             box k is the index along its slowest dimension, or both that are one (four_step) */
  bool twiddle_back;      /* its conjugate */
  fg_table load_table, store_table;
  ptrdiff_t load_weight, store_weight, load_limit, store_limit;
  ptrdiff_t load_step, store_step; /* elements from position to position, where a side has a form */
  fg_table form_table;    /* factors of the forms */
  int parts;              /* 0, or a line is so many of a prime length in the tile, FG_TABLE_RADER */
  enum fg_sums sums;      /* that prime length is not convolved, but sums of products */
  bool pairs;             /* two rows of real data share a line */
  int real_radix;         /* 0, or (even) the real points of each butterfly of the first stage, FG_TABLE_HARTLEY: radix[0]
                             is how many of its results are kept, real_radix/2 + 1, and n counts those */
  bool half_row;          /* a row of real data is a line of half as many points, two of its elements each */
  bool odd_row;           /* a row of real data, of odd length, is half of the lines that it is made of: of butterflies of
                             its reals (the first stage's, or, where reals are stored, the last's) half is kept, and as
                             many count as its radix and in n, which the geometry chooses */
  fg_table filter;        /* with a kind: the line is convolved with it, at length n, instead of transformed; with rows:
                           * with its entries from the line's load position on */
  ptrdiff_t data;         /* points of the line in memory: n; Bluestein: fewer; Rader: the prime, times parts */

  /* geometry (src/pass/geometry.c) */
  int lines, threads, blocks_sm; /* lines or boxes a block */
  int stages, radix[FG_MAX_STAGES]; /* BOX, with a filter: forwards, then backwards */
  bool column[FG_MAX_STAGES];    /* TILE: the stage runs across lines first */
  int skew[2 * FG_MAX_STAGES];   /* unused points between the groups that the stage transformed, in the exchange after it
                                    (TILE, with a filter: of both ways, fg_pass_exchanges): of a box none or one */
  int pad;                       /* TILE: in shared memory one unused point follows each pad points; 0: none */
  int ahead;                     /* TILE: 0, or the blocks of the launch, each of which has several tiles and has the
                                    next one copied in while it stores (cuda/kernel/ahead.h) */

  enum fg_r2r_kind kind[FG_MAX_BOX]; /* R2R_BOX: of each dimension; stages are whole lines; n, pitch count real elements */

  /* BOX, R2R_BOX */
  int dims;
  fg_dim box[FG_MAX_BOX];        /* slowest first */
  int axis[FG_MAX_STAGES];       /* the dimension that each stage runs along */
  int cluster;                   /* blocks that share a box (box.cu), each a part of it, any number; 1: none do */
  bool four_step;                /* the first two dimensions, n₁ and n₂, are one of n₁·n₂ points: of two a row, of three the
                                    columns of a plane; in a cluster */
  bool strip;                    /* the last of three dimensions is not transformed: neighbouring columns; in a cluster */
  int strip_rest;                /* 0, or columns that the last of neighbouring strips has, which the innermost loop counts */
  ptrdiff_t twiddle_row;         /* how much the twiddle's J grows from point to point of the last dimension */
  bool across;                   /* neighbouring boxes are neighbours in memory: threads run across them first */
  double price;                  /* seconds, of a geometry that was measured, or has large radices beside a long row: what the
                                    model's, or that without them, would take; else 0 */
  int pitch;                     /* points from row to row in shared memory; boxes, where they are across */
} fg_pass;

/* A plan: passes in order, and how large the scratch arrays have to be (elements, complex). */
typedef struct {
  int count;
  ptrdiff_t scratch[2];
  double cost; /* estimated seconds on the device */
  fg_pass pass[FG_MAX_PASSES]; /* last: copies that are kept have room for count only */
} fg_passes;

/* The transform of a row of n elements of that form: its length, and how its sides behave. */
ptrdiff_t fg_form_length(enum fg_form form, ptrdiff_t n);
bool fg_form_is_real(enum fg_form form);          /* its elements are reals */
bool fg_form_loads_spectrum(enum fg_form form);   /* loaded, it is a Hermitian spectrum, else a sequence of reals */
bool fg_form_stores_spectrum(enum fg_form form);  /* the same, stored */
bool fg_form_extends(enum fg_form form);          /* its points are an even or odd extension, twice as long */
bool fg_form_quarter_wave(enum fg_form form, ptrdiff_t n); /* REDFT11 or RODFT11 of even length */
bool fg_form_halves(enum fg_form form, ptrdiff_t n); /* neither a sequence nor a spectrum: half as many complex points, those
                                                        of the latter or of an extension by an odd length */

/* What a real to real transform of n elements is made of: half of the period of REDFT00 and RODFT00, else n. */
ptrdiff_t fg_kind_length(enum fg_r2r_kind kind, ptrdiff_t n);

/* Of a TILE: exchanges between the stages, a convolution's on both ways, where the one in between, which is none (the same
 * registers), counts. */
int fg_pass_exchanges(const fg_pass *p);

/* The line has a prime length, or a multiple, and is convolved permuted. */
bool fg_pass_is_rader(const fg_pass *p);

/* That convolution is as long as it is cyclic, p − 1 points; else padded. */
bool fg_pass_is_cyclic(const fg_pass *p);

/* Points of a line's transform, kept or not (real_radix). */
ptrdiff_t fg_pass_length(const fg_pass *p);

/* No loop moves the positions of that side, and they are counted as the points of a line are. */
bool fg_pass_is_whole(const fg_pass *p, enum fg_side side);

/* Elements of a line in memory where they are real. */
ptrdiff_t fg_pass_row(const fg_pass *p);

/* Of a box, elements along dimension d on that side. */
ptrdiff_t fg_pass_box_elements(const fg_pass *p, int d, enum fg_side side);

/* Of a box that a cluster shares: the stage of the slowest dimension, whose results go from block to block; else −1. */
int fg_pass_crossing(const fg_pass *p);

/* Of one that is convolved there, too, the stage whose results go back; else −1. */
int fg_pass_returning(const fg_pass *p);

/* Of a box, the most points that a block has along dimension d in stage s, and in all dimensions; lines have n. */
ptrdiff_t fg_pass_part(const fg_pass *p, int s, int d);
ptrdiff_t fg_pass_part_points(const fg_pass *p, int s);

/* Of a strip: its columns are the rows of memory where they are loaded. */
bool fg_pass_loads_rows(const fg_pass *p);

/* How evenly its blocks share out dimension 0 or 1, 1 being the best; and the place of index k there, counted through all of
 * them: where spectra come or go an index has its negative beside it (cuda/kernel/box_shape.h), else places are indices. */
double fg_pass_evenness(const fg_pass *p, int d);
ptrdiff_t fg_pass_place_of_index(const fg_pass *p, int d, ptrdiff_t k);
ptrdiff_t fg_pass_index_at_place(const fg_pass *p, int d, ptrdiff_t place);

/* The share of its speed that such a box has left. */
double fg_pass_cluster_efficiency(const fg_pass *p);

/* Of an odd or prime row the stage of its reals; else −1. */
int fg_pass_real_stage(const fg_pass *p);

/* The length of the butterflies of stage s: its radix, or the reals of which that many are kept. */
int fg_pass_butterfly(const fg_pass *p, int s);

/* Lines of n points in a tile. */
ptrdiff_t fg_pass_tile_lines(const fg_pass *p);

/* How far neighbouring points of a part are apart in the tile, modulo the prime (cuda/kernel/exchange.h). */
int fg_pass_spread(const fg_pass *p);

/* Points of a sector of memory (32 bytes) where p stores. */
ptrdiff_t fg_pass_sector(const fg_pass *p);

/* All lines of a block are of one turn of the innermost loop: of padded columns, so that what a block stores begins with
 * whole sectors, too, which it would not if one turn's lines followed the other's. */
bool fg_pass_within_loop(const fg_pass *p);

/* Lines or boxes that follow each other in memory on both sides: turns of the innermost loop, and of those around it that go on
 * where it ends. */
ptrdiff_t fg_pass_neighbours(const fg_pass *p);

/* The same on one side alone, as it counts for the speed: of convolutions and of few lines turns of the innermost loop. */
ptrdiff_t fg_pass_run_of_lines(const fg_pass *p, enum fg_side side);

/* Lines or boxes alternate in memory, point after point, and a block has all that do, so that what it accesses on that side is
 * contiguous: the components of a field.  Not where blocks are so few that more of them would be better. */
bool fg_pass_alternates(const fg_pass *p, enum fg_side side);

/* Columns of split arrays count with the half of their bytes that each array has, where lines are chosen: of tiles of many lines.  (Of
 * boxes 128^3 to 256^3 were 0.95 to 1.01 times as fast so, on an H100; convolutions, and few lines, would be planned in more
 * passes, or fewer blocks.)  In prices only runs count so that have less than a sector in each array. */
bool fg_pass_splits_columns(const fg_pass *p, enum fg_side side);

/* Of crossed lines, how many of a block are neighbours on that side; and what they leave of the speed of such runs (24 on an H100: 1.05
 * to 1.5 copies). */
#define FG_CROSSED 0.85
ptrdiff_t fg_pass_crossed_run(const fg_pass *p, enum fg_side side);

/* The share of what boxes side by side move that is theirs, where runs of them begin or end within a sector of 32 bytes; 1 of all
 * else, and of boxes that alternate. */
double fg_pass_sector_share(const fg_pass *p);

/* Bytes of the runs of lines side by side that are stored, out of place, from within a sector of memory to within another,
 * whose rest comes from other blocks; 0 if there are none.  The less such data is under way the faster: the compiler is asked for
 * one block on a multiprocessor, with wide runs (not of sums, which take longer than their stores).  And the share of the bandwidth that such runs reach (fitted to rows of 343 to
 * 1600 points on an H100: doc/measurements.md, Whole sectors). */
double fg_pass_broken_run(const fg_pass *p);
double fg_pass_broken_share(double bytes);

/* Tiles, boxes, or parts of boxes that clusters share: one for each block of the launch, unless blocks load ahead. */
ptrdiff_t fg_pass_blocks(const fg_pass *p);

/* Bytes of one real number of that side of p in memory, and of one complex number. */
size_t fg_pass_real_size(const fg_pass *p, const fg_place *side);
size_t fg_pass_point_size(const fg_pass *p, const fg_place *side);

/* Lines of the pass, bytes that it reads and writes. */
ptrdiff_t fg_pass_lines(const fg_pass *p);
double fg_pass_bytes(const fg_pass *p);

/* Estimated seconds: bytes over bandwidth with the efficiency of its access pattern, plus a launch. */
double fg_pass_cost(const fg_pass *p, const fg_device_info *device);

/* What plans are compared by: its price, if it has one, else its cost. */
double fg_pass_price(const fg_pass *p, const fg_device_info *device);

/* What it costs at least, whatever the geometry, which need not be chosen. */
double fg_pass_least_cost(const fg_pass *p, const fg_device_info *device);

/* "(tile 4096 = 16.16.16, 512 × 2 lines, 512 threads, row→column, twiddle 16777216, 134 MB)", of half rows "(tile 4096/2 =
 * 8.16.16, …", convolved "(convolve 360 of 334/2 = 18.20, …", of odd ones "(tile 1001 = 13/2.11.7, …"; "(box 32x32x32 = z32 x32
 * y32, 512 × 1 boxes in clusters of 4, …"; written like snprintf. */
int fg_pass_print(const fg_pass *p, char *text, size_t size);

#endif
