/* ahead.h: blocks that go from tile to tile and have the next one copied into their shared memory while they store the
 * results of one (FG_AHEAD).
 *
 * Dense rows (FG_IN_DENSE) lie one behind the other, so a tile is one run of memory.  Bulk copies are of whole 16 bytes; in
 * single precision a point before the first of these and one behind the last are copied by themselves.  Of columns side by
 * side each thread copies points, two neighbours at a time where they are 16 bytes.  Either way a block reads points of its
 * own tiles only.  In place that is what makes it right: other blocks write theirs meanwhile, and a block stores a tile's
 * results only after that tile has arrived. */
#ifndef FG_AHEAD_H
#define FG_AHEAD_H

#include "pairs.h"

#if FG_AHEAD
#include "bulk_copy.h"

static_assert(!FG_IN_SPLIT && !FG_IN_WIDE && !FG_PAIRS && !FG_HALF_ROW && !FROM_FORM && !FG_CONVOLVE,
              "only lines of complex points, which are transformed as they are, are loaded ahead");
static_assert(FG_IN_DENSE || FG_COLUMN_TILE, "of rows one behind the other, or of columns side by side");
static_assert(STAGES > 1, "there is an exchange, before which all have read the tile");

/* The next tile comes into the memory in which stages exchange: columns side by side; rows one behind the other, from the
 * second point on where the first is the latter half of 16 bytes.  Behind that is the barrier, then the places of the rows
 * of two tiles.  Multiples of 16 bytes (src/pass/access.c). */
enum : int { EXCHANGE_POINTS = (FG_TILE_POINTS + 1) / 2 * 2, ARRIVING_POINTS = (DENSE_POINTS + 2) / 2 * 2 };
enum : int { ARRIVALS_AT = EXCHANGE_POINTS > ARRIVING_POINTS ? EXCHANGE_POINTS : ARRIVING_POINTS };
enum : int { PLACES_AHEAD = ARRIVALS_AT + 2 };
FG_DEVICE arrivals *arrivals_of(const pass_state &s) { return reinterpret_cast<arrivals *>(s.tile + ARRIVALS_AT); }

/* ---- rows ---- */

FG_DEVICE const cplx *source_of(const pass_state &s) {
  return static_cast<const cplx *>(s.args.in_re) + static_cast<long long>(s.first) * FG_DATA;
}

/* Points of the tile before the first that begins 16 bytes. */
FG_DEVICE int head_of(const pass_state &s) {
  return int(reinterpret_cast<unsigned long long>(source_of(s)) / sizeof(cplx) % UNIT);
}

FG_DEVICE void bring_rows(const pass_state &s) {
  if (threadIdx.x > 0) return;
  const cplx *const from = source_of(s);
  const int points = dense_points(s), head = head_of(s), inside = (points - head) / UNIT * UNIT;
  cplx *const to = s.tile + head; /* the tile's first point */
  before_copies();
  copy_bulk(to + head, from + head, inside, arrivals_of(s));
  if (UNIT == 1) return;
  if (head > 0) copy_points<1>(to, from, arrivals_of(s));
  if (head + inside < points) copy_points<1>(to + points - 1, from + points - 1, arrivals_of(s));
  points_arrive(arrivals_of(s));
}

/* ---- columns ---- */

/* Two neighbours are 16 bytes: also of a launch for a part of the columns. */
FG_DEVICE bool are_units(const fg_tile_args &a) {
  return FG_IN_EVEN && reinterpret_cast<unsigned long long>(a.in_re) % 16 == 0 && a.loop[0].n % 2 == 0;
}

/* EACH neighbours at a time. */
template <int EACH> FG_DEVICE void bring_columns(const pass_state &s) {
  constexpr int ACROSS = FG_LINES / EACH, ALL = FG_N * ACROSS;
  constexpr bool SAME_LINE = FG_THREADS % ACROSS == 0; /* a thread has points of one only */
#pragma unroll
  for (int i = 0; i < (ALL + FG_THREADS - 1) / FG_THREADS; i++) {
    const int t = threadIdx.x, u = t + i * FG_THREADS;
    const int line = (SAME_LINE ? t : u) % ACROSS * EACH;
    const int k = SAME_LINE ? t / ACROSS + i * (FG_THREADS / ACROSS) : u / ACROSS;
    if ((ALL % FG_THREADS && u >= ALL) || !row_exists(s, line)) continue;
    const long long at = place(s, line).in + k * s.args.in;
    copy_points<EACH>(s.tile + k * FG_LINES + line, static_cast<const cplx *>(s.args.in_re) + at, arrivals_of(s));
  }
  points_arrive(arrivals_of(s));
}

/* ---- both ---- */

enum : int { ARRIVALS = !FG_IN_DENSE ? FG_THREADS : UNIT == 1 ? 1 : 2 }; /* for each tile */

/* Have s's tile copied: by all threads, when none reads the memory any more and its rows' places are known. */
FG_DEVICE void bring_tile(const pass_state &s) {
  if constexpr (FG_IN_DENSE) bring_rows(s);
  else if (are_units(s.args)) bring_columns<FG_LINES % UNIT == 0 ? UNIT : 1>(s);
  else bring_columns<1>(s);
}

/* The tile that the block has after this one. */
FG_DEVICE pass_state tile_after(const pass_state &s) {
  line_place *const places = reinterpret_cast<line_place *>(s.tile + PLACES_AHEAD);
  return {s.args, s.first + gridDim.x * ROWS, s.tile, s.places == places ? places + ROWS : places};
}
FG_DEVICE bool tile_exists(const pass_state &s) { return s.first < end_of_rows(s.args); }
FG_DEVICE bool is_last_tile(const pass_state &s) { return !tile_exists(tile_after(s)); }

/* What stage S exchanges through was read: by the last, for the last time. */
template <int S> FG_DEVICE void tile_was_read(const pass_state &s) {
  if (S != LAST) return;
  const pass_state next = tile_after(s);
  if (tile_exists(next)) keep_places(next);
  __syncthreads();
  if (tile_exists(next)) bring_tile(next);
}

/* What the first stage reads of the tile, which has arrived. */
FG_DEVICE void load_ahead(const pass_state &s, cplx *v) {
  using T = stage<0>;
  const cplx *const tile = FG_IN_DENSE ? s.tile + head_of(s) : s.tile;
#pragma unroll
  for (int i = 0; i < T::REPEATS; i++) {
    const spot at = T::locate(i);
    if (!at.exists || !row_exists(s, at.line)) continue;
#pragma unroll
    for (int j = 0; j < T::R; j++) {
      const int k = at.b + j * T::M;
      const cplx x = shared_load(tile + (FG_IN_DENSE ? at.line * FG_DATA + k : k * FG_LINES + at.line));
      v[i * T::R + j] = FG_BACKWARD ? swapped(x) : x;
    }
  }
}

#else

enum : int { PLACES_AHEAD = 0 };
FG_DEVICE bool is_last_tile(const pass_state &) { return true; }
template <int S> FG_DEVICE void tile_was_read(const pass_state &) {}

#endif

#endif
