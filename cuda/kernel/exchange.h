/* exchange.h: where the points of a tile lie in shared memory, and the exchange between two stages.
 *
 * A tile is FG_LINES lines of FG_N points.  If every stage runs lines-fastest (COLUMN), points are stored lines-fastest
 * too; otherwise each line is contiguous with an odd pitch, so that threads along a line and threads across lines both
 * spread over the banks.  One unused point after each FG_PAD (0: none) breaks up strides that would meet the same
 * banks; the planner counts the conflicts and chooses (src/pass/banks.c).  Or the exchange after stage S, of a convolution's
 * both ways, has FG_SKEWS[S] unused points after each group that the stage transformed, as many as let the results of
 * neighbouring threads, which are in neighbouring groups, meet different banks; the inputs of the next stage are whole groups
 * apart. */
#ifndef FG_EXCHANGE_H
#define FG_EXCHANGE_H

#include "stage.h"

enum : int { GROUP = FG_PAD > 0 ? FG_PAD : 1 };
FG_CONSTANT int padded(int q) { return FG_PAD > 0 ? q + int(unsigned(q) / GROUP) : q; } /* q is not negative */
enum : int { PRIME = FG_REAL_RADIX ? FG_DATA : FG_N + 1 }; /* with FG_RADER */
enum : bool { PERMUTED = FG_RADER && !FG_REAL_RADIX }; /* a line's points lie together, the first apart (through.h) */
enum : int { PITCH = PERMUTED ? PRIME : padded(FG_N) | 1 };
enum : int { FIRST = PERMUTED ? 1 : 0 }; /* place of the stages' point 0: the first of a prime length is not convolved */

/* Position of point k of a line before padding. */
FG_DEVICE int tile_place(int line, int k) { return FG_COLUMN_TILE ? k * FG_LINES + line : k; }

/* The place of point k of the stages in the tile. */
FG_DEVICE int stage_at(int line, int k) {
  return (FG_COLUMN_TILE ? 0 : line * PITCH + FIRST) + padded(tile_place(line, k));
}

/* The place of point b of a prime length. */
FG_DEVICE int prime_at(int line, int b) { return line * PITCH + b; }

/* The places of element e of a line of memory when it is loaded and when it is stored.  With FG_PARTS = m and the prime
 * p, e = a·p + b·m (mod m·p) is loaded as point b of part a, and stored from point e mod p of part e mod m.  The tile has
 * the first parts of all lines, then the second ones; of each, point b lies at FG_SPREAD·b mod p: then elements that are stored
 * side by side are an odd distance apart, but where part 0 follows the last. */
enum : unsigned { PART_IN = inverse_modulo(PRIME % FG_PARTS, FG_PARTS), PART_OUT = 1 };
enum : unsigned { POINT_IN = inverse_modulo(FG_PARTS % PRIME, PRIME) * FG_SPREAD % PRIME, POINT_OUT = FG_SPREAD };
FG_DEVICE int part_at(int line, unsigned part, unsigned point) {
  return prime_at(int(part) * (FG_LINES / FG_PARTS) + line, int(point));
}
FG_DEVICE int element_at(int line, int e, unsigned parts_each, unsigned points_each) {
  if (!FG_RADER) return stage_at(line, e);
  return FG_PARTS == 1 ? prime_at(line, e) : part_at(line, e * parts_each % FG_PARTS, e * points_each % PRIME);
}
FG_DEVICE int input_at(int line, int e) { return element_at(line, e, PART_IN, POINT_IN); }
FG_DEVICE int output_at(int line, int e) { return element_at(line, e, PART_OUT, POINT_OUT); }

/* The points k, k + STEP, k + 2·STEP, … of a line that one butterfly reads or writes.  Where the padding between them
 * does not depend on k the addresses are one base and constants: when the step is a whole number of padding groups, and
 * when all of them lie in one group because they fill an aligned block of BLOCK points (0: no such block). */
