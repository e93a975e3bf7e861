/* box.cu: one pass over the data for small two- and three-dimensional transforms: whole in a block, or in a cluster.
 *
 * Each block does FG_BOXES transforms of FG_SIZES points, slowest dimension first.  The stages of all dimensions follow
 * each other in any order that the plan says; each is a Stockham stage along its dimension.  Threads run along the last
 * dimension first, which is contiguous in the tile; with FG_ACROSS from box to box first, and neighbouring boxes are
 * neighbours in the tile as they are in global memory: so a dimension may be cut into short runs that are not
 * transformed. The first stage is fed from global memory and the last stores to it; without FG_ACROSS they are best
 * along a slow dimension, or along rows long enough that the points of neighbouring butterflies fill whole sectors.
 * (doc/algorithms.md, solvers box and overlap.)
 *
 * With forms one side is real and the other the half of its spectrum along the last dimension.  Rows of even length are
 * half as many complex points z[k] = x[2k] + i·x[2k + 1], else the imaginary part is zero.  Boxes do not share one of the
 * tile, as rows of one transform do (pairs.h): they are transforms of their own, and one's errors are none of another's.
 *
 * Where each dimension is one butterfly, it reads and writes the same places of the tile.  With FG_SINGLY a thread then does
 * one after the other, and has the points of only one in registers: for boxes whose points all of them together do not hold.
 *
 * A box of three dimensions, or of two complex ones, may be shared by the blocks of a cluster.  The slowest dimension, one
 * butterfly, comes first, and each block does a part of the next one; each result is left in the block that has its part of
 * the slowest dimension, which does all other stages.  So the blocks exchange once, and what they load (but for two dimensions)
 * and store are whole rows.  Half rows are put together while they are loaded, and taken apart when they are stored: a block
 * has the mirrors of what it has (box_shape.h, mirrored_rows.h, row_spectrum.h).
 *
 * With FG_FOUR_STEP the first two dimensions, n₁ and n₂, are one of n = n₁·n₂ points, which is cut in two: what crosses is
 * multiplied by exp(−2πi·j·k/n), k the place in the first and j in the second (four_step.h).  Of two dimensions that is a
 * row; its results are neighbours along the first, and those that a block has are runs of its part of that.  Of three it is
 * the columns of a plane.
 *
 * With FG_STRIP the last of three dimensions is not transformed: so many neighbouring columns.  The other two are one that is
 * cut in two, or two.
 *
 * With FG_CONVOLVE such a row is convolved, padded with zeros, and crosses a second time on the way back (box_chirp.h).
 *
 * With FG_TWIDDLE results are multiplied by exp(−2πi·J·k/N'), k the index along the slowest dimension, of one that is cut in two
 * that along both, k₁ + n₁·k₂.
 *
 * Constants (set by src/pass/kernel.c) beside those of tile.cu that apply:
 *   FG_DIMS, FG_SIZES, FG_TOTAL       dimensions, points of each, their product
 *   FG_BOXES, FG_ACROSS               transforms a block; 1: neighbours in memory
 *   FG_CLUSTER                        blocks that share a box; 1: none do
 *   FG_FOUR_STEP                      1: the first two dimensions are one; the points of a row of two lie one behind the other
 *   FG_STRIP                          1: the last dimension is not transformed
 *   FG_STRIP_REST                     columns that the last strip has; 0: as many as all
 *   FG_LOAD_ROWS                      1: a strip's columns are the rows of memory where they are loaded
 *   FG_TWIDDLE_ROW                    how much J grows from point to point of a row
 *   FG_CONVOLVE                       1: that row is convolved; its stages are there twice, the second time backwards
 *   FG_LOADED, FG_STORED              then the points that come from memory and go there
 *   FG_PITCH, FG_BOX_POINTS           points from row to row in shared memory, and of a box there
 *   FG_STAGES, FG_RADICES, FG_AXES    the stages, and along which dimension each runs
 *   FG_SINGLY                         1: one butterfly of a thread after the other
 *   FG_SKEWS                          1: the exchange after the stage has a gap after each group that it transformed
 *   FG_HALF_ROW                       1: a point of a row is two of its real elements; FG_SIZES has so many points
 *   FG_IN_PITCH, FG_OUT_PITCH         elements from row to row in memory, planes being as many rows apart as there are;
 *                                     0: strides are arguments
 *   FG_IN_DENSE, FG_OUT_DENSE         1: spectra lie one behind the other without a gap
 *   FG_IN_TWOS, FG_OUT_TWOS           1: these are next to each other and aligned */
