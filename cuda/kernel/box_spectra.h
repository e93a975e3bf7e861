/* box_spectra.h: half spectra of boxes (box.cu) between memory and the tile.
 *
 * Spectra lie in the tile as they do in memory, and are put together on the way from there into the first stage; those that
 * go are taken apart on the way from the tile, where the last stage has left points.  The mirror of an index is its negative
 * in every dimension. */
#ifndef FG_BOX_SPECTRA_H
#define FG_BOX_SPECTRA_H

#include "box_shape.h"
#include "element.h"
#include "half.h"
#include "line.h"
#include "twiddle.h"

enum : int { POINTS_ROW = size_of(ROW), LENGTH = FG_HALF_ROW ? 2 * POINTS_ROW : POINTS_ROW }; /* of a row in real numbers */
enum : int { HALF = LENGTH / 2 + 1 }; /* of a row's spectrum is in memory */
enum : int { PLANE = FG_TOTAL / POINTS_ROW, HALF_TOTAL = PLANE * HALF };

enum : int { SPECTRA = FG_BOXES * HALF_TOTAL };

/* From one element of a thread to its next.  Half rows: whole rows, so that all of them are of one column, which has one
 * factor and one place in each row; as many rows as whole sectors have, or one, unless too many threads had nothing to do. */
enum : int { SIDE = HALF * (FG_ACROSS ? FG_BOXES : 1) };
FG_CONSTANT int whole_rows(int rows) {
  const int step = FG_THREADS / (rows * SIDE) * (rows * SIDE);
  return FG_HALF_ROW && 4 * step >= 3 * FG_THREADS ? step : 0;
}
enum : int { BY_SECTORS = whole_rows(32 / sizeof(out_memory::pair)), BY_ROWS = whole_rows(1) };
enum : int { STEP = BY_SECTORS ? BY_SECTORS : BY_ROWS ? BY_ROWS : FG_THREADS };

/* Across, a thread's elements are of one box where its steps are whole rounds of them. */
FG_DEVICE line_place place_of_element(const fg_tile_args &a, line_number first, const spot &s, const line_place &own) {
  return STEP % FG_BOXES == 0 ? place_of_box(a, first, s, own) : place_of(a, first + s.box);
}

FG_DEVICE bool moves_spectra() { return STEP == FG_THREADS || threadIdx.x < STEP; }

/* Of a thread, of all that exist. */
FG_CONSTANT int elements(int step) { return (SPECTRA + step - 1) / step; }

