/* placed_rows.h: rows of reals between memory and places of the tile that a table has for their elements: ints, those of loaded
 * elements, then of stored ones. */
#ifndef FG_PLACED_ROWS_H
#define FG_PLACED_ROWS_H

#include "points.h"

/* A place, of which ~ stands for the negative of what is there. */
FG_DEVICE int without_sign(int place) { return place ^ (place >> 31); }

/* Elements that a thread moves: some of one row where rows are neighbours, the same ones of some rows where elements are, so
 * that where they are is worked out once and the rest are steps. */
template <int ELEMENTS, bool COLUMN> struct placed_moves {
  enum : int { ALONG = COLUMN ? FG_THREADS / WHOLE : FG_THREADS < ELEMENTS ? FG_THREADS : ELEMENTS }; /* threads of a row */
  static_assert(ALONG > 0, "a thread has elements of one row");
  enum : int { AT_ONCE = COLUMN ? WHOLE : FG_THREADS / ALONG }; /* rows */
  enum : int { STEPS = (ELEMENTS + ALONG - 1) / ALONG, ROW_STEPS = (WHOLE + AT_ONCE - 1) / AT_ONCE };

  int last; /* row of the block that exists */

  FG_DEVICE placed_moves of(const pass_state &s) {
    const line_number rows = end_of_rows(s.args) - s.first;
    return {rows < line_number(WHOLE) ? int(rows) - 1 : WHOLE - 1};
  }
  /* The last ones stand in for those that do not exist: no branch but around stores. */
  __device__ __forceinline__ int row(int r) const {
    const int own = wanted_row(r);
    return own < last ? own : last;
  }
  FG_DEVICE int element(int i) {
    const int own = wanted_element(i);
    return (i + 1) * ALONG > ELEMENTS && own >= ELEMENTS ? ELEMENTS - 1 : own;
  }
  /* Of threads that are not idle. */
  FG_DEVICE bool in_tile(int r, int i) {
    return ((r + 1) * AT_ONCE <= WHOLE || wanted_row(r) < WHOLE) && ((i + 1) * ALONG <= ELEMENTS || wanted_element(i) < ELEMENTS);
  }
  __device__ __forceinline__ bool in_memory(int r, int i) const { return in_tile(r, i) && wanted_row(r) <= last; }

  enum : bool { IDLE = FG_THREADS > ALONG * AT_ONCE };
  FG_DEVICE bool is_idle() { return IDLE && threadIdx.x >= ALONG * AT_ONCE; }
  FG_DEVICE int wanted_row(int r) { return int(COLUMN ? threadIdx.x % WHOLE : threadIdx.x / ALONG) + r * AT_ONCE; }
  FG_DEVICE int wanted_element(int i) {
    const int first = int(COLUMN ? threadIdx.x / WHOLE : threadIdx.x % ALONG);
    return (COLUMN && IDLE && first >= ALONG ? ALONG - 1 : first) + i * ALONG;
  }
};

/* A number from its row's first element on; a thread of one row has that once. */
template <class M> FG_DEVICE long long row_in(const pass_state &s, const M &m, int r) { return place(s, m.row(r)).in; }
template <class M> FG_DEVICE long long row_out(const pass_state &s, const M &m, int r) { return place(s, m.row(r)).out; }

/* put(row of the block, place, element).  All loads are under way before the first store to the tile. */
template <int ELEMENTS, class F> FG_DEVICE void bring_placed(const pass_state &s, const int *places, F put) {
  using M = placed_moves<ELEMENTS, FG_LOAD_COLUMN>;
  constexpr bool ONE = M::ROW_STEPS == 1;
  const M m = M::of(s);
  const long long step = FG_LOAD_DENSE ? 1 : s.args.load_step;
  const auto *const first = static_cast<const in_memory::one *>(s.args.in_re) + (ONE ? row_in(s, m, 0) : 0);
  real x[M::STEPS][M::ROW_STEPS];
#pragma unroll
  for (int i = 0; i < M::STEPS; i++) {
#pragma unroll
    for (int r = 0; r < M::ROW_STEPS; r++) x[i][r] = read_number(first, M::element(i) * step + (ONE ? 0 : row_in(s, m, r)));
  }
  if (M::is_idle()) return;
#pragma unroll
  for (int i = 0; i < M::STEPS; i++) {
    const int to = table_load(places + M::element(i));
#pragma unroll
    for (int r = 0; r < M::ROW_STEPS; r++)
      if (M::in_tile(r, i)) put(M::wanted_row(r), to, x[i][r]);
  }
}

/* get(row of the block, place): the element. */
template <int ELEMENTS, class F> FG_DEVICE void take_placed(const pass_state &s, const int *places, F get) {
  using M = placed_moves<ELEMENTS, FG_STORE_COLUMN>;
  constexpr bool ONE = M::ROW_STEPS == 1;
  const M m = M::of(s);
  const long long step = FG_STORE_DENSE ? 1 : s.args.store_step;
  auto *const first = static_cast<out_memory::one *>(s.args.out_re) + (ONE ? row_out(s, m, 0) : 0);
  if (M::is_idle()) return;
#pragma unroll(ONE ? 8 : 1)
  for (int i = 0; i < M::STEPS; i++) {
    const int from = table_load(places + M::element(i));
#pragma unroll
    for (int r = 0; r < M::ROW_STEPS; r++)
      write_number(first, M::element(i) * step + (ONE ? 0 : row_out(s, m, r)), get(m.row(r), from), m.in_memory(r, i));
  }
}

#endif