#include "args.h"
#include "box_chirp.h"
#include "box_shape.h"
#include "box_spectra.h"
#include "butterfly.h"
#include "cluster.h"
#include "element.h"
#include "four_step.h"
#include "line.h"
#include "mirrored_rows.h"
#include "row_spectrum.h"
#include "turns.h"
#include "twiddle.h"

/* ---- one butterfly of stage S, whose points are v ---- */

/* All results of a butterfly are in one group of the skew, so that their addresses are one base and constants. */
template <int S> FG_DEVICE void exchange_write(const spot &at, const cplx *v, cplx *tile) {
  using T = stage<S>;
  if (!at.exists) return;
  const int start = tile_address<S, T::AXIS>(at, (at.b / T::P) * (T::P * T::R) + at.b % T::P);
#pragma unroll
  for (int j = 0; j < T::R; j++) shared_store(tile + start + j * (T::P * pitch_of(S, T::AXIS)), v[j]);
}

/* Of the crossing: into the blocks that have the results' part of the slowest dimension. */
template <int S> FG_DEVICE void cross(const spot &at, const cplx *v, cplx *tile) {
  constexpr int PART = part_of(0);
  if (!at.exists) return;
  spot to = at;
  to.at[1] = shared_index(S, at);
#pragma unroll
  for (int k = 0; k < stage<S>::R; k++) {
    const int place = place_of_index(0, k);
    cluster_send<KEEPS_OWN>(tile, place / PART, tile_address<S, 0>(to, place % PART), v[k], arrivals_of(tile));
  }
}

/* The factors of the inputs but the first, into the registers that these will have: asked for before the barrier that the
 * inputs wait for. */
template <int S> constexpr bool IS_TURNED = stage<S>::P > 1 && stage<S>::R > 1;
/* As in stage.h; of columns and boxes side by side neighbouring threads share them. */
template <int S> using turns_of = turns<stage<S>::R, (FG_STRIP || FG_ACROSS || stage<S>::AXIS != ROW || stage<S>::P < 32), false>;
template <int S> FG_DEVICE void fetch_twiddles(const fg_tile_args &a, const spot &at, cplx *v) {
  using T = stage<S>;
  if (!IS_TURNED<S> || !at.exists) return;
  const cplx *w = static_cast<const cplx *>(a.box_stages[T::AXIS]) + twiddles_before(S) + at.b % T::P;
  turns_of<S>::fetch(v, [&](int j) { return table_load(w + (j - 1) * T::P); });
}

/* The inputs of a butterfly, turned; they are whole groups apart: the same.  E: after which stage. */
template <int S, int E> FG_DEVICE void exchange_read(const spot &at, cplx *v, const cplx *tile) {
  using T = stage<S>;
  constexpr int STEP = skewed_index(E, T::AXIS, T::M) * pitch_of(E, T::AXIS);
  if (!at.exists) return;
  const int start = tile_address<E, T::AXIS>(at, at.b);
#pragma unroll
  for (int i = 0; i < T::R; i++) {
    const int j = turns_of<S>::in_turn(i);
    const cplx x = shared_load(tile + start + j * STEP);
    v[j] = IS_TURNED<S> && j > 0 ? x * turns_of<S>::factor(v, j) : x;
  }
}

FG_DEVICE cplx load_from(const fg_tile_args &a, long long at) {
  if (SPECTRA_OUT && FG_IN_TWOS) return read_two(a.in_re, at);
  if (SPECTRA_OUT) return {read_number(a.in_re, at), FG_HALF_ROW ? read_number(a.in_re, at + in_stride(a, ROW)) : 0};
  return FG_BACKWARD ? swapped(read_point(a, at)) : read_point(a, at);
}

FG_DEVICE void store_to(const fg_tile_args &a, long long at, cplx v) {
  if (FG_BACKWARD) v = swapped(v);
  if (!SPECTRA_IN) {
    write_point(a, at, v);
  } else if (FG_OUT_TWOS) {
    write_two(a.out_re, at, v);
  } else {
    write_number(a.out_re, at, v.x);
    if (FG_HALF_ROW) write_number(a.out_re, at + (CUT_ROW ? 1 : out_stride(a, ROW)), v.y);
  }
}

