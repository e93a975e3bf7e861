/* box.cu: one pass over the data for small two- and three-dimensional transforms: whole in a block.
 *
 * Each block does FG_BOXES transforms of FG_SIZES points, slowest dimension first.  The stages of all dimensions follow
 * each other in any order that the plan says; each is a Stockham stage along its dimension.  Threads run along the last
 * dimension first, which is contiguous in the tile; with FG_ACROSS from box to box first, and neighbouring boxes are
 * neighbours in the tile as they are in global memory: so a dimension may be cut into short runs that are not
 * transformed. The first stage is fed from global memory and the last stores to it; without FG_ACROSS they are best
 * along a slow dimension, or along rows long enough that the points of neighbouring butterflies fill whole sectors.
 * (doc/algorithms.md, solvers box and overlap.)
 *
 * With forms one side is real and the other the half of its spectrum along the last dimension.  A spectrum is fetched once
 * and completed in the tile; the mirror of an index is its negative in every dimension.  Boxes do not share one of the
 * tile, as rows of one transform do (pairs.h): they are transforms of their own, and one's errors are none of another's.
 *
 * Where each dimension is one butterfly, it reads and writes the same places of the tile.  With FG_SINGLY a thread then does
 * one after the other, and has the points of only one in registers: for boxes whose points all of them together do not hold.
 *
 * With FG_TWIDDLE results are multiplied by exp(−2πi·J·k/N'), k the index along the slowest dimension.
 *
 * Constants (set by src/pass/kernel.c) beside those of tile.cu that apply:
 *   FG_DIMS, FG_SIZES, FG_TOTAL       dimensions, points of each, their product
 *   FG_BOXES, FG_ACROSS               transforms a block; 1: neighbours in memory
 *   FG_PITCH, FG_BOX_POINTS           points from row to row in shared memory, and of a box there
 *   FG_STAGES, FG_RADICES, FG_AXES    the stages, and along which dimension each runs
 *   FG_SINGLY                         1: one butterfly of a thread after the other
 *   FG_SKEWS                          1: the exchange after the stage has a gap after each group that it transformed */
#include "args.h"
#include "butterfly.h"
#include "element.h"
#include "line.h"
#include "twiddle.h"

constexpr int STAGES = FG_STAGES, LAST = STAGES - 1, DIMS = FG_DIMS, ROW = DIMS - 1;
constexpr bool SPECTRA_IN = FG_FROM_FORM == FG_FORM_HERMITIAN, SPECTRA_OUT = FG_TO_FORM == FG_FORM_HERMITIAN;
constexpr bool REAL_DATA = SPECTRA_IN || SPECTRA_OUT;

FG_CONSTANT int size_of(int d) {
  constexpr int sizes[] = {FG_SIZES};
  return sizes[d];
}
FG_CONSTANT int radix_of(int s) {
  constexpr int radices[] = {FG_RADICES};
  return radices[s];
}
FG_CONSTANT int axis_of(int s) {
  constexpr int axes[] = {FG_AXES};
  return axes[s];
}
FG_CONSTANT bool skewed(int s) {
  constexpr int skews[] = {FG_SKEWS};
  return skews[s];
}
/* Radices before stage s along its own dimension. */
FG_CONSTANT int product_before(int s) {
  int p = 1;
  for (int i = 0; i < s; i++)
    if (axis_of(i) == axis_of(s)) p *= radix_of(i);
  return p;
}
/* Where stage s's twiddles begin in the table of its dimension. */
FG_CONSTANT int twiddles_before(int s) {
  int sum = 0;
  for (int i = 0; i < s; i++)
    if (axis_of(i) == axis_of(s) && product_before(i) > 1) sum += product_before(i) * (radix_of(i) - 1);
  return sum;
}
/* Points along its dimension that stages up to s have transformed together. */
FG_CONSTANT int group_of(int s) { return product_before(s) * radix_of(s); }
/* Where index k along dimension d is in the exchange after stage s. */
FG_CONSTANT int skewed_index(int s, int d, int k) { return skewed(s) && d == axis_of(s) ? k + k / group_of(s) : k; }
/* Points from neighbour to neighbour along dimension d in the exchange after stage s. */
FG_CONSTANT int pitch_of(int s, int d) {
  int p = (d == ROW ? 1 : FG_PITCH) * (FG_ACROSS ? FG_BOXES : 1);
  for (int i = d + 1; i < ROW; i++) p *= skewed_index(s, i, size_of(i) - 1) + 1;
  return p;
}

