/* box_chirp.h: the convolution of a row with a chirp, whole in a cluster (FG_CONVOLVE, box.cu).
 *
 * Of FG_TOTAL = n₁·n₂ points the first FG_LOADED come from memory, times the chirp; the others are zero.  The row is
 * transformed as any that is cut in two, and left as it then lies, bin k₁ + n₁·k₂ in the block that has k₁.  There it is
 * multiplied by the filter, which is in that order, and transformed backwards by the same stages the other way round: n₂, whose
 * first stage has in registers what the last one forwards left there; the factors; a second crossing, to the blocks that have
 * their part of n₂; n₁.  Of the results the first FG_STORED go to memory, times the chirp.
 *
 * Backwards is forwards with real and imaginary part exchanged: from the product on they are, until they are stored. */
#ifndef FG_BOX_CHIRP_H
#define FG_BOX_CHIRP_H

#include "box_shape.h"
#include "element.h"

enum : int { MIDDLE = FG_CONVOLVE ? STAGES / 2 - 1 : -2 }; /* the last stage forwards; none otherwise */
static_assert(!FG_CONVOLVE || (FG_FOUR_STEP && DIMS == 2 && STAGES % 2 == 0 && STAGES >= 4), "a row that is cut in two");
static_assert(!FG_CONVOLVE || !FG_BACKWARD, "the direction is in the tables");
/* Else a block that waits for no points in the second round could be through with it while threads of it still wait for the
 * first: no barrier is between them. */
static_assert(!FG_CONVOLVE || RETURNING > MIDDLE + 1 ||
                  ((FG_CLUSTER - 1) * part_of(1) < size_of(1) && (!KEEPS_OWN || part_of(0) < size_of(0))),
              "n2 is one stage");

/* Of the first stage.  Points of one butterfly are n₂ apart, so that of most it is known whether they are there. */
FG_DEVICE void load_chirped(const fg_tile_args &a, const line_place &own, const spot &s, cplx *v) {
  constexpr int STEP = size_of(1);
  const int first = first_in(0) + s.at[1];
#pragma unroll
  for (int i = 0; i < size_of(0); i++) {
    const int k = first + i * STEP;
    const bool exists = (i + 1) * STEP <= FG_LOADED || k < FG_LOADED;
    v[i] = {0, 0};
    if (i * STEP < FG_LOADED && s.exists && exists)
      v[i] = read_point(a, own.in + k) * table_load(static_cast<const cplx *>(a.load_table) + k);
  }
}

/* Of the last one. */
FG_DEVICE void store_chirped(const fg_tile_args &a, const line_place &own, const spot &s, const cplx *v) {
  constexpr int STEP = size_of(1);
  const int first = first_in(LAST) + s.at[1];
#pragma unroll
  for (int i = 0; i < size_of(0); i++) {
    const int k = first + i * STEP;
    const bool exists = (i + 1) * STEP <= FG_STORED || k < FG_STORED;
    if (i * STEP < FG_STORED && s.exists && exists)
      write_point(a, own.out + k, swapped(v[i]) * table_load(static_cast<const cplx *>(a.store_table) + k));
  }
}

/* The results of the last stage forwards, which are what the first one backwards begins with. */
template <int S> FG_DEVICE void multiply(const fg_tile_args &a, const spot &at, cplx *v) {
  using T = stage<S>;
  static_assert(T::AXIS == 1 && T::P == T::M && radix_of(S + 1) == T::R, "the last stage of its dimension, and its mirror");
  if (!at.exists) return;
  const cplx *const filter = static_cast<const cplx *>(a.filter) + (first_in(S) + at.at[0]) * size_of(1) + at.b;
#pragma unroll
  for (int j = 0; j < T::R; j++) v[j] = swapped(v[j] * table_load(filter + j * T::M));
}

/* The factors on the way back, of one k₁: by b and by j·M, of which the latter are the same for all its butterflies. */
template <int S> FG_DEVICE void turn_back(const fg_tile_args &a, const spot &at, cplx *v) {
  using T = stage<S>;
  const int k = first_in(S) + at.at[0];
  if (!at.exists || k == 0) return;
  const cplx *const factors = static_cast<const cplx *>(a.stages) + (k - 1) * size_of(1);
  const cplx own = table_load(factors + at.b);
  v[0] = v[0] * own;
#pragma unroll
  for (int j = 1; j < T::R; j++) v[j] = v[j] * (own * table_load(factors + j * T::M));
}

/* Of the second crossing: into the blocks that have the results' part of n₂.  Where parts and steps are multiples of each other
 * block and place are one base and constants. */
template <int S> FG_DEVICE void cross_back(const spot &at, const cplx *v, cplx *tile) {
  using T = stage<S>;
  constexpr int PART = part_of(1), M = T::M;
  if (!at.exists) return;
  const int row = (first_in(S) + at.at[0]) * PART;
#pragma unroll
  for (int j = 0; j < T::R; j++) {
    const int k = at.b + j * M;
    const int block = M % PART == 0 ? at.b / PART + j * (M / PART) : PART % M == 0 ? j / (PART / M) : k / PART;
    const int place = M % PART == 0 ? at.b % PART : PART % M == 0 ? at.b + j % (PART / M) * M : k % PART;
    cluster_send<KEEPS_OWN>(tile, block, row + place, v[j], arrivals_of(tile));
  }
}

#endif