/* Of the first stage. */
FG_DEVICE void load_points(const fg_tile_args &a, line_number first, const line_place &own, const spot &s, cplx *v) {
  using T = stage<0>;
#pragma unroll
  for (int j = 0; j < T::R; j++) v[j] = {0, 0};
  if (!s.exists || !box_exists(a, first + s.box) || !column_exists(a, first, s)) return;
  long long at = place_of_box(a, first, s, own).in + first_in(0) * in_step(a, shared_in(0));
#pragma unroll
  for (int d = 0; d < DIMS; d++) at += s.at[d] * in_step(a, d);
  const long long step = T::M * in_step(a, T::AXIS);
#pragma unroll
  for (int j = 0; j < T::R; j++) v[j] = load_from(a, at + j * step);
}

/* Half spectra of which a cluster's blocks have their parts do not lie in the tile first. */
enum : bool { SPECTRA_IN_TILE = SPECTRA_IN && FG_CLUSTER == 1 };
FG_DEVICE void read_bins(const fg_tile_args &a, const line_place &own, const spot &s, cplx *v, cplx *tile) {
  if constexpr (FG_CLUSTER == 1) read_spectra(a, s, v, spectra_in(tile));
  else if constexpr (CUT_ROW) read_row(a, own, s, v);
  else read_mirrored(a, own, s, v);
}
FG_DEVICE void store_bins(const fg_tile_args &a, line_number first, const cplx *tile) {
  if constexpr (FG_CLUSTER == 1) store_spectra(a, first, tile);
  else if constexpr (CUT_ROW) store_row(a, place_of(a, first), tile);
  else store_mirrored(a, place_of(a, first), tile);
}

/* Of the last one; k of its result j. */
FG_DEVICE int twiddle_place(const spot &s, int j) {
  using T = stage<LAST>;
  return T::AXIS == 0 ? s.b + j * T::M : FG_CLUSTER > 1 ? shared_index(LAST, s) : s.at[0];
}
FG_DEVICE void store_points(const fg_tile_args &a, line_number first, const line_place &own, const spot &s, cplx *v) {
  using T = stage<LAST>;
  if (!s.exists || !box_exists(a, first + s.box) || !column_exists(a, first, s)) return;
  const line_place place = place_of_box(a, first, s, own);
  long long at = place.out + first_in(LAST) * out_step(a, shared_in(LAST));
#pragma unroll
  for (int d = 0; d < DIMS; d++) at += s.at[d] * out_step(a, d);
  const long long step = T::M * out_step(a, T::AXIS);
  constexpr bool TWIDDLE_CUT = FG_TWIDDLE && FG_FOUR_STEP; /* k = k₁ + n₁·k₂ */
  static_assert(!TWIDDLE_CUT || T::AXIS == 1, "k₂ are a butterfly's results");
  if (TWIDDLE_CUT)
    twiddle_all<T::R>(a, place.twiddle + FG_TWIDDLE_ROW * s.at[ROW], shared_index(LAST, s) + size_of(0) * s.b,
                      size_of(0) * T::M, v);
#pragma unroll
  for (int j = 0; j < T::R; j++) {
    cplx x = v[j];
    if (FG_TWIDDLE && !TWIDDLE_CUT) x = twiddled(a, place.twiddle, twiddle_place(s, j), x);
    store_to(a, at + j * step, x);
  }
}

/* ---- the stages ---- */

/* f(butterfly, its points) for each that this thread has in stage S. */
template <int S, class F> FG_DEVICE void for_each(cplx *v, F f) {
#pragma unroll
  for (int i = 0; i < stage<S>::REPEATS; i++) f(stage<S>::locate(i), v + i * stage<S>::R);
}