FG_CONSTANT int points_a_thread() {
  int most = 1;
  for (int s = 0; s < STAGES; s++) {
    const int r = radix_of(s), butterflies = FG_BOXES * (FG_TOTAL / r);
    const int points = (butterflies + FG_THREADS - 1) / FG_THREADS * r;
    if (points > most) most = points;
  }
  return most;
}
constexpr int POINTS = points_a_thread();

/* One butterfly: b-th along its dimension; at[d] the coordinates in the others. */
struct spot {
  int box, at[DIMS], b;
  bool exists;
};

template <int S> struct stage {
  static constexpr int R = radix_of(S), AXIS = axis_of(S), P = product_before(S);
  static constexpr int M = size_of(AXIS) / R, EACH = FG_TOTAL / R, ALL = FG_BOXES * EACH;
  static constexpr int REPEATS = (ALL + FG_THREADS - 1) / FG_THREADS;

  /* The i-th butterfly of this thread: neighbours along the rows first, whatever dimension the stage is along. */
  FG_DEVICE spot locate(int i) {
    spot s;
    int u = threadIdx.x + i * FG_THREADS;
    s.exists = ALL % FG_THREADS == 0 || u < ALL;
    if (FG_ACROSS) {
      s.box = (FG_THREADS % FG_BOXES == 0 ? int(threadIdx.x) : u) % FG_BOXES; /* then the same for every i */
      u /= FG_BOXES;
    }
#pragma unroll
    for (int d = ROW; d >= 0; d--) {
      const int n = d == AXIS ? M : size_of(d);
      s.at[d] = u % n;
      u /= n;
    }
    if (!FG_ACROSS) s.box = u;
    s.b = s.at[AXIS];
    return s;
  }
};

/* Address in the exchange after stage E of a spot whose coordinate along AXIS is k instead. */
template <int E, int AXIS> FG_DEVICE int tile_address(const spot &s, int k) {
  int address = s.box * (FG_ACROSS ? 1 : FG_BOX_POINTS);
#pragma unroll
  for (int d = 0; d < DIMS; d++) address += skewed_index(E, d, d == AXIS ? k : s.at[d]) * pitch_of(E, d);
  return address;
}

/* ---- one butterfly of stage S, whose points are v ---- */

/* All results of a butterfly are in one group of the skew, so that their addresses are one base and constants. */
template <int S> FG_DEVICE void exchange_write(const spot &at, const cplx *v, cplx *tile) {
  using T = stage<S>;
  if (!at.exists) return;
  const int start = tile_address<S, T::AXIS>(at, (at.b / T::P) * (T::P * T::R) + at.b % T::P);
#pragma unroll
  for (int j = 0; j < T::R; j++) shared_store(tile + start + j * (T::P * pitch_of(S, T::AXIS)), v[j]);
}

/* The inputs of a butterfly are whole groups apart: the same.  E: after which stage. */
template <int S, int E> FG_DEVICE void exchange_read(const spot &at, cplx *v, const cplx *tile) {
  using T = stage<S>;
  constexpr int STEP = skewed_index(E, T::AXIS, T::M) * pitch_of(E, T::AXIS);
  if (!at.exists) return;
  const int start = tile_address<E, T::AXIS>(at, at.b);
#pragma unroll
  for (int j = 0; j < T::R; j++) v[j] = shared_load(tile + start + j * STEP);
}

template <int S> FG_DEVICE void compute(const fg_tile_args &a, const spot &at, cplx *v) {
  using T = stage<S>;
  if (T::P > 1 && T::R > 1 && at.exists) {
    const cplx *w = static_cast<const cplx *>(a.box_stages[T::AXIS]) + twiddles_before(S) + at.b % T::P;
#pragma unroll
    for (int j = 1; j < T::R; j++) v[j] = v[j] * table_load(w + (j - 1) * T::P);
  }
  butterfly<T::R>::apply(v);
}

/* Stride along dimension d in global memory; rows are mostly contiguous, which saves a product. */
FG_DEVICE long long in_stride(const fg_tile_args &a, int d) { return d == ROW && FG_IN_UNIT ? 1 : a.box_in[d]; }
FG_DEVICE long long out_stride(const fg_tile_args &a, int d) { return d == ROW && FG_OUT_UNIT ? 1 : a.box_out[d]; }

