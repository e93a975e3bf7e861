/* points.h: the points of a tile's lines, between registers and global memory. */
#ifndef FG_POINTS_H
#define FG_POINTS_H

#include "exchange.h"
#include "form.h"
#include "line.h"
#include "twiddle.h"

enum : bool { FROM_FORM = FG_FROM_FORM != FG_FORM_COMPLEX, TO_FORM = FG_TO_FORM != FG_FORM_COMPLEX };

/* A convolution with a chirp: the line is padded, and the tables are by the index along it. */
enum : bool { CHIRP = FG_CONVOLVE && !FG_RADER && !FG_FILTER_ROWS };
static_assert(!CHIRP || !FG_PAIRS || (FG_LOADED == FG_DATA && FG_STORED == FG_DATA), "rows that share a line need all");

/* Lines of memory that a block has, FG_PARTS of the tile each.  Rows: line l is row l, with FG_PAIRS row l +
 * WHOLE too. */
enum : int { WHOLE = FG_LINES / FG_PARTS };
enum : int { ROWS = FG_PAIRS ? 2 * WHOLE : WHOLE };

struct pass_state {
  const fg_tile_args &args;
  line_number first; /* row of this block */
  cplx *tile;
  line_place *places; /* of the block's rows, in shared memory; only with several loops */
};

/* This block's turn of the innermost loop, where all rows of a block are to be of one; its last block may have fewer. */
FG_DEVICE line_number blocks_of_turn(const fg_tile_args &a) { return (line_number(a.loop[0].n) + ROWS - 1) / ROWS; }
FG_DEVICE line_number turn_of_block(const fg_tile_args &a) { return blockIdx.x / blocks_of_turn(a) * line_number(a.loop[0].n); }

FG_DEVICE line_number first_row(const fg_tile_args &a) {
  if (!FG_WITHIN_LOOP) return line_number(blockIdx.x) * ROWS;
  return turn_of_block(a) + blockIdx.x % blocks_of_turn(a) * ROWS;
}
FG_DEVICE line_number end_of_rows(const fg_tile_args &a) {
  return FG_WITHIN_LOOP ? turn_of_block(a) + line_number(a.loop[0].n) : line_number(a.lines);
}

/* With one loop a row's place is a product; with several it is worked out once per row and kept in shared memory. */
enum : bool { KEEP_PLACES = FG_LOOPS > 1 };

/* Before a barrier. */
FG_DEVICE void keep_places(const pass_state &s) {
  for (int l = threadIdx.x; KEEP_PLACES && l < ROWS; l += FG_THREADS)
    if (s.first + l < end_of_rows(s.args)) shared_store(s.places + l, place_of(s.args, s.first + l));
}

FG_DEVICE line_place place(const pass_state &s, int row) {
  if (KEEP_PLACES) return shared_load(s.places + row);
  return place_of(s.args, s.first + row);
}

FG_DEVICE bool row_exists(const pass_state &s, int row) {
  return ROWS == 1 || s.first + row < end_of_rows(s.args); /* no block is without a row */
}

/* The i-th of EACH elements of all lines that this thread moves; how many it may have. */
template <int EACH> FG_DEVICE spot moved(int i, bool column) {
  const int u = threadIdx.x + i * FG_THREADS;
  const bool exists = WHOLE * EACH % FG_THREADS == 0 || u < WHOLE * EACH;
  if (column) return {u % WHOLE, u / WHOLE, exists};
  return {u / EACH, u % EACH, exists};
}
template <int EACH> constexpr int MOVES = (WHOLE * EACH + FG_THREADS - 1) / FG_THREADS;

/* Of rows of EACH elements, one behind the other without a gap: how many the block has; all blocks but the last are full. */
template <int EACH> FG_DEVICE int dense_elements(const pass_state &s) {
  const long long all = (s.args.lines - static_cast<long long>(s.first)) * EACH; /* dense rows have one loop */
  return WHOLE == 1 || all > WHOLE * EACH ? WHOLE * EACH : int(all);
}

/* Where the points of one butterfly of a line are in global memory, or go to: the first, and the step between them. */
struct run_of_points {
  const line_place &place;
  long long at, step;
  int k, dk; /* the same as indices along the line */
};

/* Positions of its points; the first says where its row is. */
FG_DEVICE position load_position(const fg_tile_args &a, const run_of_points &r, int j) {
  return FG_LOAD_WHOLE ? r.k + j * r.dk : position(r.place.load + (r.k + j * r.dk) * a.load_weight);
}
FG_DEVICE position store_position(const fg_tile_args &a, const run_of_points &r, int j) {
  return FG_STORE_WHOLE ? r.k + j * r.dk : position(r.place.store + (r.k + j * r.dk) * a.store_weight);
}

FG_DEVICE cplx fetch_point(const fg_tile_args &a, const run_of_points &r, int j) {
  if (!FROM_FORM) return read_point(a, r.at + j * r.step);
  return load_form(a, r.at - load_distance(a, load_position(a, r, 0)), load_position(a, r, j));
}

FG_DEVICE cplx load_point(const fg_tile_args &a, const run_of_points &r, int j) {
  const int k = r.k + j * r.dk;
  if (CHIRP && k >= FG_LOADED) return {0, 0};
  const long long entry = CHIRP ? k : FG_LOAD_TABLE ? r.place.load + k * a.load_weight : 0;
  if (FG_LOAD_TABLE && !CHIRP && entry >= a.load_limit) return {0, 0};
  cplx v = fetch_point(a, r, j);
  if (FG_LOAD_TABLE) v = v * table_load(static_cast<const cplx *>(a.load_table) + entry);
  return FG_BACKWARD ? swapped(v) : v;
}

FG_DEVICE void put_point(const fg_tile_args &a, const run_of_points &r, int j, cplx v) {
  const position first = store_position(a, r, 0);
  if (TO_FORM) store_form(a, r.at - store_distance(a, first), store_position(a, r, j), first, v);
  else write_point(a, r.at + j * r.step, v);
}

/* Of many results of a butterfly most factors are products of two that are looked up (of few the products cost more). */
template <int R> constexpr bool TWIDDLED_TOGETHER = FG_TWIDDLE && R > 16 && !FG_AHEAD && !CHIRP;

/* Twiddle, swap and table of the results of one line; false where nothing is to be stored. */
template <bool TWIDDLED = false> FG_DEVICE bool finish_point(const fg_tile_args &a, const run_of_points &r, int j, cplx &v) {
  const int k = r.k + j * r.dk;
  if (CHIRP && k >= FG_STORED) return false;
  if (FG_TWIDDLE && !TWIDDLED) v = twiddled(a, r.place.twiddle, k, v);
  if (FG_BACKWARD) v = swapped(v);
  if (FG_STORE_TABLE) {
    const long long entry = CHIRP ? k : r.place.store + k * a.store_weight;
    if (!CHIRP && entry >= a.store_limit) return false;
    v = v * table_load(static_cast<const cplx *>(a.store_table) + entry);
  }
  return true;
}


#endif
