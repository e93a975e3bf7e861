/* mirrored_sums.h: rows that are an even extension (REDFT00) or an odd one (RODFT00) of m·p elements, m even, p a prime,
 * as sums of products (FG_SUMS 2).
 *
 * Both are coprime, so that the row is m parts of p points (Good 1958).  Of the elements of an even extension y, −a of −j is a
 * of j; once transformed across the parts, z[a, −j] = conj z[a, j], and with T = (p − 1)/2
 *
 *   Y[a, ±k] = Re z[a, 0] + 2 Σ_j (Re z[a, j] · cos(2πjk/p) ± Im z[a, j] · sin(2πjk/p)),   1 ≤ j ≤ T, 0 ≤ k ≤ T
 *
 * which is real, and Y[a, −k] = Y[−a, k].  Parts 0 and m/2 are real before, too: they are one line of such numbers, with cosines
 * only.  An odd extension's results are imaginary: the same with −i·z for z, and Y[a, −k] = −Y[−a, k]; parts 0 and m/2 have sines
 * only.  So T² products of reals for each part, a quarter of those of complex lines (sums.h), and the tile has as many numbers as
 * the row.  They round as those of stock FFTW do, which adds up, too.
 *
 * A thread has WIDE neighbouring k of TOGETHER lines: what it loads of a line serves for all of the former, and factors, which
 * are a table of rows of k, for all of the latter. */
#ifndef FG_MIRRORED_SUMS_H
#define FG_MIRRORED_SUMS_H

#include "placed_rows.h"
#include "through.h"

