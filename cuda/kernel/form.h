/* form.h: the forms of real data (args.h, enum fg_form): from a row of memory to the points of a complex line and back.
 *
 * All functions take one row: the address of its element 0 and the position p of a point in the whole transform.
 * Loaded is either a real number (imaginary part 0) or a point of a Hermitian spectrum, whose upper half is the
 * conjugate of the lower one.  Stored is a point of a Hermitian spectrum, each element of memory exactly once:
 * positions of the upper half go to their mirror's place, unless that is computed too, which is so for p ≡ 0 and p ≡
 * TO_PERIOD/2 (mod TO_PERIOD).
 *
 *   REDFT10/01   one transform of N points in Makhoul's order, 1980; e(p) = 2p or 2(N − 1 − p) + 1 (N odd and whole rows in the tile:
 *                rows.h)
 *   REDFT11      N even: N/2 complex points, turned before and after; N odd: residues modulo 8 and N separate (a true
 *                two-dimensional map), so that only the order and signs change
 *   REDFT00, RODFT00   the extension of length 2(N ∓ 1): exact sums, error as of a transform of that length; as half
 *                      rows they are extended.h's
 *                      Where N ∓ 1 = P is odd 2 and P are coprime (Good 1958): P complex points, in whose real and imaginary
 *                      parts are the results of even and of odd numbers
 *   RODFTxy      the REDFTxy of the row backwards or with alternating signs */
#ifndef FG_FORM_H
#define FG_FORM_H

#include "args.h"
#include "element.h"
#include "orders.h"


FG_CONSTANT long long form_length(int form, long long row) {
  if (form == FG_FORM_REDFT00) return 2 * (row - 1);
  if (form == FG_FORM_RODFT00) return 2 * (row + 1);
  if (form == FG_FORM_REDFT00_ODD) return row - 1;
  if (form == FG_FORM_RODFT00_ODD) return row + 1;
  if ((form == FG_FORM_REDFT11 || form == FG_FORM_RODFT11) && row % 2 == 0) return row / 2;
  return row;
}
FG_CONSTANT bool odd_kind(int form) {
  return form == FG_FORM_RODFT10 || form == FG_FORM_RODFT01 || form == FG_FORM_RODFT11 || form == FG_FORM_RODFT00 ||
         form == FG_FORM_RODFT00_ODD;
}
FG_CONSTANT bool loads_hermitian(int form) {
  return form == FG_FORM_HERMITIAN || form == FG_FORM_HALFCOMPLEX || form == FG_FORM_REDFT01 || form == FG_FORM_RODFT01;
}
FG_CONSTANT bool stores_real(int form) {
  return form == FG_FORM_REAL || form == FG_FORM_REDFT01 || form == FG_FORM_RODFT01;
}
FG_CONSTANT bool symmetric(int form) { return form == FG_FORM_REDFT00 || form == FG_FORM_RODFT00; }
FG_CONSTANT bool odd_period(int form) { return form == FG_FORM_REDFT00_ODD || form == FG_FORM_RODFT00_ODD; }
FG_CONSTANT bool quarter_wave_halves(int form, long long row) {
  return (form == FG_FORM_REDFT11 || form == FG_FORM_RODFT11) && row % 2 == 0;
}

/* Positions are 32-bit numbers where eight times the length is. */
template <bool SHORT> struct position_type {
  typedef long long type;
};
template <> struct position_type<true> {
  typedef int type;
};
typedef position_type<(FG_FROM_ROW < (1 << 27) && FG_TO_ROW < (1 << 27))>::type position;

enum : position { FROM_ROW = FG_FROM_ROW, TO_ROW = FG_TO_ROW, TO_PERIOD = FG_TO_PERIOD };
enum : position { FROM_LENGTH = form_length(FG_FROM_FORM, FG_FROM_ROW), TO_LENGTH = form_length(FG_TO_FORM, FG_TO_ROW) };

/* Where positions are a thread's first and constants, long long ones leave the constants to the instructions. */
FG_DEVICE long long load_distance(const fg_tile_args &a, long long e) { return FG_LOAD_DENSE ? e : e * a.load_step; }
FG_DEVICE long long store_distance(const fg_tile_args &a, long long e) { return FG_STORE_DENSE ? e : e * a.store_step; }

/* Of positions, which are not negative: their product with an element's size is one instruction then. */
FG_DEVICE long long load_distance(const fg_tile_args &a, int e) { return load_distance(a, (long long)unsigned(e)); }
FG_DEVICE long long store_distance(const fg_tile_args &a, int e) { return store_distance(a, (long long)unsigned(e)); }

/* Of position p + step; the latter a constant, which is left to the instruction. */
FG_DEVICE cplx form_factor(const fg_tile_args &a, long long p, long long step = 0) {
  const cplx *const first = static_cast<const cplx *>(a.form_table) + p;
  return table_load(first + step);
}

