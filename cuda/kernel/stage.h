/* stage.h: the stages of a tile's Stockham transform, and which butterflies a thread has in each.
 *
 * Stage s has radix R; P is the product of the radices before it, M = N/R the butterflies of a line.  Its FG_LINES·M
 * butterflies are dealt to the FG_THREADS threads, along the line (ROW) or across the lines (COLUMN) first; a stage of
 * radix 1 only moves points, which lets loads and stores run in another order than the butterflies beside them.
 *
 * Of one stage (FG_MIRROR 1: the first, 2: the last; mirror.h) a thread has butterflies b and M − b of a line together, 0
 * with M/2; of others (FG_FOLD, likewise, 3: of both; folded.h) b and M − 1 − b.
 *
 * Of a convolution of real points (FG_REAL_RADIX) the first stage, and the last, have butterflies of so many real points, of
 * whose results those that are no conjugates of others are kept: the stage's radix, and what FG_N counts.
 * Of an odd row (odd_row.h) the stage that has the reals counts with the points that are kept of each butterfly.
 *
 * An in-tile convolution (FG_CONVOLVE) has the stages twice: forwards, then with the radices reversed for the inverse,
 * so that the registers of the last forward stage are just what the first inverse stage needs. */
#ifndef FG_STAGE_H
#define FG_STAGE_H

#include "real_butterfly.h"
#include "split_butterfly.h"
#include "turns.h"

enum : int { STAGES = FG_STAGES };
enum : int { LAST = (FG_CONVOLVE ? 2 * STAGES : STAGES) - 1 };

FG_CONSTANT int mirrored(int s) { return s < STAGES ? s : 2 * STAGES - 1 - s; }
FG_CONSTANT int radix_of(int s) {
  constexpr int radices[] = {FG_RADICES};
  return radices[mirrored(s)];
}
FG_CONSTANT bool column_of(int s) {
  constexpr int columns[] = {FG_COLUMNS};
  return columns[mirrored(s)] != 0;
}
FG_CONSTANT int product_before(int s) {
  int p = 1;
  for (int i = s < STAGES ? 0 : STAGES; i < s; i++) p *= radix_of(i);
  return p;
}
/* The same of the points that are transformed, kept or not. */
FG_CONSTANT int points_of(int s) { return FG_REAL_RADIX && mirrored(s) == 0 ? FG_REAL_RADIX : radix_of(s); }
FG_CONSTANT int length_before(int s) {
  int p = 1;
  for (int i = s < STAGES ? 0 : STAGES; i < s; i++) p *= points_of(i);
  return p;
}
enum : int { LENGTH = FG_N / radix_of(0) * points_of(0) };
enum : int { POWERS = (FG_DATA - 1) / 2 }; /* of a generator modulo a prime, up to their signs */
enum : bool { PADDED = FG_REAL_RADIX && LENGTH != 2 * POWERS };

FG_CONSTANT int common_divisor(int a, int b) { return b ? common_divisor(b, a % b) : a; }
/* The product of the stages before those that stage s's inputs have to be turned by the results of.  Only permuted
 * convolutions have any: there no twiddles are needed between groups of coprime stages, whose residues are the indices
 * (src/pass/residues.h). */
FG_CONSTANT int coprime_before(int s) {
  int coprime = 1;
  for (int i = s < STAGES ? 0 : STAGES; FG_RADER && !PADDED && i <= s; i++)
    if (common_divisor(length_before(i), LENGTH / length_before(i)) == 1) coprime = product_before(i);
  return coprime;
}
/* Of an odd row: butterflies of REAL_RADIX reals, of whose bins KEPT are kept (and of their twiddles the first). */
FG_CONSTANT bool is_real(int s) { return FG_ODD_ROW == 1 ? s == 0 : FG_ODD_ROW == 2 && s == LAST; }
enum : int { KEPT = FG_ODD_ROW ? radix_of(FG_ODD_ROW == 1 ? 0 : LAST) : 1, REAL_RADIX = 2 * KEPT - 1 };
/* The index among all of point k of those kept. */
FG_CONSTANT int whole(int k) { return k + k / KEPT * (REAL_RADIX - KEPT); }

FG_CONSTANT int turned_before(int s) {
  const int kept = product_before(s) / coprime_before(s);
  return FG_ODD_ROW == 1 && s > 0 ? whole(kept) : kept;
}
/* Where stage s's twiddles begin in the table of all stages: none where nothing is turned. */
FG_CONSTANT int twiddles_before(int s) {
  int sum = 0;
  for (int i = 0; i < s; i++)
    if (turned_before(i) > 1) sum += turned_before(i) * (radix_of(i) - 1);
  return sum;
}
FG_CONSTANT bool all_columns() {
  for (int s = 0; s < STAGES; s++)
    if (!column_of(s)) return false;
  return true;
}
/* Points of a line stay together where they are permuted within it. */
#define FG_COLUMN_TILE (all_columns() && !FG_RADER)

