/* mirror.h: Hermitian spectra between memory and registers, each element fetched or stored once.
 *
 * Positions k and n − k of a line are one element of memory (of two rows, with FG_PAIRS).  In its first stage (FG_MIRROR
 * 1: spectra are loaded) or its last (2: they are stored) a line has M butterflies; point j of butterfly b is position
 * b + jM, whose mirror is point R − 1 − j of butterfly M − b.  So a thread that has both has all that belongs together
 * (stage.h deals them out so); butterflies 0 and M/2, their own mirrors, are one thread's, too:
 *
 *   0: j and R − j;   M/2: j and R − 1 − j;   0 and, n even, n/2 alone.
 *
 * Two rows share a line as z = x₁ + i·x₂:
 *   loaded:  Z[k] = X₁[k] + i·X₂[k],  Z[n − k] = conj X₁[k] + i·conj X₂[k]
 *   stored:  X₁[k] = (Z[k] + conj Z[n − k])/2,  X₂[k] = (Z[k] − conj Z[n − k])/2i
 *
 * A row that does not exist is replaced by one that does: no branch around a load. */
#ifndef FG_MIRROR_H
#define FG_MIRROR_H

#include "points.h"

static_assert((FG_MIRROR != 1 || FG_LOAD_WHOLE) && (FG_MIRROR != 2 || FG_STORE_WHOLE), "the line is the whole transform");

enum : int { SHARING = FG_PAIRS ? 2 : 1 };

/* The elements that a thread has of one row: u + jM, then m + jM, and n/2. */
template <class T> struct elements_of {
  enum : int { LOW = (T::R + 1) / 2, HIGH = T::TOGETHER == 2 ? T::R / 2 : 0 };
  cplx low[LOW], high[HIGH ? HIGH : 1], middle;
};

/* The points of its butterflies by the lower of two mirrored positions: u + jM, m + jM, each with its mirror, and the
 * one that is its own mirror. */
template <class T> struct mirrored_points {
  enum : int { LOW = elements_of<T>::LOW, HIGH = elements_of<T>::HIGH };
  cplx low[LOW], low_mirror[LOW], high[HIGH ? HIGH : 1], high_mirror[HIGH ? HIGH : 1], middle;
};

FG_DEVICE cplx joined(cplx x, cplx y) { return FG_PAIRS ? cplx{x.x - y.y, x.y + y.x} : x; }
FG_DEVICE cplx joined_mirror(cplx x, cplx y) { return FG_PAIRS ? cplx{x.x + y.y, y.x - x.y} : conjugate(x); }
FG_DEVICE cplx as_loaded(cplx v) { return FG_BACKWARD ? swapped(v) : v; }
FG_DEVICE cplx chosen(bool first, cplx a, cplx b) { return {first ? a.x : b.x, first ? a.y : b.y}; }

FG_DEVICE int existing_row(const pass_state &s, int line, int second) {
  const line_number rows = end_of_rows(s.args) - s.first;
  const int row = line_number(line) < rows ? line : int(rows) - 1;
  return second && line_number(line + WHOLE) < rows ? line + WHOLE : row;
}

template <class T>
FG_DEVICE void fetch_elements(const pass_state &s, int row, long long u, long long m, elements_of<T> &x) {
  const long long base = place(s, row).in;
#pragma unroll
  for (int j = 0; j < x.LOW; j++) x.low[j] = fetch_spectrum(s.args, base, u + j * T::M, j == 0);
#pragma unroll
  for (int j = 0; j < x.HIGH; j++) x.high[j] = fetch_spectrum(s.args, base, m + j * T::M, false);
  x.middle = {0, 0};
  if (FG_N % 2 == 0 && u == 0) x.middle = fetch_spectrum(s.args, base, FG_N / 2, false);
}

template <class T> FG_DEVICE void turn_elements(const pass_state &s, long long u, long long m, elements_of<T> &x) {
#pragma unroll
  for (int j = 0; j < x.LOW; j++) x.low[j] = spectrum_point(s.args, u + j * T::M, x.low[j], j == 0 && u == 0);
#pragma unroll
  for (int j = 0; j < x.HIGH; j++) x.high[j] = spectrum_point(s.args, m + j * T::M, x.high[j], false);
  x.middle = spectrum_point(s.args, FG_N / 2, x.middle, true);
}

template <class T>
FG_DEVICE void join_rows(const elements_of<T> &x, const elements_of<T> &y, mirrored_points<T> &z) {
#pragma unroll
  for (int j = 0; j < x.LOW; j++) {
    z.low[j] = joined(x.low[j], y.low[j]);
    z.low_mirror[j] = joined_mirror(x.low[j], y.low[j]);
  }
#pragma unroll
  for (int j = 0; j < x.HIGH; j++) {
    z.high[j] = joined(x.high[j], y.high[j]);
    z.high_mirror[j] = joined_mirror(x.high[j], y.high[j]);
  }
  z.middle = joined(x.middle, y.middle);
}