/* ---- elements ---- */

FG_DEVICE real read_real(const fg_tile_args &a, long long row, long long e) {
  return read_number(a.in_re, row + load_distance(a, e));
}

FG_DEVICE void write_real(const fg_tile_args &a, long long row, long long e, real x) {
  write_number(a.out_re, row + store_distance(a, e), x);
}

/* ---- load ---- */

/* What memory holds of position p ≤ L/2 of a spectrum, without looking at it, so that many loads can be under way;
 * then the point itself.  Whether p may be 0, is 0 or L/2: where that is known. */
template <class P> FG_DEVICE cplx fetch_spectrum(const fg_tile_args &a, long long row, P p, bool may_be_zero) {
  constexpr position n = FROM_ROW;
  if (FG_FROM_FORM == FG_FORM_HERMITIAN) return read_point(a, row + load_distance(a, p));
  const bool backwards = FG_FROM_FORM == FG_FORM_RODFT01;
  const P mirror = may_be_zero && p == 0 ? 0 : backwards ? p - 1 : n - p; /* not used at 0 */
  return {read_real(a, row, backwards ? n - 1 - p : p), read_real(a, row, mirror)};
}

FG_DEVICE cplx spectrum_point(const fg_tile_args &a, long long p, cplx v, bool edge) {
  if (FG_FROM_FORM == FG_FORM_REDFT01 || FG_FROM_FORM == FG_FORM_RODFT01)
    v = cplx{v.x, edge && p == 0 ? real(0) : -v.y} * conjugate(form_factor(a, p));
  return {v.x, edge ? real(0) : v.y};
}
FG_DEVICE bool is_edge(position p) { return p == 0 || 2 * p == FROM_ROW; }

FG_DEVICE real load_real(const fg_tile_args &a, long long row, position p) {
  constexpr position n = FROM_ROW;
  constexpr bool odd = odd_kind(FG_FROM_FORM);
  if (FG_FROM_FORM == FG_FORM_REDFT10 || FG_FROM_FORM == FG_FORM_RODFT10) {
    const position e = makhoul(n, p);
    const real x = read_real(a, row, e);
    return odd && e % 2 ? -x : x;
  }
  if (FG_FROM_FORM == FG_FORM_REDFT11 || FG_FROM_FORM == FG_FORM_RODFT11) {
    const signed_element<position> s = quarter_wave_input(n, p);
    const real x = read_real(a, row, odd ? n - 1 - s.e : s.e);
    return s.negative ? -x : x;
  }
  if (FG_FROM_FORM == FG_FORM_REDFT00) return read_real(a, row, p < n ? p : FROM_LENGTH - p);
  if (FG_FROM_FORM == FG_FORM_RODFT00) {
    if (p == 0 || p == n + 1) return 0;
    return p <= n ? read_real(a, row, p - 1) : -read_real(a, row, FROM_LENGTH - p - 1);
  }
  return read_real(a, row, p);
}

/* Point p of REDFT11 or RODFT11, N even, of elements 2p and N − 1 − 2p; and these of a result. */
FG_DEVICE cplx quarter_wave_point(real x, real y, cplx factor) {
  return (odd_kind(FG_FROM_FORM) ? cplx{y, x} : cplx{x, y}) * factor;
}
/* A row of two is one point, which is turned for both sides at once when it is loaded (src/pass/solver.c): one error. */
FG_DEVICE cplx quarter_wave_elements(cplx v, cplx factor) {
  const cplx c = TO_ROW == 2 ? v : v * factor;
  return {2 * c.x, odd_kind(FG_TO_FORM) ? 2 * c.y : -2 * c.y};
}

/* Of RODFT00 elements are counted from 1, those at 0 and P being zero. */
FG_DEVICE cplx load_odd_period(const fg_tile_args &a, long long row, position p) {
  constexpr position odd = odd_kind(FG_FROM_FORM), period = FROM_LENGTH;
  if (odd && p == 0) return {0, 0};
  return odd_period_point(odd, p, read_real(a, row, p - odd), read_real(a, row, period - p - odd));
}

FG_DEVICE cplx load_form(const fg_tile_args &a, long long row, position p) {
  if (odd_period(FG_FROM_FORM)) return load_odd_period(a, row, p);
  if (quarter_wave_halves(FG_FROM_FORM, FROM_ROW)) {
    const real x = read_real(a, row, 2 * p), y = read_real(a, row, FROM_ROW - 1 - 2 * p);
    return quarter_wave_point(x, y, form_factor(a, p));
  }
  if (!loads_hermitian(FG_FROM_FORM)) return {load_real(a, row, p), 0};
  const bool lower = 2 * p <= FROM_LENGTH;
  const position q = lower ? p : FROM_LENGTH - p;
  const cplx v = spectrum_point(a, q, fetch_spectrum(a, row, q, true), is_edge(q));
  return {v.x, lower ? v.y : -v.y};
}