/* Butterflies of a stage that go to a thread together, and how often a line has so many. */
FG_CONSTANT bool is_mirrored(int s) { return FG_MIRROR == 1 ? s == 0 : FG_MIRROR == 2 && s == LAST; }
FG_CONSTANT bool is_folded(int s) { return (FG_FOLD & 1 && s == 0) || (FG_FOLD & 2 && s == LAST); }
FG_CONSTANT int together(int s) { return (is_mirrored(s) || is_folded(s)) && FG_N / radix_of(s) > 1 ? 2 : 1; }
FG_CONSTANT int shares_of_line(int s) {
  const int m = FG_N / radix_of(s);
  return together(s) == 2 ? (m + 1) / 2 : m;
}

/* Registers a thread needs for its points: the most over the stages. */
FG_CONSTANT int points_a_thread() {
  int most = 1;
  for (int s = 0; s < STAGES; s++) {
    const int shares = FG_LINES * shares_of_line(s);
    const int points = (shares + FG_THREADS - 1) / FG_THREADS * together(s) * radix_of(s);
    if (points > most) most = points;
  }
  return most;
}
enum : int { POINTS = points_a_thread() };

/* One butterfly: b-th of a line of the tile; threads left over have none. */
struct spot {
  int line, b;
  bool exists;
};

/* Whether so many rounds are enough. */
FG_CONSTANT bool takes(int rounds, int count, int at_once) {
  return at_once > 0 && (count + at_once - 1) / at_once == rounds;
}

template <int S> struct stage {
  enum : int { R = radix_of(S), M = FG_N / R, P = product_before(S), TWIDDLES = twiddles_before(S) };
  enum : int { TOGETHER = together(S), SHARES = shares_of_line(S), ALL = FG_LINES * SHARES };
  enum : int { REPEATS = (ALL + FG_THREADS - 1) / FG_THREADS * TOGETHER };
  enum : int { COPRIME = coprime_before(S), TURNED = turned_before(S) };
  /* A thread's butterflies along lines have the same twiddles, which it loads once, where they are those of one line after
   * the other, or of one line a multiple of P apart: unless that takes a round more.  Moves go point after point (pairs.h),
   * also where those are whole lines at a time. */
  enum : int { ROUNDS = R == 1 ? 0 : REPEATS / TOGETHER };
  enum : int { AT_ONCE = FG_THREADS / SHARES, IN_USE = AT_ONCE * SHARES };
  enum : bool { ALIGNED =
      FG_LINES > 1 && !column_of(S) && (IN_USE == FG_THREADS || takes(ROUNDS, FG_LINES, AT_ONCE)) };
  enum : int { STEP = takes(ROUNDS, SHARES, FG_THREADS / P * P) ? FG_THREADS / P * P : FG_THREADS };
  enum : bool { ALL_ALIKE = TOGETHER == 1 && (ALIGNED || (FG_LINES == 1 && STEP % P == 0)) };
  enum : int { ALIKE = ALL_ALIKE ? REPEATS : 1 };

  /* The i-th butterfly of this thread. */
  FG_DEVICE spot locate(int i) {
    spot at = share(i / TOGETHER);
    if (i % TOGETHER == 0) return at;
    if constexpr (is_folded(S)) return {at.line, M - 1 - at.b, at.exists && 2 * at.b + 1 != M};
    at.exists = at.exists && (M % 2 == 0 || at.b > 0);
    at.b = at.b ? M - at.b : M / 2;
    return at;
  }

  /* What it has of a line for the i-th time, by the first butterfly.  Some case distinctions only leave constants where
   * the thread count divides evenly. */
  FG_DEVICE spot share(int i) {
    const int t = threadIdx.x;
    const bool exists = ALL % FG_THREADS == 0 || t + i * FG_THREADS < ALL;
    const int u = t + i * FG_THREADS;
    if constexpr (FG_LINES == 1)
      return {0, t + i * STEP, STEP == FG_THREADS ? exists : t < STEP && t + i * STEP < SHARES};
    else if constexpr (column_of(S) && FG_THREADS % FG_LINES == 0)
      return {t % FG_LINES, t / FG_LINES + i * (FG_THREADS / FG_LINES), exists};
    else if constexpr (column_of(S))
      return {u % FG_LINES, u / FG_LINES, exists};
    else if constexpr (ALIGNED)
      return {t / SHARES + i * AT_ONCE, t % SHARES,
              (IN_USE == FG_THREADS || t < IN_USE) && (FG_LINES % AT_ONCE == 0 || t / SHARES + i * AT_ONCE < FG_LINES)};
    else if constexpr (SHARES % FG_THREADS == 0)
      return {i / (SHARES / FG_THREADS), t + i % (SHARES / FG_THREADS) * FG_THREADS, exists};
    else
      return {u / SHARES, u % SHARES, exists};
  }
};