FG_DEVICE cplx load_from(const fg_tile_args &a, long long at) {
  if (REAL_DATA) return {read_number(a.in_re, at), 0};
  return FG_BACKWARD ? swapped(read_point(a, at)) : read_point(a, at);
}

FG_DEVICE void store_to(const fg_tile_args &a, long long at, cplx v) {
  if (FG_BACKWARD) v = swapped(v);
  if (SPECTRA_IN) write_number(a.out_re, at, v.x);
  else write_point(a, at, v);
}

/* Of the first stage. */
FG_DEVICE void load_points(const fg_tile_args &a, line_number first, const spot &s, cplx *v) {
  using T = stage<0>;
#pragma unroll
  for (int j = 0; j < T::R; j++) v[j] = {0, 0};
  if (!s.exists || first + s.box >= line_number(a.lines)) return;
  long long at = place_of(a, first + s.box).in;
#pragma unroll
  for (int d = 0; d < DIMS; d++) at += s.at[d] * in_stride(a, d);
  const long long step = T::M * in_stride(a, T::AXIS);
#pragma unroll
  for (int j = 0; j < T::R; j++) v[j] = load_from(a, at + j * step);
}

/* Of the last one. */
FG_DEVICE void store_points(const fg_tile_args &a, line_number first, const spot &s, const cplx *v) {
  using T = stage<LAST>;
  if (!s.exists || first + s.box >= line_number(a.lines)) return;
  const line_place place = place_of(a, first + s.box);
  long long at = place.out;
#pragma unroll
  for (int d = 0; d < DIMS; d++) at += s.at[d] * out_stride(a, d);
  const long long step = T::M * out_stride(a, T::AXIS);
#pragma unroll
  for (int j = 0; j < T::R; j++) {
    cplx x = v[j];
    if (FG_TWIDDLE) x = twiddled(a, place.twiddle, T::AXIS == 0 ? s.b + j * T::M : s.at[0], x);
    store_to(a, at + j * step, x);
  }
}

/* ---- half spectra, through the tile ---- */

constexpr int HALF = size_of(ROW) / 2 + 1; /* of a row is in memory */
constexpr int HALF_TOTAL = FG_TOTAL / size_of(ROW) * HALF;
constexpr int ELEMENTS = (FG_BOXES * HALF_TOTAL + FG_THREADS - 1) / FG_THREADS; /* of a thread */

/* The i-th element that this thread moves, along the rows first; one that does not exist is like the first. */
FG_DEVICE spot element(int i) {
  spot s;
  int u = threadIdx.x + i * FG_THREADS;
  s.exists = FG_BOXES * HALF_TOTAL % FG_THREADS == 0 || u < FG_BOXES * HALF_TOTAL;
  if (!s.exists) u = 0;
  if (FG_ACROSS) {
    s.box = u % FG_BOXES;
    u /= FG_BOXES;
  }
#pragma unroll
  for (int d = ROW; d >= 0; d--) {
    const int n = d == ROW ? HALF : size_of(d);
    s.at[d] = u % n;
    u /= n;
  }
  if (!FG_ACROSS) s.box = u;
  s.b = 0;
  return s;
}

FG_DEVICE spot mirrored(spot s) {
#pragma unroll
  for (int d = 0; d < DIMS; d++) s.at[d] = s.at[d] ? size_of(d) - s.at[d] : 0;
  return s;
}

/* Its mirror is an element of memory, too. */
FG_DEVICE bool is_edge(const spot &s) { return s.at[ROW] == 0 || 2 * s.at[ROW] == size_of(ROW); }

/* After the last stage there is no skew: points are where their indices say. */
template <class T> FG_DEVICE T *place_in(T *tile, const spot &s) { return tile + tile_address<LAST, ROW>(s, s.at[ROW]); }

/* Each element is fetched once, also where both k and −k are there: of those the Hermitian part counts, to which each
 * gives a half. */
