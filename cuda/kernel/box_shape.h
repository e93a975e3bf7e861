/* box_shape.h: the shape of a box (box.cu): what each stage has, where its points lie in the tile and in memory. */
#ifndef FG_BOX_SHAPE_H
#define FG_BOX_SHAPE_H

#include "args.h"
#include "cluster.h"
#include "line.h"

enum : int { STAGES = FG_STAGES, LAST = STAGES - 1, DIMS = FG_DIMS, ROW = DIMS - 1 };
enum : bool { CUT_ROW = DIMS == 2 && FG_FOUR_STEP };
enum : bool { SPECTRA_IN = FG_FROM_FORM == FG_FORM_HERMITIAN, SPECTRA_OUT = FG_TO_FORM == FG_FORM_HERMITIAN };

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
enum : int { CROSSING = FG_CLUSTER > 1 ? 0 : -1 };
/* And that whose results cross back (box_chirp.h); −1 without a convolution. */
enum : int { RETURNING = FG_CONVOLVE ? LAST - 1 : -1 };
static_assert(FG_CLUSTER == 1 || (FG_BOXES == 1 && !FG_ACROSS && !FG_SINGLY), "a cluster has one whole box");
static_assert(FG_CLUSTER == 1 || DIMS == 3 || FG_FOUR_STEP || !FG_HALF_ROW, "half rows of three dimensions, or cut in two");
static_assert(!FG_STRIP || (FG_CLUSTER > 1 && DIMS == 3), "a strip is in a cluster, and the last of three dimensions");
static_assert(!FG_FOUR_STEP || FG_CLUSTER > 1, "what is cut in two is in a cluster");
static_assert(FG_CLUSTER == 1 || FG_HALF_ROW || (!SPECTRA_IN && !SPECTRA_OUT), "of complex points, or half rows");
static_assert(FG_CLUSTER == 1 || (axis_of(0) == 0 && radix_of(0) == size_of(0)), "and begins with the slowest dimension");

/* The dimension that the blocks of a cluster share out in stage s: by its places, which are its indices.  Where spectra are
 * put together or taken apart an index and its negative are the same block's, at places 2i and 2i + 1; 0 has n/2 beside it,
 * which is its own negative too, or of odd n nothing. */
FG_CONSTANT int shared_in(int s) { return s <= CROSSING || (FG_CONVOLVE && s > RETURNING) ? 1 : 0; }
FG_CONSTANT bool in_pairs(int d) { return FG_CLUSTER > 1 && (d == 0 ? SPECTRA_OUT : SPECTRA_IN && d == 1); }
FG_CONSTANT int places_of(int d) { return in_pairs(d) ? (size_of(d) + 1) / 2 * 2 : size_of(d); }
FG_CONSTANT int index_at(int d, int place) {
  if (!in_pairs(d)) return place;
  const int i = place / 2;
  return place % 2 == 0 ? i : i ? size_of(d) - i : size_of(d) / 2;
}
FG_CONSTANT bool has_index_at(int d, int place) {
  return place < places_of(d) && !(in_pairs(d) && size_of(d) % 2 && place == 1);
}
FG_CONSTANT int place_of_index(int d, int k) {
  if (!in_pairs(d)) return k;
  return 2 * k == size_of(d) ? 1 : 2 * k < size_of(d) ? 2 * k : 2 * (size_of(d) - k) + 1;
}

/* The most places that a block has of such a dimension; of any dimension in stage s, and of the box. */
FG_CONSTANT int part_of(int d) {
  const int together = in_pairs(d) ? 2 : 1;
  return (places_of(d) / together + FG_CLUSTER - 1) / FG_CLUSTER * together;
}
FG_CONSTANT int size_in(int s, int d) { return FG_CLUSTER > 1 && d == shared_in(s) ? part_of(d) : size_of(d); }
FG_CONSTANT int total_in(int s) {
  int n = 1;
  for (int d = 0; d < DIMS; d++) n *= size_in(s, d);
  return n;
}
/* The first place along that dimension that this block has. */
FG_DEVICE int first_in(int s) { return FG_CLUSTER > 1 ? cluster_rank() * part_of(shared_in(s)) : 0; }