/* The reals of an odd row's butterfly are in registers as KEPT points: 0 alone, then j and REAL_RADIX − j. */
template <class F> FG_DEVICE void pack_reals(cplx *v, F element) {
  v[0] = {element(0), 0};
#pragma unroll
  for (int j = 1; j < KEPT; j++) v[j] = {element(j), element(REAL_RADIX - j)};
}
template <class F> FG_DEVICE void unpack_reals(const cplx *v, F use) {
  use(0, v[0].x);
#pragma unroll
  for (int j = 1; j < KEPT; j++) {
    use(j, v[j].x);
    use(REAL_RADIX - j, v[j].y);
  }
}

/* Between them and the bins; those that are loaded have real and imaginary part exchanged. */
template <int R> FG_DEVICE void real_stage(cplx *v) {
  real x[R];
  if constexpr (FG_ODD_ROW == 1) {
    unpack_reals(v, [&](int j, real element) { x[j] = element; });
    real_butterfly<R>::forward(x, v);
  } else {
#pragma unroll
    for (int k = 0; k < KEPT; k++) v[k] = quarter(v[k]); /* their conjugates */
    real_butterfly<R>::backward(v, x);
    pack_reals(v, [&](int j) { return x[j]; });
  }
}

/* Input j of a stage's butterfly b is turned by exp(−2πi j·(b mod P)/(P·R)), P of its group, j > 0. */
template <int S> constexpr bool IS_TURNED = stage<S>::TURNED > 1 && stage<S>::R > 1;

/* The factors are read before the barrier that the inputs wait for, into the registers that these will have: the wait for
 * them is part of that one, and takes no registers.  Not where the next tile is loaded ahead: with few warps inputs that come
 * into other registers first, a few at a time, took longer (10000 and 16384 points on an H200). */
enum : bool { TURN_EARLY = !FG_AHEAD };

/* Of neighbours along a line, and of a long group: a warp's factors are no less than its points. */
template <int S> using turns_of = turns<stage<S>::R, column_of(S) || stage<S>::TURNED < 32, true>;

/* The factor of its input 1; those of the next inputs are TURNED entries apart. */
template <int S> FG_DEVICE const cplx *factors(const spot &at, const cplx *twiddles) {
  using T = stage<S>;
  const int index = at.b % T::P / T::COPRIME;
  return twiddles + T::TWIDDLES + (FG_ODD_ROW == 1 ? whole(index) : index);
}

/* Of butterflies with the same ones, the first has them. */
template <int S> FG_DEVICE void fetch_twiddles(cplx *v, const cplx *twiddles) {
  using T = stage<S>;
  if (!IS_TURNED<S> || !TURN_EARLY) return;
#pragma unroll
  for (int i = 0; i < T::REPEATS; i += T::ALIKE) {
    const spot at = T::locate(i);
    const cplx *w = factors<S>(at, twiddles);
    if (T::ALIKE == 1 && !at.exists) continue;
    turns_of<S>::fetch(v + i * T::R, [&](int j) { return table_load(w + (j - 1) * T::TURNED); });
  }
}

template <int S> FG_DEVICE void turn(cplx *v, const cplx *twiddles) {
  using T = stage<S>;
#pragma unroll
  for (int i = 0; i < T::REPEATS; i += T::ALIKE) {
    const spot at = T::locate(i);
    const cplx *w = factors<S>(at, twiddles);
    if (T::ALIKE == 1 && !at.exists) continue;
    cplx looked_up[T::R];
    turns_of<S>::fetch(looked_up, [&](int j) { return table_load(w + (j - 1) * T::TURNED); });
#pragma unroll
    for (int j = 1; j < T::R; j++) {
      const cplx root = turns_of<S>::factor(looked_up, j);
#pragma unroll
      for (int k = i; k < i + T::ALIKE; k++) v[k * T::R + j] = v[k * T::R + j] * root;
    }
  }
}

/* The butterflies of stage S on the registers. */
template <int S> FG_DEVICE void compute(cplx *v, const cplx *twiddles) {
  using T = stage<S>;
  if constexpr (IS_TURNED<S> && !TURN_EARLY) turn<S>(v, twiddles);
#pragma unroll
  for (int i = 0; i < T::REPEATS; i++) {
    if constexpr (FG_REAL_RADIX && S == 0) split_butterfly<FG_REAL_RADIX>::forward(v + i * T::R);
    else if constexpr (FG_REAL_RADIX && S == LAST) split_butterfly<FG_REAL_RADIX>::to_real(v + i * T::R);
    else if constexpr (is_real(S)) real_stage<REAL_RADIX>(v + i * T::R);
    else butterfly<T::R>::apply(v + i * T::R);
  }
}

#endif