template <int S> FG_DEVICE void run_stages(const fg_tile_args &a, line_number first, cplx *v, cplx *tile) {
  if (S == LAST) let_next_launch();
  if constexpr (S == 0 && CROSSING == 0) cluster_begin(arrivals_of(tile), points_to_come());
  const line_place own = own_place(a, first);
  if constexpr (S > 0 && S == MIDDLE + 1) {} /* the points are in registers */
  else if constexpr (S > 0) for_each<S>(v, [&](const spot &at, cplx *x) { exchange_read<S, S - 1>(at, x, tile); });
  else if constexpr (SPECTRA_IN) for_each<S>(v, [&](const spot &at, cplx *x) { read_bins(a, own, at, x, tile); });
  else if constexpr (FG_CONVOLVE) for_each<S>(v, [&](const spot &at, cplx *x) { load_chirped(a, own, at, x); });
  else for_each<S>(v, [&](const spot &at, cplx *x) { load_points(a, first, own, at, x); });
  if constexpr (S > 0 && S == RETURNING) cluster_again(arrivals_of(tile), points_to_come(1));
  for_each<S>(v, [&](const spot &, cplx *x) { butterfly<stage<S>::R>::apply(x); });
  if constexpr (S == CROSSING) {
    static_assert(!IS_TURNED<S + 1>, "what follows the only stage of a dimension begins another");
    if constexpr (FG_FOUR_STEP) for_each<S>(v, [&](const spot &at, cplx *x) { turn(a, at, x); });
    cluster_wait();
    for_each<S>(v, [&](const spot &at, cplx *x) { cross<S>(at, x, tile); });
    cluster_receive<KEEPS_OWN>(arrivals_of(tile));
  } else if constexpr (S == RETURNING) {
    for_each<S>(v, [&](const spot &at, cplx *x) { turn_back<S>(a, at, x); });
    cluster_wait();
    for_each<S>(v, [&](const spot &at, cplx *x) { cross_back<S>(at, x, tile); });
    cluster_receive<KEEPS_OWN>(arrivals_of(tile), 1);
  } else if constexpr (S == MIDDLE) {
    for_each<S>(v, [&](const spot &at, cplx *x) { multiply<S>(a, at, x); });
  } else if constexpr (S < LAST || SPECTRA_OUT) {
    if (S != 0 || SPECTRA_IN_TILE) __syncthreads(); /* the tile is still being read */
    for_each<S>(v, [&](const spot &at, cplx *x) { exchange_write<S>(at, x, tile); });
    if constexpr (S < LAST) for_each<S + 1>(v, [&](const spot &at, cplx *x) { fetch_twiddles<S + 1>(a, at, x); });
    __syncthreads();
  } else if constexpr (FG_CONVOLVE) {
    for_each<S>(v, [&](const spot &at, cplx *x) { store_chirped(a, own, at, x); });
  } else {
    for_each<S>(v, [&](const spot &at, cplx *x) { store_points(a, first, own, at, x); });
  }
  if constexpr (S < LAST) run_stages<S + 1>(a, first, v, tile);
}

/* The same, each butterfly from its places to its places. */
template <int S> FG_DEVICE void run_singly(const fg_tile_args &a, line_number first, cplx *tile) {
  static_assert(!IS_TURNED<S>, "each dimension is one butterfly");
  if (S == LAST) let_next_launch();
  using T = stage<S>;
  const line_place own = own_place(a, first);
#pragma unroll 1
  for (int i = 0; i < T::REPEATS; i++) {
    cplx v[T::R];
    const spot at = T::locate(i);
    if (!at.exists) break;
    if constexpr (S > 0) exchange_read<S, S>(at, v, tile);
    else if constexpr (SPECTRA_IN) read_bins(a, own, at, v, tile);
    else load_points(a, first, own, at, v);
    butterfly<T::R>::apply(v);
    if constexpr (S < LAST || SPECTRA_OUT) exchange_write<S>(at, v, tile);
    else store_points(a, first, own, at, v);
  }
  if constexpr (S < LAST || SPECTRA_OUT) __syncthreads();
  if constexpr (S < LAST) run_singly<S + 1>(a, first, tile);
}

extern "C" __global__ void FG_IN_CLUSTERS __launch_bounds__(FG_THREADS, FG_BLOCKS_SM) fg_box(const fg_tile_args args) {
  wait_for_last_launch();
  cplx *const tile = static_cast<cplx *>(FG_SHARED_BASE());
  const line_number first = line_number(blockIdx.x) / FG_CLUSTER * FG_BOXES;
  if constexpr (SPECTRA_IN_TILE) load_spectra(args, first, spectra_in(tile));
  if constexpr (FG_SINGLY) {
    run_singly<0>(args, first, tile);
  } else {
    cplx v[POINTS];
    run_stages<0>(args, first, v, tile);
  }
  if constexpr (SPECTRA_OUT) store_bins(args, first, tile);
}