/* Of one thread's two butterflies (or one, if a line has no more): v and, behind it, w. */
template <class T> FG_DEVICE void deal_out(bool first, const mirrored_points<T> &x, cplx *v) {
  constexpr int R = T::R;
  cplx *const w = v + R;
#pragma unroll
  for (int j = 0; j < R; j++) {
    const int own = R - j, other = R - 1 - j; /* mirrors of point j if first, and if not */
    if (j < x.LOW) {
      v[j] = as_loaded(x.low[j]);
    } else {
      const cplx a = own < x.LOW ? x.low_mirror[own] : x.middle;
      v[j] = as_loaded(T::TOGETHER == 1 ? a : chosen(first, a, x.high_mirror[other]));
    }
    if (T::TOGETHER == 1) continue;
    if (j < x.HIGH) {
      w[j] = as_loaded(x.high[j]);
    } else {
      const cplx a = other < x.HIGH ? x.high_mirror[other] : x.middle;
      w[j] = as_loaded(chosen(first, a, x.low_mirror[other]));
    }
  }
}

FG_DEVICE void load_mirrored(const pass_state &s, cplx *v) {
  using T = stage<0>;
#pragma unroll
  for (int i = 0; i < T::REPEATS; i += T::TOGETHER) {
    const spot at = T::locate(i);
    const int u = at.exists ? at.b : 0, m = u ? T::M - u : T::M / 2, line = at.exists ? at.line : 0;
    elements_of<T> x, y;
    mirrored_points<T> z;
    fetch_elements<T>(s, existing_row(s, line, 0), u, m, x);
    if (FG_PAIRS) fetch_elements<T>(s, existing_row(s, line, 1), u, m, y);
    turn_elements<T>(s, u, m, x);
    if (FG_PAIRS) turn_elements<T>(s, u, m, y);
    join_rows<T>(x, y, z);
    deal_out<T>(u == 0, z, v + i * T::R);
  }
}

/* One result, z, and its mirror's make an element of a row. */
FG_DEVICE cplx taken_apart(cplx z, cplx mirror, int second) {
  const real half = real(0.5);
  if (second) return {half * (z.y + mirror.y), half * (mirror.x - z.x)};
  return {half * (z.x + mirror.x), half * (z.y - mirror.y)};
}

FG_DEVICE void store_element(const pass_state &s, const line_place &p, long long k, cplx v, bool edge) {
  if (FG_TWIDDLE) v = twiddled(s.args, p.twiddle, int(k), v);
  store_spectrum(s.args, p.out, k, v, edge);
}

/* store(k, result, its mirror's, it is the first) for each lower position k of a thread's butterflies u and, behind it, the
 * mirror. */
template <class T, class F> FG_DEVICE void for_mirrored(int u, const cplx *v, F store) {
  using E = elements_of<T>;
  constexpr int R = T::R;
  const cplx *const w = v + R;
  const bool first = u == 0;
  const long long low = u, high = first ? T::M / 2 : T::M - u;
#pragma unroll
  for (int j = 0; j < E::LOW; j++) {
    const cplx own = v[j ? R - j : 0], mirror = T::TOGETHER == 1 ? own : chosen(first, own, w[R - 1 - j]);
    store(low + j * T::M, v[j], mirror, first && j == 0);
  }
  if (T::M % 2 == 0 || !first) {
#pragma unroll
    for (int j = 0; j < E::HIGH; j++) store(high + j * T::M, w[j], chosen(first, w[R - 1 - j], v[R - 1 - j]), false);
  }
}

/* Of butterfly 0 and its mate the one that is its own mirror; FG_N even. */
template <class T> FG_DEVICE cplx middle_of(const cplx *v) { return v[T::R % 2 == 0 ? T::R / 2 : T::R + T::R / 2]; }

FG_DEVICE void store_mirrored(const pass_state &s, const cplx *v) {
  using T = stage<LAST>;
#pragma unroll
  for (int i = 0; i < T::REPEATS; i += T::TOGETHER) {
    const spot at = T::locate(i);
    if (!at.exists) continue;
#pragma unroll
    for (int second = 0; second < 2; second++) {
      const int row = at.line + second * WHOLE;
      if (!row_exists(s, row)) continue;
      const line_place p = place(s, row);
      for_mirrored<T>(at.b, v + i * T::R, [&](long long k, cplx z, cplx mirror, bool edge) {
        store_element(s, p, k, taken_apart(z, mirror, second), edge);
      });
      if constexpr (FG_N % 2 == 0) {
        const cplx middle = middle_of<T>(v + i * T::R);
        if (at.b == 0) store_element(s, p, FG_N / 2, taken_apart(middle, middle, second), true);
      }
    }
  }
}

#endif
