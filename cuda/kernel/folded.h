/* folded.h: points k and FG_N − 1 − k of a row together, whose elements are neighbours in memory.
 *
 * They are points j and R − 1 − j of butterflies b and M − 1 − b, which a thread has together (FG_FOLD 1: in the first
 * stage, which loads them so, 2: in the last, which stores them, 3: in both; stage.h).  Of half rows in Makhoul's order they
 * are elements 4k … 4k + 3, even ones and odd ones backwards; of REDFT11 and RODFT11 2k, 2k + 1 and, as far from the end of
 * the row, n − 2 − 2k, n − 1 − 2k; of an extended row both are made of three elements (extended.h). */
#ifndef FG_FOLDED_H
#define FG_FOLDED_H

#include "extended.h"

FG_DEVICE bool is_own_mate(int b, int m) { return m == 1 || (m % 2 && 2 * b + 1 == m); }

FG_DEVICE real odd_element(int form, real x) { return odd_kind(form) ? -x : x; }

/* Point k and its mate; alone: they are the same, and the last two elements of the row. */
FG_DEVICE void load_four(const fg_tile_args &a, long long row, long long k, bool alone, cplx &z, cplx &mate) {
  const cplx x = read_two(a.in_re, row + 4 * k), y = alone ? cplx{0, 0} : read_two(a.in_re, row + 4 * k + 2);
  mate = {odd_element(FG_FROM_FORM, y.y), odd_element(FG_FROM_FORM, x.y)};
  z = {x.x, alone ? mate.y : y.x};
}

/* Point j of butterfly b, and its mate. */
template <class T>
FG_DEVICE void load_mates(const pass_state &s, int line, long long row, long long b, int j, bool alone, cplx &z,
                          cplx &mate) {
  if constexpr (symmetric(FG_FROM_FORM)) load_extended<T>(s, line, row, b, j, z, mate);
  else load_four(s.args, row, b + j * T::M, alone, z, mate);
}

template <class T> FG_DEVICE void load_folded(const pass_state &s, const spot &at, cplx *v) {
  constexpr int R = T::R, LOW = (R + 1) / 2, HIGH = T::TOGETHER == 2 ? R / 2 : 0;
  cplx *const w = v + R, low_mate[LOW];
  if (!row_exists(s, at.line)) return;
  const bool own = is_own_mate(at.b, T::M);
  const long long row = place(s, at.line).in;
#pragma unroll
  for (int j = 0; j < LOW; j++) {
    load_mates<T>(s, at.line, row, at.b, j, own && 2 * j + 1 == R, v[j], low_mate[j]);
    if (T::TOGETHER == 2) w[R - 1 - j] = low_mate[j];
  }
#pragma unroll
  for (int j = 0; j < HIGH; j++)
    if (!own) load_mates<T>(s, at.line, row, T::M - 1 - at.b, j, false, w[j], v[R - 1 - j]);
#pragma unroll
  for (int j = LOW; j < R; j++)
    if (own) v[j] = low_mate[R - 1 - j];
}

/* REDFT11 and RODFT11: the butterflies' pairs are those of points b + jM alone. */
template <class T> FG_DEVICE void load_ends(const pass_state &s, const spot &at, cplx *v) {
  if (!row_exists(s, at.line)) return;
  const fg_tile_args &a = s.args;
  const long long row = place(s, at.line).in, b = at.b, mate = FG_N - 1 - b;
#pragma unroll
  for (int j = 0; j < T::R; j++) {
    const int step = j * T::M;
    const cplx x = read_two(a.in_re, row + 2 * b + 2 * step), y = read_two(a.in_re, row + 2 * mate - 2 * step);
    v[j] = quarter_wave_point(x.x, y.y, form_factor(a, b, step));
    if (T::TOGETHER == 2) v[2 * T::R - 1 - j] = quarter_wave_point(y.x, x.y, form_factor(a, mate, -step));
  }
}

template <class T> FG_DEVICE void load_folded_rows(const pass_state &s, cplx *v) {
  if (FG_IN_ROWS) load_rows(s);
#pragma unroll
  for (int i = 0; i < T::REPEATS; i += T::TOGETHER) {
    const spot at = T::locate(i);
    if (!at.exists) continue;
    if constexpr (quarter_wave_halves(FG_FROM_FORM, FROM_ROW)) load_ends<T>(s, at, v + i * T::R);
    else load_folded<T>(s, at, v + i * T::R);
  }
}

FG_DEVICE void store_four(const fg_tile_args &a, long long row, long long k, bool alone, cplx z, cplx mate) {
  z = FG_BACKWARD ? swapped(z) : z;
  mate = FG_BACKWARD ? swapped(mate) : mate;
  write_two(a.out_re, row + 4 * k, {z.x, odd_element(FG_TO_FORM, mate.y)});
  if (!alone) write_two(a.out_re, row + 4 * k + 2, {z.y, odd_element(FG_TO_FORM, mate.x)});
}

template <class T> FG_DEVICE void store_folded(const pass_state &s, const spot &at, const cplx *v) {
  constexpr int R = T::R, LOW = (R + 1) / 2, HIGH = T::TOGETHER == 2 ? R / 2 : 0;
  const cplx *const w = v + R;
  if (!row_exists(s, at.line)) return;
  const bool own = is_own_mate(at.b, T::M);
  const long long row = place(s, at.line).out;
#pragma unroll
  for (int j = 0; j < LOW; j++) {
    const cplx mate = T::TOGETHER == 1 ? v[R - 1 - j] : chosen(own, v[R - 1 - j], w[R - 1 - j]);
    store_four(s.args, row, at.b + j * T::M, own && 2 * j + 1 == R, v[j], mate);
  }
#pragma unroll
  for (int j = 0; j < HIGH; j++)
    if (!own) store_four(s.args, row, T::M - 1 - at.b + j * T::M, false, w[j], v[R - 1 - j]);
}

template <class T> FG_DEVICE void store_ends(const pass_state &s, const spot &at, const cplx *v) {
  constexpr int R = T::R;
  if (!row_exists(s, at.line)) return;
  const fg_tile_args &a = s.args;
  const bool own = is_own_mate(at.b, T::M);
  const long long row = place(s, at.line).out, b = at.b, mate = FG_N - 1 - b;
#pragma unroll
  for (int j = 0; j < R; j++) {
    const int step = j * T::M;
    const cplx z = T::TOGETHER == 1 ? v[R - 1 - j] : chosen(own, v[R - 1 - j], v[2 * R - 1 - j]);
    const cplx x = quarter_wave_elements(v[j], form_factor(a, b, step));
    const cplx y = quarter_wave_elements(z, form_factor(a, mate, -step));
    if (!own || 2 * j < R) write_two(a.out_re, row + 2 * b + 2 * step, {x.x, y.y});
    if (!own || 2 * j + 1 < R) write_two(a.out_re, row + 2 * mate - 2 * step, {y.x, x.y});
  }
}

template <class T> FG_DEVICE void store_folded_rows(const pass_state &s, const cplx *v) {
#pragma unroll
  for (int i = 0; i < T::REPEATS; i += T::TOGETHER) {
    const spot at = T::locate(i);
    if (!at.exists) continue;
    if constexpr (quarter_wave_halves(FG_TO_FORM, TO_ROW)) store_ends<T>(s, at, v + i * T::R);
    else store_folded<T>(s, at, v + i * T::R);
  }
}

#endif
