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
 * half as many complex points z[k] = x[2k] + i·x[2k + 1], else the imaginary part is zero.  Spectra lie in the tile as they
 * do in memory, and are put together on the way from there into the first stage; those that go are taken apart on the way
 * from the tile, where the last stage has left points.  The mirror of an index is its negative in every dimension.  Boxes
 * do not share one of the tile, as rows of one transform do (pairs.h): they are transforms of their own, and one's errors
 * are none of another's.
 *
 * Where each dimension is one butterfly, it reads and writes the same places of the tile.  With FG_SINGLY a thread then does
 * one after the other, and has the points of only one in registers: for boxes whose points all of them together do not hold.
 *
 * A box of three dimensions may be shared by the blocks of a cluster.  The slowest dimension, one butterfly, comes first, and
 * each block does a part of the next one; each result is left in the block that has its part of the slowest dimension, which
 * does all other stages.  So the blocks exchange once, and what they load and store are whole rows.
 *
 * With FG_TWIDDLE results are multiplied by exp(−2πi·J·k/N'), k the index along the slowest dimension.
 *
 * Constants (set by src/pass/kernel.c) beside those of tile.cu that apply:
 *   FG_DIMS, FG_SIZES, FG_TOTAL       dimensions, points of each, their product
 *   FG_BOXES, FG_ACROSS               transforms a block; 1: neighbours in memory
 *   FG_CLUSTER                        blocks that share a box; 1: none do
 *   FG_PITCH, FG_BOX_POINTS           points from row to row in shared memory, and of a box there
 *   FG_STAGES, FG_RADICES, FG_AXES    the stages, and along which dimension each runs
 *   FG_SINGLY                         1: one butterfly of a thread after the other
 *   FG_SKEWS                          1: the exchange after the stage has a gap after each group that it transformed
 *   FG_HALF_ROW                       1: a point of a row is two of its real elements; FG_SIZES has so many points
 *   FG_IN_TWOS, FG_OUT_TWOS           1: these are next to each other and aligned */
#include "args.h"
#include "butterfly.h"
#include "cluster.h"
#include "element.h"
#include "half.h"
#include "line.h"
#include "twiddle.h"

constexpr int STAGES = FG_STAGES, LAST = STAGES - 1, DIMS = FG_DIMS, ROW = DIMS - 1;
constexpr bool SPECTRA_IN = FG_FROM_FORM == FG_FORM_HERMITIAN, SPECTRA_OUT = FG_TO_FORM == FG_FORM_HERMITIAN;

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
/* The stage whose results cross from block to block: that of the slowest dimension, which is one butterfly; −1 without a
 * cluster. */
constexpr int CROSSING = FG_CLUSTER > 1 ? 0 : -1;
static_assert(FG_CLUSTER == 1 || (DIMS == 3 && FG_BOXES == 1 && !FG_ACROSS && !FG_SINGLY && !FG_TWIDDLE),
              "a cluster has one whole box");
static_assert(FG_CLUSTER == 1 || (!SPECTRA_IN && !SPECTRA_OUT), "of complex points");
static_assert(FG_CLUSTER == 1 || (axis_of(0) == 0 && radix_of(0) == size_of(0)), "and begins with the slowest dimension");

/* The dimension that the blocks of a cluster share out in stage s, the most that one of them has of dimension d then, and
 * of the box. */
FG_CONSTANT int shared_in(int s) { return s <= CROSSING ? 1 : 0; }
FG_CONSTANT int part_of(int d) { return (size_of(d) + FG_CLUSTER - 1) / FG_CLUSTER; }
FG_CONSTANT int size_in(int s, int d) { return FG_CLUSTER > 1 && d == shared_in(s) ? part_of(d) : size_of(d); }
FG_CONSTANT int total_in(int s) {
  int n = 1;
  for (int d = 0; d < DIMS; d++) n *= size_in(s, d);
  return n;
}
/* The first index along that dimension that this block has. */
FG_DEVICE int first_in(int s) { return FG_CLUSTER > 1 ? cluster_rank() * part_of(shared_in(s)) : 0; }

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
/* Points from neighbour to neighbour along dimension d there. */
FG_CONSTANT int pitch_of(int s, int d) {
  int p = (d == ROW ? 1 : FG_PITCH) * (FG_ACROSS ? FG_BOXES : 1);
  for (int i = d + 1; i < ROW; i++) p *= skewed_index(s, i, size_in(s + 1, i) - 1) + 1;
  return p;
}

FG_CONSTANT int points_a_thread() {
  int most = 1;
  for (int s = 0; s < STAGES; s++) {
    const int r = radix_of(s), butterflies = FG_BOXES * (total_in(s) / r);
    const int points = (butterflies + FG_THREADS - 1) / FG_THREADS * r;
    if (points > most) most = points;
  }
  return most;
}
constexpr int POINTS = points_a_thread();

/* One butterfly: b-th along its dimension; at[d] the coordinates in the others, along the one that a cluster shares out
 * from the first that the block has. */
struct spot {
  int box, at[DIMS], b;
  bool exists;
};

/* base + i·step, both of the same thread, taken apart digit by digit: digits in which i has no part are the same for
 * every i, which the compiler then works out once. */
struct number {
  unsigned base, step;
};
FG_DEVICE int next_digit(number &u, int i, unsigned n) {
  if (u.step % n != 0) u = {u.base + i * u.step, 0};
  const unsigned digit = u.base % n;
  u = {u.base / n, u.step / n};
  return int(digit);
}
FG_DEVICE int value_of(number u, int i) { return int(u.base + i * u.step); }

template <int S> struct stage {
  static constexpr int R = radix_of(S), AXIS = axis_of(S), P = product_before(S);
  static constexpr int M = size_of(AXIS) / R, EACH = total_in(S) / R, ALL = FG_BOXES * EACH;
  static constexpr int REPEATS = (ALL + FG_THREADS - 1) / FG_THREADS;

  /* The i-th butterfly of this thread: neighbours along the rows first, whatever dimension the stage is along. */
  FG_DEVICE spot locate(int i) {
    spot s;
    number u = {threadIdx.x, FG_THREADS};
    s.exists = (i + 1) * FG_THREADS <= ALL || value_of(u, i) < ALL;
    if (FG_ACROSS) s.box = next_digit(u, i, FG_BOXES);
#pragma unroll
    for (int d = ROW; d >= 0; d--) s.at[d] = next_digit(u, i, d == AXIS ? M : size_in(S, d));
    if (!FG_ACROSS) s.box = value_of(u, i);
    constexpr int D = shared_in(S), N = size_of(D);
    if (FG_CLUSTER > 1 && N % FG_CLUSTER) s.exists = s.exists && first_in(S) + s.at[D] < N; /* the last have less */
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

/* Of the crossing: into the blocks that have the results' part of the slowest dimension. */
template <int S> FG_DEVICE void cross(const spot &at, const cplx *v, cplx *tile) {
  constexpr int PART = part_of(0);
  if (!at.exists) return;
  spot to = at;
  to.at[1] += first_in(S);
#pragma unroll
  for (int k = 0; k < stage<S>::R; k++) cluster_store(tile, k / PART, tile_address<S, 0>(to, k % PART), v[k]);
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

/* The same from point to point, where one may be two real elements. */
FG_DEVICE long long in_step(const fg_tile_args &a, int d) {
  return (FG_HALF_ROW && SPECTRA_OUT && d == ROW ? 2 : 1) * in_stride(a, d);
}
FG_DEVICE long long out_step(const fg_tile_args &a, int d) {
  return (FG_HALF_ROW && SPECTRA_IN && d == ROW ? 2 : 1) * out_stride(a, d);
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
    if (FG_HALF_ROW) write_number(a.out_re, at + out_stride(a, ROW), v.y);
  }
}

/* Of the first stage. */
FG_DEVICE void load_points(const fg_tile_args &a, line_number first, const spot &s, cplx *v) {
  using T = stage<0>;
#pragma unroll
  for (int j = 0; j < T::R; j++) v[j] = {0, 0};
  if (!s.exists || first + s.box >= line_number(a.lines)) return;
  long long at = place_of(a, first + s.box).in + first_in(0) * in_step(a, shared_in(0));
#pragma unroll
  for (int d = 0; d < DIMS; d++) at += s.at[d] * in_step(a, d);
  const long long step = T::M * in_step(a, T::AXIS);
#pragma unroll
  for (int j = 0; j < T::R; j++) v[j] = load_from(a, at + j * step);
}

/* Of the last one. */
FG_DEVICE void store_points(const fg_tile_args &a, line_number first, const spot &s, const cplx *v) {
  using T = stage<LAST>;
  if (!s.exists || first + s.box >= line_number(a.lines)) return;
  const line_place place = place_of(a, first + s.box);
  long long at = place.out + first_in(LAST) * out_step(a, shared_in(LAST));
#pragma unroll
  for (int d = 0; d < DIMS; d++) at += s.at[d] * out_step(a, d);
  const long long step = T::M * out_step(a, T::AXIS);
#pragma unroll
  for (int j = 0; j < T::R; j++) {
    cplx x = v[j];
    if (FG_TWIDDLE) x = twiddled(a, place.twiddle, T::AXIS == 0 ? s.b + j * T::M : s.at[0], x);
    store_to(a, at + j * step, x);
  }
}

/* ---- half spectra, through the tile ---- */

constexpr int POINTS_ROW = size_of(ROW), LENGTH = FG_HALF_ROW ? 2 * POINTS_ROW : POINTS_ROW; /* of a row in real numbers */
constexpr int HALF = LENGTH / 2 + 1; /* of a row's spectrum is in memory */
constexpr int PLANE = FG_TOTAL / POINTS_ROW, HALF_TOTAL = PLANE * HALF;

constexpr int SPECTRA = FG_BOXES * HALF_TOTAL;
constexpr int ELEMENTS = (SPECTRA + FG_THREADS - 1) / FG_THREADS; /* of a thread */

/* The i-th that this thread moves, along the rows first. */
FG_DEVICE spot element(int i) {
  spot s;
  number u = {threadIdx.x, FG_THREADS};
  s.exists = (i + 1) * FG_THREADS <= SPECTRA || value_of(u, i) < SPECTRA;
  if (FG_ACROSS) s.box = next_digit(u, i, FG_BOXES);
#pragma unroll
  for (int d = ROW; d >= 0; d--) s.at[d] = next_digit(u, i, d == ROW ? HALF : size_of(d));
  if (!FG_ACROSS) s.box = value_of(u, i);
  s.b = 0;
  return s;
}

/* The negative of an index in all dimensions but the last, there k. */
FG_DEVICE spot mirrored(spot s, int k) {
#pragma unroll
  for (int d = 0; d < ROW; d++) s.at[d] = s.at[d] ? size_of(d) - s.at[d] : 0;
  s.at[ROW] = k;
  return s;
}

/* Spectra lie in the tile as they do in memory: points from neighbour to neighbour along d, and an element. */
FG_CONSTANT int element_pitch(int d) {
  int p = FG_ACROSS ? FG_BOXES : 1;
  for (int i = d + 1; i < DIMS; i++) p *= i == ROW ? HALF : size_of(i);
  return p;
}
FG_DEVICE cplx *element_in(cplx *tile, const spot &s) {
  int at = s.box * (FG_ACROSS ? 1 : HALF_TOTAL);
#pragma unroll
  for (int d = 0; d < DIMS; d++) at += s.at[d] * element_pitch(d);
  return tile + at;
}

/* Behind the points where a thread does one butterfly after the other: others would have written over them. */
FG_DEVICE cplx *spectra_in(cplx *tile) { return tile + (FG_SINGLY ? FG_BOXES * FG_BOX_POINTS : 0); }

FG_DEVICE bool box_exists(const fg_tile_args &a, line_number box) {
  return FG_BOXES == 1 || box < line_number(a.lines);
}

/* Of the planes in which k and −k are both in memory the Hermitian part counts: 0, and the last of even rows. */
FG_DEVICE void make_hermitian(cplx *tile) {
  constexpr int PLANES = LENGTH % 2 == 0 ? 2 : 1, ALL = FG_BOXES * PLANES * PLANE;
#pragma unroll 1
  for (int first = 0; first < ALL; first += FG_THREADS) {
    int u = first + threadIdx.x;
    spot s;
    if (u >= ALL) break;
    s.box = u % FG_BOXES;
    u /= FG_BOXES;
    const int k = u % PLANES * (HALF - 1);
    u /= PLANES;
#pragma unroll
    for (int d = ROW - 1; d >= 0; d--) {
      s.at[d] = u % size_of(d);
      u /= size_of(d);
    }
    s.at[ROW] = k;
    cplx *const own = element_in(tile, s), *const mirror = element_in(tile, mirrored(s, k));
    if (own > mirror) continue;
    const cplx x = scale(real(0.5), shared_load(own) + conjugate(shared_load(mirror)));
    shared_store(own, x);
    if (own < mirror) shared_store(mirror, conjugate(x));
  }
}

/* So many elements of a thread are under way at a time. */
constexpr int BATCH = sizeof(real) == 4 ? 16 : 8;

FG_DEVICE void load_spectra(const fg_tile_args &a, line_number first, cplx *spectra) {
#pragma unroll
  for (int begin = 0; begin < ELEMENTS; begin += BATCH) {
    cplx x[BATCH];
#pragma unroll
    for (int i = 0; i < BATCH; i++) {
      const spot s = element(begin + i);
      x[i] = {0, 0};
      if (begin + i >= ELEMENTS || !s.exists || !box_exists(a, first + s.box)) continue;
      long long at = place_of(a, first + s.box).in;
#pragma unroll
      for (int d = 0; d < DIMS; d++) at += s.at[d] * in_stride(a, d);
      x[i] = read_point(a, at);
    }
#pragma unroll
    for (int i = 0; i < BATCH; i++) {
      const spot s = element(begin + i);
      if (begin + i < ELEMENTS && s.exists) shared_store(element_in(spectra, s), x[i]);
    }
  }
  __syncthreads();
  make_hermitian(spectra);
  __syncthreads();
}

/* The points of the complex transform that spectra in the tile make: X, or of half rows Z (half.h). */
FG_DEVICE void read_spectra(const fg_tile_args &a, const spot &s, cplx *v, cplx *spectra) {
  using T = stage<0>;
  static_assert(!SPECTRA_IN || T::AXIS != ROW, "the first stage runs along a slow dimension");
  constexpr int N = size_of(T::AXIS), PITCH = element_pitch(T::AXIS);
  if (!s.exists) return;
  const int k = s.at[ROW];
  spot m = mirrored(s, LENGTH / (FG_HALF_ROW ? 2 : 1) - k);
  m.at[T::AXIS] = N - s.b;
  const cplx *const own = element_in(spectra, s), *const mirror = element_in(spectra, m);
  const cplx w = FG_HALF_ROW ? conjugate(half_root(a, k)) : cplx{0, 0};
#pragma unroll
  for (int j = 0; j < T::R; j++) {
    const cplx *const x = own + j * (T::M * PITCH);
    const cplx *const y = mirror - (j == 0 && s.b == 0 ? N * PITCH : j * (T::M * PITCH));
    if (FG_HALF_ROW) {
      const cplx p = shared_load(x), q = conjugate(shared_load(y));
      v[j] = swapped(scaled_plus(2, turned(w, p - q), p + q));
    } else {
      const cplx p = shared_load(2 * k <= LENGTH ? x : y);
      v[j] = swapped(2 * k <= LENGTH ? p : conjugate(p));
    }
  }
}

/* After the last stage there is no skew: points are where their indices say. */
FG_DEVICE cplx point_in(const cplx *tile, const spot &s) { return shared_load(tile + tile_address<LAST, ROW>(s, s.at[ROW])); }

/* An element of the spectrum of the points in the tile: Z, or of half rows X (half.h). */
FG_DEVICE cplx spectrum_element(const fg_tile_args &a, const cplx *tile, spot s) {
  if (!FG_HALF_ROW) return point_in(tile, s);
  const int k = s.at[ROW];
  const cplx mirror = conjugate(point_in(tile, mirrored(s, k ? POINTS_ROW - k : 0)));
  if (k == POINTS_ROW) s.at[ROW] = 0;
  const cplx z = point_in(tile, s);
  return scaled_plus(real(0.5), z + mirror, turned(half_root(a, k), mirror - z));
}

FG_DEVICE void store_spectra(const fg_tile_args &a, line_number first, const cplx *tile) {
#pragma unroll
  for (int i = 0; i < ELEMENTS; i++) {
    const spot s = element(i);
    if (!s.exists || !box_exists(a, first + s.box)) continue;
    const line_place place = place_of(a, first + s.box);
    long long at = place.out;
#pragma unroll
    for (int d = 0; d < DIMS; d++) at += s.at[d] * out_stride(a, d);
    const cplx x = spectrum_element(a, tile, s);
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
  if (S == LAST) let_next_launch();
  if constexpr (S == 0 && CROSSING == 0) cluster_begin();
  if constexpr (S > 0) for_each<S>(v, [&](const spot &at, cplx *x) { exchange_read<S, S - 1>(at, x, tile); });
  else if constexpr (SPECTRA_IN) for_each<S>(v, [&](const spot &at, cplx *x) { read_spectra(a, at, x, spectra_in(tile)); });
  else for_each<S>(v, [&](const spot &at, cplx *x) { load_points(a, first, at, x); });
  for_each<S>(v, [&](const spot &at, cplx *x) { compute<S>(a, at, x); });
  if constexpr (S == CROSSING) {
    cluster_wait();
    for_each<S>(v, [&](const spot &at, cplx *x) { cross<S>(at, x, tile); });
    cluster_arrive();
    cluster_wait();
  } else if constexpr (S < LAST || SPECTRA_OUT) {
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
  if (S == LAST) let_next_launch();
  using T = stage<S>;
#pragma unroll 1
  for (int i = 0; i < T::REPEATS; i++) {
    cplx v[T::R];
    const spot at = T::locate(i);
    if (!at.exists) break;
    if constexpr (S > 0) exchange_read<S, S>(at, v, tile);
    else if constexpr (SPECTRA_IN) read_spectra(a, at, v, spectra_in(tile));
    else load_points(a, first, at, v);
    butterfly<T::R>::apply(v);
    if constexpr (S < LAST || SPECTRA_OUT) exchange_write<S>(at, v, tile);
    else store_points(a, first, at, v);
  }
  if constexpr (S < LAST || SPECTRA_OUT) __syncthreads();
  if constexpr (S < LAST) run_singly<S + 1>(a, first, tile);
}

extern "C" __global__ void FG_IN_CLUSTERS __launch_bounds__(FG_THREADS, FG_BLOCKS_SM) fg_box(const fg_tile_args args) {
  wait_for_last_launch();
  cplx *const tile = static_cast<cplx *>(FG_SHARED_BASE());
  const line_number first = line_number(blockIdx.x) / FG_CLUSTER * FG_BOXES;
  if constexpr (SPECTRA_IN) load_spectra(args, first, spectra_in(tile));
  if constexpr (FG_SINGLY) {
    run_singly<0>(args, first, tile);
  } else {
    cplx v[POINTS];
    run_stages<0>(args, first, v, tile);
  }
  if constexpr (SPECTRA_OUT) store_spectra(args, first, tile);
}