template <int STEP, int BLOCK> struct points_of_butterfly {
  enum : int { SCALE = FG_COLUMN_TILE ? FG_LINES : 1, DISTANCE = STEP * SCALE };
  enum : bool { WHOLE = FG_PAD == 0 || DISTANCE % GROUP == 0 };
  enum : bool { INSIDE = BLOCK > 0 && !FG_COLUMN_TILE && GROUP % (BLOCK > 0 ? BLOCK : 1) == 0 };
  int start, line_base;

  FG_DEVICE points_of_butterfly at(int line, int k) {
    const int place = tile_place(line, k);
    return {WHOLE || INSIDE ? padded(place) : place, FG_COLUMN_TILE ? 0 : line * PITCH + FIRST};
  }
  __device__ __forceinline__ int operator[](int j) const {
    if (WHOLE) return line_base + start + j * padded(DISTANCE);
    if (INSIDE) return line_base + start + j * DISTANCE;
    return line_base + padded(start + j * DISTANCE);
  }
};

/* The exchange after stage S with a skew: whole groups, and the pitch of a line. */
FG_CONSTANT int skew_after(int s) {
  constexpr int skews[] = {FG_SKEWS};
  return s < 0 || s >= LAST ? 0 : skews[s];
}
template <int S> struct skewed_exchange {
  enum : int { SKEW = skew_after(S), POINTS = product_before(S) * radix_of(S) };
  FG_CONSTANT int groups(int count) { return count * (POINTS + SKEW); }
  enum : int { PITCH = (groups(FG_N / POINTS) - SKEW) | 1 };
};

/* Results of stage S, in Stockham order: butterfly b's output j is point (b/P)·P·R + b%P + j·P. */
template <int S> FG_DEVICE void exchange_write(const cplx *v, cplx *tile) {
  using T = stage<S>;
#pragma unroll
  for (int i = 0; i < T::REPEATS; i++) {
    const spot at = T::locate(i);
    if (!at.exists) continue;
    if constexpr (skew_after(S) > 0) {
      using X = skewed_exchange<S>;
      cplx *const first = tile + at.line * X::PITCH + X::groups(at.b / T::P) + at.b % T::P;
#pragma unroll
      for (int j = 0; j < T::R; j++) shared_store(first + j * T::P, v[i * T::R + j]);
      continue;
    }
    const auto to = points_of_butterfly<T::P, T::P * T::R>::at(at.line, (at.b / T::P) * (T::P * T::R) + at.b % T::P);
#pragma unroll
    for (int j = 0; j < T::R; j++) shared_store(tile + to[j], v[i * T::R + j]);
  }
}

/* Input j of stage S's butterfly i of this thread, from what was exchanged: turned by its factor, which is in v, or what it is
 * made of.  The first butterfly of those that are alike is read last. */
template <int S> FG_DEVICE void put_input(cplx *v, int i, int j, cplx x) {
  using T = stage<S>;
  const bool turned = IS_TURNED<S> && TURN_EARLY && j > 0;
  v[i * T::R + j] = turned ? x * turns_of<S>::factor(v + i / T::ALIKE * T::ALIKE * T::R, j) : x;
}

/* Inputs of stage S: butterfly b's input j is point b + j·N/R. */
template <int S> FG_DEVICE void exchange_read(cplx *v, const cplx *tile) {
  using T = stage<S>;
#pragma unroll
  for (int i = T::REPEATS - 1; i >= 0; i--) {
    const spot at = T::locate(i);
    if (!at.exists) continue;
    if constexpr (skew_after(S - 1) > 0) {
      using X = skewed_exchange<S - 1>;
      const cplx *const first = tile + at.line * X::PITCH + X::groups(at.b / X::POINTS) + at.b % X::POINTS;
#pragma unroll
      for (int n = 0; n < T::R; n++) {
        const int j = turns_of<S>::in_turn(n);
        put_input<S>(v, i, j, shared_load(first + X::groups(T::M / X::POINTS * j)));
      }
      continue;
    }
    const auto from = points_of_butterfly<T::M, 0>::at(at.line, at.b);
#pragma unroll
    for (int n = 0; n < T::R; n++) {
      const int j = turns_of<S>::in_turn(n);
      put_input<S>(v, i, j, shared_load(tile + from[j]));
    }
  }
}

#endif
