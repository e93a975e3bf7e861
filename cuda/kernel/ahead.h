/* ahead.h: blocks that go from tile to tile and have the next one copied into their shared memory while they store the
 * results of one (FG_AHEAD).
 *
 * Rows lie one behind the other (FG_IN_DENSE), so a tile is one run of memory.  Bulk copies are of whole 16 bytes; in
 * single precision a point before the first of these and one behind the last are copied by themselves.  So a block
 * reads points of its own tiles only.  In place that is what makes it right: other blocks write theirs meanwhile, and a
 * block stores a tile's results only after that tile has arrived. */
#ifndef FG_AHEAD_H
#define FG_AHEAD_H

#include "pairs.h"

#if FG_AHEAD
#include "bulk_copy.h"

static_assert(FG_IN_DENSE && !FG_IN_SPLIT && !FG_IN_WIDE && !FG_PAIRS && !FG_HALF_ROW && !FROM_FORM && !FG_CONVOLVE,
              "only rows of complex points, which are transformed as they are, are loaded ahead");
static_assert(STAGES > 1, "there is an exchange, before which all have read the tile");

/* The next tile comes into the memory in which stages exchange, from the second point on where its first has no 16 bytes
 * with the one before it; behind that is the barrier.  Multiples of 16 bytes (src/pass/access.c). */
constexpr int EXCHANGE_POINTS = (FG_TILE_POINTS + 1) / 2 * 2, ROWS_POINTS = (DENSE_POINTS + 2) / 2 * 2;
constexpr int ARRIVALS_AT = EXCHANGE_POINTS > ROWS_POINTS ? EXCHANGE_POINTS : ROWS_POINTS;
FG_DEVICE arrivals *arrivals_of(const pass_state &s) { return reinterpret_cast<arrivals *>(s.tile + ARRIVALS_AT); }

FG_DEVICE const cplx *source_of(const pass_state &s) {
  return static_cast<const cplx *>(s.args.in_re) + static_cast<long long>(s.first) * FG_DATA;
}

/* Points of the tile before the first that begins 16 bytes. */
FG_DEVICE int head_of(const pass_state &s) {
  return int(reinterpret_cast<unsigned long long>(source_of(s)) / sizeof(cplx) % UNIT);
}

/* Have s's tile copied: by one thread, when no other reads the region any more. */
FG_DEVICE void bring_tile(const pass_state &s) {
  const cplx *const from = source_of(s);
  const int points = dense_points(s), head = head_of(s), inside = (points - head) / UNIT * UNIT;
  cplx *const to = s.tile + head; /* the tile's first point */
  before_copies();
  copy_bulk(to + head, from + head, inside, arrivals_of(s));
  if (UNIT == 1) return;
  if (head > 0) copy_point(to, from, arrivals_of(s));
  if (head + inside < points) copy_point(to + points - 1, from + points - 1, arrivals_of(s));
  points_arrive(arrivals_of(s));
}

/* The tile that the block has after this one. */
FG_DEVICE pass_state tile_after(const pass_state &s) { return {s.args, s.first + gridDim.x * ROWS, s.tile, s.places}; }
FG_DEVICE bool tile_exists(const pass_state &s) { return s.first < line_number(s.args.lines); }
FG_DEVICE bool is_last_tile(const pass_state &s) { return !tile_exists(tile_after(s)); }

/* What stage S exchanges through was read: by the last, for the last time. */
template <int S> FG_DEVICE void tile_was_read(const pass_state &s) {
  if (S != LAST) return;
  __syncthreads();
  if (threadIdx.x == 0 && !is_last_tile(s)) bring_tile(tile_after(s));
}

/* What the first stage reads of the tile, which has arrived. */
FG_DEVICE void load_ahead(const pass_state &s, cplx *v) {
  using T = stage<0>;
  const cplx *const tile = s.tile + head_of(s);
#pragma unroll
  for (int i = 0; i < T::REPEATS; i++) {
    const spot at = T::locate(i);
    if (!at.exists || !row_exists(s, at.line)) continue;
#pragma unroll
    for (int j = 0; j < T::R; j++) {
      const cplx x = shared_load(tile + at.line * FG_DATA + at.b + j * T::M);
      v[i * T::R + j] = FG_BACKWARD ? swapped(x) : x;
    }
  }
}

#else

FG_DEVICE bool is_last_tile(const pass_state &) { return true; }
template <int S> FG_DEVICE void tile_was_read(const pass_state &) {}

#endif

#endif