FG_DEVICE void load_spectra(const fg_tile_args &a, line_number first, cplx *tile) {
  cplx x[ELEMENTS];
  const line_number boxes = line_number(a.lines) - first;
#pragma unroll
  for (int i = 0; i < ELEMENTS; i++) {
    const spot s = element(i);
    x[i] = {0, 0};
    if (line_number(s.box) >= boxes) continue;
    long long at = place_of(a, first + s.box).in;
#pragma unroll
    for (int d = 0; d < DIMS; d++) at += s.at[d] * in_stride(a, d);
    x[i] = read_point(a, at);
  }
#pragma unroll
  for (int phase = 0; phase < 2; phase++) {
    if (phase) __syncthreads();
#pragma unroll
    for (int i = 0; i < ELEMENTS; i++) {
      const spot s = element(i);
      const cplx own = swapped(x[i]), mirror = swapped(conjugate(x[i]));
      if (!s.exists || (phase && !is_edge(s))) continue;
      cplx *const there = place_in(tile, mirrored(s));
      if (phase) {
        shared_store(there, shared_load(there) + scale(real(0.5), mirror));
      } else if (is_edge(s)) {
        shared_store(place_in(tile, s), scale(real(0.5), own));
      } else {
        shared_store(place_in(tile, s), own);
        shared_store(there, mirror);
      }
    }
  }
  __syncthreads();
}

FG_DEVICE void store_spectra(const fg_tile_args &a, line_number first, const cplx *tile) {
#pragma unroll 4
  for (int i = 0; i < ELEMENTS; i++) {
    const spot s = element(i);
    if (!s.exists || first + s.box >= line_number(a.lines)) continue;
    const line_place place = place_of(a, first + s.box);
    long long at = place.out;
#pragma unroll
    for (int d = 0; d < DIMS; d++) at += s.at[d] * out_stride(a, d);
    const cplx x = shared_load(place_in(tile, s));
    write_point(a, at, FG_TWIDDLE ? twiddled(a, place.twiddle, s.at[0], x) : x);
  }
}

/* ---- the stages ---- */

/* f(butterfly, its points) for each that this thread has in stage S. */
template <int S, class F> FG_DEVICE void for_each(cplx *v, F f) {
#pragma unroll
  for (int i = 0; i < stage<S>::REPEATS; i++) f(stage<S>::locate(i), v + i * stage<S>::R);
}

template <int S> FG_DEVICE void run_stages(const fg_tile_args &a, line_number first, cplx *v, cplx *tile) {
  if constexpr (S > 0) for_each<S>(v, [&](const spot &at, cplx *x) { exchange_read<S, S - 1>(at, x, tile); });
  else if constexpr (SPECTRA_IN) for_each<S>(v, [&](const spot &at, cplx *x) { exchange_read<S, LAST>(at, x, tile); });
  else for_each<S>(v, [&](const spot &at, cplx *x) { load_points(a, first, at, x); });
  for_each<S>(v, [&](const spot &at, cplx *x) { compute<S>(a, at, x); });
  if constexpr (S < LAST || SPECTRA_OUT) {
    if (S != 0 || SPECTRA_IN) __syncthreads(); /* the tile is still being read */
    for_each<S>(v, [&](const spot &at, cplx *x) { exchange_write<S>(at, x, tile); });
    __syncthreads();
  } else {
    for_each<S>(v, [&](const spot &at, cplx *x) { store_points(a, first, at, x); });
  }
  if constexpr (S < LAST) run_stages<S + 1>(a, first, v, tile);
}

/* The same, each butterfly from its places to its places. */
template <int S> FG_DEVICE void run_singly(const fg_tile_args &a, line_number first, cplx *tile) {
  using T = stage<S>;
#pragma unroll 1
  for (int i = 0; i < T::REPEATS; i++) {
    cplx v[T::R];
    const spot at = T::locate(i);
    if (!at.exists) break;
    if constexpr (S > 0 || SPECTRA_IN) exchange_read<S, S>(at, v, tile);
    else load_points(a, first, at, v);
    butterfly<T::R>::apply(v);
    if constexpr (S < LAST || SPECTRA_OUT) exchange_write<S>(at, v, tile);
    else store_points(a, first, at, v);
  }
  if constexpr (S < LAST || SPECTRA_OUT) __syncthreads();
  if constexpr (S < LAST) run_singly<S + 1>(a, first, tile);
}

extern "C" __global__ void __launch_bounds__(FG_THREADS, FG_BLOCKS_SM) fg_box(const fg_tile_args args) {
  wait_for_last_launch();
  cplx *const tile = static_cast<cplx *>(FG_SHARED_BASE());
  const line_number first = line_number(blockIdx.x) * FG_BOXES;
  if constexpr (SPECTRA_IN) load_spectra(args, first, tile);
  if constexpr (FG_SINGLY) {
    run_singly<0>(args, first, tile);
  } else {
    cplx v[POINTS];
    run_stages<0>(args, first, v, tile);
  }
  if constexpr (SPECTRA_OUT) store_spectra(args, first, tile);
}
