/* extended.h: half rows of the even or odd extension y of a row (REDFT00, RODFT00; half_row.h), FG_N = n ∓ 1.
 *
 * Points k and FG_N − 1 − k are made of the same three elements, y[2k], y[2k + 1] and y[2k + 2]: a thread has both
 * (FG_FOLD 1).  Of bins only the real (odd: the imaginary) parts are stored, the others being zero.
 *
 * Short rows that lie one behind the other go through the tile as they are (FG_IN_ROWS, FG_OUT_ROWS): a thread's points
 * of a row are too far apart in memory to fill sectors. */
#ifndef FG_EXTENDED_H
#define FG_EXTENDED_H

#include "half.h"
#include "mirror.h"

/* ---- rows in the tile ---- */

enum : int { ROW_REALS = FG_IN_ROWS || FG_OUT_ROWS ? WHOLE * int(FROM_ROW) : 1 };
enum : int { ROW_REPEATS = (ROW_REALS + FG_THREADS - 1) / FG_THREADS };

/* Element e of a line's row.  Rows lie as in memory, without gaps, unlike those of rows.h: that takes 784 instructions for
 * 928 (33 elements) to 968 for 1720 (78). */
FG_DEVICE real *in_tile(const pass_state &s, int line, long long e) {
  return reinterpret_cast<real *>(s.tile) + line * int(FROM_ROW) + e;
}

FG_DEVICE void bring_rows(const pass_state &s, int count) {
  const long long at = static_cast<long long>(s.first) * FROM_ROW + threadIdx.x;
  real x[ROW_REPEATS];
#pragma unroll
  for (int i = 0; i < ROW_REPEATS; i++)
    if (int(threadIdx.x) + i * FG_THREADS < count) x[i] = read_number(s.args.in_re, at + i * FG_THREADS);
#pragma unroll
  for (int i = 0; i < ROW_REPEATS; i++)
    if (int(threadIdx.x) + i * FG_THREADS < count) shared_store(in_tile(s, 0, threadIdx.x) + i * FG_THREADS, x[i]);
}

FG_DEVICE void take_rows(const pass_state &s, int count) {
  const long long at = static_cast<long long>(s.first) * FROM_ROW + threadIdx.x;
#pragma unroll
  for (int i = 0; i < ROW_REPEATS; i++)
    if (int(threadIdx.x) + i * FG_THREADS < count)
      write_number(s.args.out_re, at + i * FG_THREADS, shared_load(in_tile(s, 0, threadIdx.x) + i * FG_THREADS));
}

/* All blocks but the last are full, which saves tests. */
FG_DEVICE void load_rows(const pass_state &s) {
  const int count = dense_elements<FROM_ROW>(s);
  if (count == ROW_REALS) bring_rows(s, ROW_REALS);
  else bring_rows(s, count);
  __syncthreads();
}

FG_DEVICE void store_rows(const pass_state &s) {
  __syncthreads();
  const int count = dense_elements<FROM_ROW>(s);
  if (count == ROW_REALS) take_rows(s, ROW_REALS);
  else take_rows(s, count);
}

FG_DEVICE void put_bin(const pass_state &s, int line, long long k, cplx v, bool edge) {
  if (FG_TO_FORM == FG_FORM_REDFT00) shared_store(in_tile(s, line, k), v.x);
  else if (!edge) shared_store(in_tile(s, line, k - 1), -v.y);
}

/* ---- extensions ---- */

FG_DEVICE real row_element(const pass_state &s, int line, long long row, long long e) {
  return FG_IN_ROWS ? shared_load(in_tile(s, line, e)) : read_real(s.args, row, e);
}

/* Three neighbours, from element e on.  edge: not all of them may exist; the others are 0. */
FG_DEVICE void load_three(const pass_state &s, int line, long long row, long long e, bool edge, real *x) {
  if (FG_IN_TWOS && !FG_IN_ROWS && !edge) { /* the first two or the last two are one access */
    /* A part of a batch may begin at an odd element: the array's own address counts, too. */
    const auto base = reinterpret_cast<unsigned long long>(s.args.in_re) / sizeof(in_memory::one);
    const int later = int(base + row + odd_kind(FG_FROM_FORM)) & 1;
    const cplx two = read_two(s.args.in_re, row + later + e);
    const real one = read_number(s.args.in_re, row + 2 * (1 - later) + e);
    x[0] = later ? one : two.x;
    x[1] = later ? two.x : two.y;
    x[2] = later ? two.y : one;
    return;
  }
#pragma unroll
  for (int i = 0; i < 3; i++)
    x[i] = edge && (e + i < 0 || e + i >= FROM_ROW) ? 0 : row_element(s, line, row, e + i);
}

/* Point k = b + j·M of the extension, y[2k] and y[2k + 1], and its mate, y[2k + 2] and y[2k + 1], of odd kinds
 * negative. */
template <class T>
FG_DEVICE void load_extended(const pass_state &s, int line, long long row, long long b, int j, cplx &z, cplx &mate) {
  constexpr int odd = odd_kind(FG_FROM_FORM);
  const bool may_end = 2 * (j + 1) * T::M + odd > FG_N && (odd || FG_N % 2);
  const long long k = b + j * T::M;
  real x[3];
  load_three(s, line, row, 2 * k - odd, (odd && j == 0 && k == 0) || (may_end && 2 * k + 2 + odd > FG_N), x);
  z = {x[0], x[1]};
  mate = odd ? cplx{-x[2], -x[1]} : cplx{x[2], x[1]};
}

#endif