/* Indices along that dimension of which this block has its part. */
FG_DEVICE int own_indices(int d) {
  const int first = cluster_rank() * part_of(d), rest = places_of(d) - first;
  const int part = rest < part_of(d) ? rest > 0 ? rest : 0 : part_of(d), missing = first == 0 && in_pairs(d) && size_of(d) % 2;
  return part - missing;
}
/* What stays in a block it stores as in any exchange: sent to itself, it would take as long as what goes to others.  Of more
 * blocks that is so little that one more barrier, the choice and its registers, of which factors take many, cost as much.
 * (19 passes on an H200, one of them of ten blocks, doc/measurements.md.) */
enum : bool { KEEPS_OWN = FG_CLUSTER <= (FG_FOUR_STEP ? 8 : 10) };

/* The points that are sent to it, all of its part of dimension d from all parts of the other that is shared out; behind the
 * tile is where they are counted. */
FG_DEVICE int points_to_come(int d = 0) {
  const int kept = KEEPS_OWN ? own_indices(1 - d) : 0;
  return own_indices(d) * (size_of(1 - d) - kept) * (FG_TOTAL / (size_of(0) * size_of(1)));
}
FG_DEVICE arrivals *arrivals_of(cplx *tile) { return reinterpret_cast<arrivals *>(tile + FG_BOX_POINTS); }

/* Radices before stage s along its own dimension, on the way back those behind which it began again. */
FG_CONSTANT int product_before(int s) {
  int p = 1;
  for (int i = 0; i < s; i++)
    if (axis_of(i) == axis_of(s)) p *= radix_of(i);
  return FG_CONVOLVE && p >= size_of(axis_of(s)) ? p / size_of(axis_of(s)) : p;
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
  int p = (d == ROW ? 1 : FG_CONVOLVE && s == RETURNING ? part_of(ROW) : FG_PITCH) * (FG_ACROSS ? FG_BOXES : 1);
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
enum : int { POINTS = points_a_thread() };

/* One butterfly: b-th along its dimension; at[d] the coordinates in the others, along the one that a cluster shares out
 * the place from the first that the block has. */
struct spot {
  int box, at[DIMS], b;
  bool exists;
};

/* The index along that one. */
FG_DEVICE int shared_index(int s, const spot &at) { return index_at(shared_in(s), first_in(s) + at.at[shared_in(s)]); }

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
  enum : int { R = radix_of(S), AXIS = axis_of(S), P = product_before(S) };
  enum : int { M = size_of(AXIS) / R, EACH = total_in(S) / R, ALL = FG_BOXES * EACH };
  enum : int { REPEATS = (ALL + FG_THREADS - 1) / FG_THREADS };

  /* A row's results are neighbours along the first dimension. */
  enum : int { ALONG = CUT_ROW && !FG_CONVOLVE && S == LAST ? 0 : ROW };

  /* Of a strip that is loaded by rows so many of one are next to each other, a sector, before the next row: what is sent then
   * lies in runs, too. */
  enum : int { TOGETHER = S == 0 && FG_LOAD_ROWS ? 32 / int(sizeof(cplx)) : 1 };
  static_assert(TOGETHER == 1 || size_in(S, 1) % TOGETHER == 0, "shares are whole sectors");

  /* The i-th butterfly of this thread: neighbours along the rows first, whatever dimension the stage is along. */
  FG_DEVICE spot locate(int i) {
    spot s;
    number u = {threadIdx.x, FG_THREADS};
    s.exists = (i + 1) * FG_THREADS <= ALL || value_of(u, i) < ALL;
    if (FG_ACROSS) s.box = next_digit(u, i, FG_BOXES);
    const int together = next_digit(u, i, TOGETHER);
    s.at[ALONG] = next_digit(u, i, ALONG == AXIS ? M : size_in(S, ALONG));
#pragma unroll
    for (int d = ROW; d >= 0; d--)
      if (d != ALONG) s.at[d] = next_digit(u, i, (d == AXIS ? M : size_in(S, d)) / (d == 1 ? TOGETHER : 1));
    if (TOGETHER > 1) s.at[1] = s.at[1] * TOGETHER + together;
    if (!FG_ACROSS) s.box = FG_BOXES > 1 ? value_of(u, i) : 0;
    constexpr int D = shared_in(S);
    if (FG_CLUSTER > 1 && FG_CLUSTER * part_of(D) > size_of(D)) /* some have less */
      s.exists = s.exists && has_index_at(D, first_in(S) + s.at[D]);
    s.b = s.at[AXIS];
    return s;
  }
};