/* ---- store ---- */

/* Both results of an odd REDFT11 or RODFT11 that are at positions p and n − p. */
FG_DEVICE void store_quarter_wave(const fg_tile_args &a, long long row, position p, cplx v) {
  constexpr position n = TO_ROW;
  const signed_element<position> first = quarter_wave_output(n, p), second = quarter_wave_output(n, n - p);
  const bool odd = odd_kind(FG_TO_FORM);
  const two_results x = quarter_wave_results(n, v);
  write_real(a, row, first.e, first.negative != (odd && first.e % 2) ? -x.first : x.first);
  if (p > 0) write_real(a, row, second.e, second.negative != (odd && second.e % 2) ? -x.second : x.second);
}

/* Position p ≤ L/2; edge: it is 0 or L/2. */
template <class P>
FG_DEVICE void write_bin(const fg_tile_args &a, long long row, P p, cplx v, bool edge, bool exists = true) {
  write_point(a, row + store_distance(a, p), edge && !FG_TWIDDLE ? cplx{v.x, 0} : v, exists);
}

template <class P> FG_DEVICE void store_spectrum(const fg_tile_args &a, long long row, P p, cplx v, bool edge) {
  constexpr position n = TO_ROW;
  if (FG_TO_FORM == FG_FORM_HERMITIAN) {
    write_bin(a, row, p, v, edge);
  } else if (FG_TO_FORM == FG_FORM_HALFCOMPLEX) {
    write_real(a, row, p, v.x);
    if (!edge) write_real(a, row, n - p, v.y);
  } else if (FG_TO_FORM == FG_FORM_DHT) {
    write_real(a, row, p, edge ? v.x : v.x - v.y);
    if (!edge) write_real(a, row, n - p, v.x + v.y);
  } else if (FG_TO_FORM == FG_FORM_REDFT10 || FG_TO_FORM == FG_FORM_RODFT10) {
    const bool backwards = FG_TO_FORM == FG_FORM_RODFT10;
    const cplx c = v * form_factor(a, p);
    write_real(a, row, backwards ? n - 1 - p : p, 2 * c.x);
    if (!edge) write_real(a, row, backwards ? p - 1 : n - p, -2 * c.y);
  } else if (FG_TO_FORM == FG_FORM_REDFT00) {
    write_real(a, row, p, v.x);
  } else if (FG_TO_FORM == FG_FORM_RODFT00) {
    if (!edge) write_real(a, row, p - 1, -v.y);
  } else {
    store_quarter_wave(a, row, position(p), v);
  }
}

FG_DEVICE void store_real(const fg_tile_args &a, long long row, position p, real x) {
  const position e = FG_TO_FORM == FG_FORM_REAL ? p : makhoul<position>(TO_ROW, p);
  write_real(a, row, e, FG_TO_FORM == FG_FORM_RODFT01 && e % 2 ? -x : x);
}

/* Up to P/2: the points beyond are mirrors. */
FG_DEVICE void store_odd_period(const fg_tile_args &a, long long row, position p, cplx v) {
  constexpr position odd = odd_kind(FG_TO_FORM), period = TO_LENGTH;
  if (2 * p > period || (odd && p == 0)) return;
  const two_results x = odd_period_results(odd, v);
  write_real(a, row, 2 * p - odd, x.first);
  write_real(a, row, period - 2 * p - odd, x.second);
}

/* line: the position of some point of the line: all are equal modulo the period, of which its weight is a multiple
 * (src/pass/solver/halves.c). */
FG_DEVICE void store_form(const fg_tile_args &a, long long row, position p, position line, cplx v) {
  if (odd_period(FG_TO_FORM)) {
    store_odd_period(a, row, p, v);
  } else if (quarter_wave_halves(FG_TO_FORM, TO_ROW)) {
    const cplx x = quarter_wave_elements(v, form_factor(a, p));
    write_real(a, row, 2 * p, x.x);
    write_real(a, row, TO_ROW - 1 - 2 * p, x.y);
  } else if (stores_real(FG_TO_FORM)) {
    store_real(a, row, p, v.x);
  } else { /* one store for both halves: no branch between them */
    const bool lower = 2 * p <= TO_LENGTH, mirrors = 2 * (line % TO_PERIOD) % TO_PERIOD != 0;
    const cplx x = {v.x, lower ? v.y : -v.y};
    const position q = lower ? p : TO_LENGTH - p;
    const bool exists = lower || mirrors, edge = p == 0 || 2 * p == TO_LENGTH;
    if (FG_TO_FORM == FG_FORM_HERMITIAN) write_bin(a, row, q, x, edge, exists);
    else if (exists) store_spectrum(a, row, q, x, edge);
  }
}

#endif