namespace mirrored_sums {

enum : bool { EVEN = FG_FROM_FORM == FG_FORM_REDFT00 };
static_assert(symmetric(FG_FROM_FORM) && FG_TO_FORM == FG_FROM_FORM && FG_LOAD_WHOLE && FG_STORE_WHOLE, "whole extensions");
static_assert(!FG_BACKWARD && !FG_TWIDDLE && !FG_LOAD_TABLE && !FG_STORE_TABLE && !FG_PAIRS && !FG_HALF_ROW, "and nothing else");
static_assert(FG_PARTS % 2 == 0 && FG_DATA == FROM_LENGTH && FG_DATA == FG_PARTS * PRIME, "points mirror each other within a row");

enum : int { TERMS = (PRIME - 1) / 2, POINTS_OF_LINE = TERMS + 1, LINES_OF_ROW = FG_PARTS / 2 };
enum : int { ROW = (LINES_OF_ROW * POINTS_OF_LINE) | 1 }; /* pitch */
enum : int { WIDE = 4, TOGETHER = sizeof(real) == 4 ? 4 : 2 };
enum : int { GROUPS_OF_K = (POINTS_OF_LINE + WIDE - 1) / WIDE };
enum : int { OF_REALS = (WHOLE + TOGETHER - 1) / TOGETHER }; /* groups of lines: of parts 0 and m/2, and of the others */
enum : int { OF_OTHERS = (WHOLE * (LINES_OF_ROW - 1) + TOGETHER - 1) / TOGETHER };
enum : int { SHARES = (OF_REALS + OF_OTHERS) * GROUPS_OF_K };
enum : int { RUN = 16 }; /* terms one after the other; their sums are added, which rounds less */
static_assert(SHARES <= FG_THREADS, "a thread has one share, whose results are stored over its points");
static_assert(FG_TILE_POINTS == WHOLE * ROW && FG_SUMS_FACTORS == GROUPS_OF_K * WIDE, "as geometry_sums.c has them");

typedef four_reals factors;
static_assert(sizeof(factors) == WIDE * sizeof(real), "one for each k");

/* ---- rows ---- */

/* Elements of memory: those of an odd extension that are 0 are left out. */
enum : int { ELEMENTS = FROM_ROW };

/* Where element e is in its row of the tile when it is loaded, or stored, counted in reals; ~ that where it is the negative. */
FG_DEVICE const int *places_of(const pass_state &s, bool stored) { return s.args.order + (stored ? ELEMENTS : 0); }
FG_DEVICE real *number_at(const pass_state &s, int row, int place) {
  return reinterpret_cast<real *>(s.tile + row * ROW) + (EVEN ? place : without_sign(place));
}
FG_DEVICE real signed_number(int place, real x) { return !EVEN && place < 0 ? -x : x; }

FG_DEVICE void load(const pass_state &s) {
  bring_placed<ELEMENTS>(s, places_of(s, false), [&](int row, int to, real x) {
    shared_store(number_at(s, row, to), signed_number(to, x));
  });
}

FG_DEVICE void store(const pass_state &s) {
  take_placed<ELEMENTS>(s, places_of(s, true), [&](int row, int from) {
    const real x = signed_number(from, shared_load(number_at(s, row, from)));
    return EVEN ? x : -x;
  });
}

/* Of parts a and a + m/2, which is −(m/2 − a).  Points 0 are mirrors of each other, of which those of parts up to m/2 were loaded;
 * of an odd row those of parts 0 and m/2 are 0. */
FG_DEVICE cplx points_zero(const cplx *first, int a) {
  const auto number = [&](int part) {
    return shared_load(reinterpret_cast<const real *>(first + part % LINES_OF_ROW * POINTS_OF_LINE) + part / LINES_OF_ROW);
  };
  if (a == 0) return EVEN ? cplx{number(0), number(LINES_OF_ROW)} : cplx{0, 0};
  const real mirror = number(LINES_OF_ROW - a);
  return {number(a), EVEN ? mirror : -mirror};
}

/* Across the parts, in place. */
FG_DEVICE void transform_across(const pass_state &s) {
#pragma unroll 1
  for (int u = threadIdx.x; u < WHOLE * POINTS_OF_LINE; u += FG_THREADS) {
    const int point = u % POINTS_OF_LINE;
    cplx *const first = s.tile + u / POINTS_OF_LINE * ROW + point;
    cplx v[FG_PARTS];
#pragma unroll
    for (int a = 0; a < LINES_OF_ROW; a++) {
      const cplx both = point == 0 ? points_zero(first, a) : shared_load(first + a * POINTS_OF_LINE);
      v[a] = {both.x, 0};
      v[a + LINES_OF_ROW] = {both.y, 0};
    }
    butterfly<FG_PARTS>::apply(v);
    const real x = v[0].x, y = v[LINES_OF_ROW].x;
    shared_store(first, EVEN ? cplx{x, y} : cplx{-x, -y});
#pragma unroll
    for (int a = 1; a < LINES_OF_ROW; a++)
      shared_store(first + a * POINTS_OF_LINE, EVEN ? v[a] : quarter(v[a]));
  }
}

/* ---- sums ---- */

/* The l-th line of a group; the last one stands in for those that do not exist. */
struct line_of_group {
  int row, part;
  bool exists;
};
FG_DEVICE line_of_group line_of(int group, int l) {
  constexpr int OTHERS = LINES_OF_ROW > 1 ? LINES_OF_ROW - 1 : 1;
  if (group < OF_REALS) {
    const int row = group * TOGETHER + l;
    return {row < WHOLE ? row : WHOLE - 1, 0, row < WHOLE};
  }
  const int line = (group - OF_REALS) * TOGETHER + l;
  const bool exists = line < WHOLE * OTHERS;
  return {exists ? line / OTHERS : WHOLE - 1, 1 + (exists ? line % OTHERS : 0), exists};
}

/* Of each line the sums of real parts by the one factor, and of imaginary ones by the other. */
struct sums {
  real re[TOGETHER][WIDE], im[TOGETHER][WIDE];
};

template <int TERMS_HERE>
FG_DEVICE void add_run(const cplx *const *x, int j, const factors *by_re, const factors *by_im, sums &all) {
  sums run;
#pragma unroll
  for (int i = 0; i < TERMS_HERE; i++) {
    const factors c = table_load(by_re + i * GROUPS_OF_K), d = FG_PARTS == 2 ? c : table_load(by_im + i * GROUPS_OF_K);
#pragma unroll
    for (int l = 0; l < TOGETHER; l++) {
      const cplx v = shared_load(x[l] + j + i);
#pragma unroll
      for (int w = 0; w < WIDE; w++) {
        run.re[l][w] = i ? run.re[l][w] + c.of[w] * v.x : c.of[w] * v.x;
        run.im[l][w] = i ? run.im[l][w] + d.of[w] * v.y : d.of[w] * v.y;
      }
    }
  }
#pragma unroll
  for (int l = 0; l < TOGETHER; l++) {
#pragma unroll
    for (int w = 0; w < WIDE; w++) {
      all.re[l][w] += run.re[l][w];
      all.im[l][w] += run.im[l][w];
    }
  }
}

/* The table has cosines, one row of k for each j, then sines. */
FG_DEVICE void add_up(const pass_state &s, int group, int k, sums &all) {
  constexpr int MATRIX = TERMS * GROUPS_OF_K;
  const factors *const cosines = static_cast<const factors *>(s.args.filter) + k, *const sines = cosines + MATRIX;
  const bool reals = FG_PARTS == 2 || group < OF_REALS;
  const factors *by_re = reals && !EVEN ? sines : cosines, *by_im = reals && EVEN ? cosines : sines;
  const cplx *x[TOGETHER];
#pragma unroll
  for (int l = 0; l < TOGETHER; l++) {
    const line_of_group line = line_of(group, l);
    x[l] = s.tile + line.row * ROW + line.part * POINTS_OF_LINE;
#pragma unroll
    for (int w = 0; w < WIDE; w++) all.re[l][w] = all.im[l][w] = 0;
  }
  int j = 1;
#pragma unroll 1
  for (; j + RUN <= TERMS + 1; j += RUN) {
    add_run<RUN>(x, j, by_re, by_im, all);
    by_re += RUN * GROUPS_OF_K;
    by_im += RUN * GROUPS_OF_K;
  }
  if constexpr (TERMS % RUN > 0) add_run<TERMS % RUN>(x, j, by_re, by_im, all);
#pragma unroll
  for (int l = 0; l < TOGETHER; l++) { /* the sums become results */
    const cplx zero = EVEN || !reals ? shared_load(x[l]) : cplx{0, 0};
#pragma unroll
    for (int w = 0; w < WIDE; w++) {
      const real re = all.re[l][w], im = all.im[l][w];
      all.re[l][w] = zero.x + 2 * (reals ? re : re + im);
      all.im[l][w] = reals ? zero.y + 2 * im : zero.x + 2 * (re - im);
    }
  }
}

/* In place. */
FG_DEVICE void transform(const pass_state &s) {
  const int u = threadIdx.x, group = u / GROUPS_OF_K, first = u % GROUPS_OF_K * WIDE;
  sums all;
  if (u < SHARES) add_up(s, group, u % GROUPS_OF_K, all);
  __syncthreads();
  if (u >= SHARES) return;
#pragma unroll
  for (int l = 0; l < TOGETHER; l++) {
    const line_of_group line = line_of(group, l);
#pragma unroll
    for (int w = 0; w < WIDE; w++) {
      const int k = first + w;
      if (!line.exists || k > TERMS) continue;
      const real mirrored = line.part == 0 || EVEN ? all.im[l][w] : -all.im[l][w];
      const int other = line.part ? LINES_OF_ROW - line.part : 0; /* which has it beside its own */
      real *const row = reinterpret_cast<real *>(s.tile + line.row * ROW + k);
      shared_store(row + 2 * line.part * POINTS_OF_LINE, all.re[l][w]);
      shared_store(row + 2 * other * POINTS_OF_LINE + 1, mirrored);
    }
  }
}

FG_DEVICE void run(const pass_state &s) {
  load(s);
  __syncthreads();
  transform_across(s);
  __syncthreads();
  let_next_launch();
  transform(s);
  __syncthreads();
  store(s);
}

} /* namespace mirrored_sums */

#endif