/* The last block may have room for more; none is without a box. */
FG_DEVICE bool box_exists(const fg_tile_args &a, line_number box) {
  return FG_BOXES == 1 || box < line_number(a.lines);
}

/* The last of neighbouring strips, those of the innermost loop, may have fewer columns. */
FG_DEVICE bool column_exists(const fg_tile_args &a, line_number strip, const spot &s) {
  if (FG_STRIP_REST == 0) return true;
  const line_number in_row = FG_LOOPS > 1 ? strip - divided(a, strip, 0) * line_number(a.loop[0].n) : strip;
  return in_row + 1 < line_number(a.loop[0].n) || s.at[ROW] < FG_STRIP_REST;
}

/* Where all butterflies of a thread are of one box, its place is worked out once. */
enum : bool { HAS_ONE_BOX = FG_BOXES == 1 || (FG_ACROSS && FG_THREADS % FG_BOXES == 0) };
FG_DEVICE line_place own_place(const fg_tile_args &a, line_number first) {
  return place_of(a, HAS_ONE_BOX && FG_ACROSS ? first + threadIdx.x % FG_BOXES : first);
}
FG_DEVICE line_place place_of_box(const fg_tile_args &a, line_number first, const spot &s, const line_place &own) {
  return HAS_ONE_BOX ? own : place_of(a, first + s.box);
}

/* Address in the exchange after stage E of a spot whose coordinate along AXIS is k instead. */
template <int E, int AXIS> FG_DEVICE int tile_address(const spot &s, int k) {
  constexpr int GROUP = group_of(E); /* of many stages nothing else makes a constant of it */
  int address = s.box * (FG_ACROSS ? 1 : FG_BOX_POINTS);
#pragma unroll
  for (int d = 0; d < DIMS; d++) {
    const int at = d == AXIS ? k : s.at[d];
    address += (skewed(E) && d == axis_of(E) ? at + at / GROUP : at) * pitch_of(E, d);
  }
  return address;
}

/* Stride along dimension d in global memory: a constant, which is part of an instruction then, where rows are PITCH elements
 * apart and planes as many rows as there are. */
template <long long PITCH> FG_CONSTANT long long constant_stride(int d) {
  long long stride = d == ROW ? 1 : PITCH;
  for (int i = d + 1; i < ROW; i++) stride *= size_of(i);
  return stride;
}
FG_DEVICE long long in_stride(const fg_tile_args &a, int d) {
  if (FG_IN_PITCH) return constant_stride<FG_IN_PITCH>(d);
  return d == ROW && FG_IN_UNIT ? 1 : a.box_in[d];
}
FG_DEVICE long long out_stride(const fg_tile_args &a, int d) {
  if (CUT_ROW) return d == ROW ? size_of(0) : 1;
  if (FG_OUT_PITCH) return constant_stride<FG_OUT_PITCH>(d);
  return d == ROW && FG_OUT_UNIT ? 1 : a.box_out[d];
}

/* The same from point to point, where one may be two real elements. */
FG_DEVICE long long in_step(const fg_tile_args &a, int d) {
  return (FG_HALF_ROW && SPECTRA_OUT && d == ROW ? 2 : 1) * in_stride(a, d);
}
FG_DEVICE long long out_step(const fg_tile_args &a, int d) {
  return (FG_HALF_ROW && SPECTRA_IN && (d == ROW || CUT_ROW) ? 2 : 1) * out_stride(a, d);
}

#endif