/* The i-th of a thread that moves any, along the rows first. */
FG_DEVICE spot element(int i) {
  spot s;
  number u = {threadIdx.x, STEP};
  s.exists = (i + 1) * STEP <= SPECTRA || value_of(u, i) < SPECTRA;
  if (FG_ACROSS) s.box = next_digit(u, i, FG_BOXES);
#pragma unroll
  for (int d = ROW; d >= 0; d--) s.at[d] = next_digit(u, i, d == ROW ? HALF : size_of(d));
  if (!FG_ACROSS) s.box = FG_BOXES > 1 ? value_of(u, i) : 0;
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
enum : int { BATCH = sizeof(real) == 4 ? 16 : 8 };

/* The elements of a thread, a batch at a time: load(i) of all of them, then keep(i, what came). */
template <int COUNT, class F, class G> FG_DEVICE void in_batches(F load, G keep) {
#pragma unroll
  for (int begin = 0; begin < COUNT; begin += BATCH) {
    cplx x[BATCH];
#pragma unroll
    for (int i = 0; i < BATCH; i++) x[i] = begin + i < COUNT ? load(begin + i) : cplx{0, 0};
#pragma unroll
    for (int i = 0; i < BATCH; i++)
      if (begin + i < COUNT) keep(begin + i, x[i]);
  }
}

/* Elements that the block's boxes have, of all that it has room for. */
FG_DEVICE int existing_elements(const fg_tile_args &a, line_number first) {
  const line_number left = line_number(a.lines) - first;
  return FG_BOXES == 1 || left >= FG_BOXES ? SPECTRA : int(left) * HALF_TOTAL;
}

FG_DEVICE void load_spectra(const fg_tile_args &a, line_number first, cplx *spectra) {
  if constexpr (FG_IN_DENSE) { /* as in the tile: one run of elements */
    const int all = existing_elements(a, first);
    const long long at = place_of(a, first).in + threadIdx.x;
    in_batches<elements(FG_THREADS)>(
        [&](int i) {
          const bool exists = int(threadIdx.x) + i * FG_THREADS < all;
          return exists ? read_point(a, at + i * FG_THREADS) : cplx{0, 0};
        },
        [&](int i, cplx x) {
          const int u = threadIdx.x + i * FG_THREADS;
          if ((i + 1) * FG_THREADS <= SPECTRA || u < SPECTRA) shared_store(spectra + u, x);
        });
  } else if (moves_spectra()) {
    const line_place own = own_place(a, first);
    in_batches<elements(STEP)>(
        [&](int i) {
          const spot s = element(i);
          if (!s.exists || !box_exists(a, first + s.box)) return cplx{0, 0};
          long long at = place_of_element(a, first, s, own).in;
#pragma unroll
          for (int d = 0; d < DIMS; d++) at += s.at[d] * in_stride(a, d);
          return read_point(a, at);
        },
        [&](int i, cplx x) {
          const spot s = element(i);
          if (s.exists) shared_store(element_in(spectra, s), x);
        });
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

/* And rows are one pitch apart.  The row of the negative indices: of row r₀·n₁ + r₁ that is PLANE − row, and n₁ more if r₁
 * is not 0, modulo PLANE. */
FG_DEVICE int mirrored_row(int row) {
  int mirror = PLANE - row;
  if (DIMS == 3) mirror += row % size_of(ROW - 1) ? size_of(ROW - 1) : 0;
  return mirror >= PLANE ? mirror - PLANE : mirror;
}

/* Two points of this thread's i-th element, which is at s: number own of its row and number other of the mirror's. */
struct two_points {
  cplx own, mirror;
};
FG_DEVICE two_points points_of(const cplx *tile, spot s, int i, int own, int other) {
  static_assert(!SPECTRA_OUT || !skewed(LAST), "rows are one pitch apart");
  if constexpr (!FG_ACROSS && STEP % HALF == 0) { /* row by row: one address of each thread, and constants */
    const int number = int(threadIdx.x) / HALF + i * (STEP / HALF), box = FG_BOXES > 1 ? number / PLANE : 0;
    const int gaps = box * (FG_BOX_POINTS - PLANE * FG_PITCH), before = box * PLANE;
    const cplx *const x = tile + gaps + own + number * FG_PITCH;
    const cplx *const y = tile + gaps + other + (before + mirrored_row(number - before)) * FG_PITCH;
    return {shared_load(x), shared_load(y)};
  }
  const cplx mirror = point_in(tile, mirrored(s, other));
  s.at[ROW] = own;
  return {point_in(tile, s), mirror};
}

/* That element of the spectrum of the points in the tile: Z, or of half rows X (half.h). */
FG_DEVICE cplx spectrum_element(const fg_tile_args &a, const cplx *tile, const spot &s, int i) {
  if (!FG_HALF_ROW) return point_in(tile, s);
  const int k = s.at[ROW];
  const two_points z = points_of(tile, s, i, k == POINTS_ROW ? 0 : k, k ? POINTS_ROW - k : 0);
  const cplx mirror = conjugate(z.mirror);
  return scaled_plus(real(0.5), z.own + mirror, turned(half_root(a, k), mirror - z.own));
}

FG_DEVICE void store_spectra(const fg_tile_args &a, line_number first, const cplx *tile) {
  if (!moves_spectra()) return;
  const int all = existing_elements(a, first);
  const line_place own = own_place(a, first);
  const long long begin = place_of(a, first).out + threadIdx.x;
#pragma unroll
  for (int i = 0; i < elements(STEP); i++) {
    const spot s = element(i);
    if (FG_OUT_DENSE) {
      if (((i + 1) * STEP > SPECTRA || FG_BOXES > 1) && int(threadIdx.x) + i * STEP >= all) break;
      write_point(a, begin + i * STEP, spectrum_element(a, tile, s, i));
      continue;
    }
    if (!s.exists || !box_exists(a, first + s.box)) continue;
    const line_place place = place_of_element(a, first, s, own);
    long long at = place.out;
#pragma unroll
    for (int d = 0; d < DIMS; d++) at += s.at[d] * out_stride(a, d);
    const cplx x = spectrum_element(a, tile, s, i);
    write_point(a, at, FG_TWIDDLE ? twiddled(a, place.twiddle, s.at[0], x) : x);
  }
}

#endif
