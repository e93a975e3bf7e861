/* tile.cu: one pass over the data: blocks load lines, transform them whole in registers and shared memory, store them.
 *
 * Each block does FG_LINES lines of FG_N points.  In order: load, factor from the load table, forward DFT (with real
 * and imaginary part swapped around it for the backward one), twiddle exp(−2πi·J·k/N'), factor from the store table,
 * store. FG_CONVOLVE: the DFT is replaced by a cyclic convolution of FG_DATA points: DFT, product with the
 * transformed filter, inverse DFT; the tables are then by the index along the line.
 * FG_RADER: that of a prime length FG_N + 1, or of FG_PARTS times it, permuted and stored back in order through the
 * tile (through.h); FG_LINES then counts the lines of prime length.
 * A side may have a form (form.h): elements of real data; with FG_PAIRS two rows of them share a line (pairs.h).
 *
 * Constants (set by src/pass/kernel.c):
 *   FG_REAL                    float or double
 *   FG_N, FG_LINES, FG_THREADS, FG_BLOCKS_SM, FG_PAD, FG_TILE_POINTS
 *   FG_STAGES, FG_RADICES, FG_COLUMNS   radices of the stages; 1 where a stage's butterflies run across lines first
 *   FG_SKEWS                   skews of the exchanges (exchange.h)
 *   FG_BACKWARD, FG_TWIDDLE, FG_LOAD_TABLE, FG_STORE_TABLE, FG_CONVOLVE, FG_RADER   0 or 1
 *   FG_IN_SPLIT, FG_OUT_SPLIT, FG_IN_WIDE, FG_OUT_WIDE   0 or 1 (element.h)
 *   FG_IN_UNIT, FG_OUT_UNIT    1: the stride along the line is 1
 *   FG_FROM_FORM, FG_TO_FORM, FG_FROM_ROW, FG_TO_ROW, FG_TO_PERIOD   forms of the sides, elements of their rows
 *   FG_LOADED, FG_STORED       of FG_DATA points, with a chirp: so many are not zero, and wanted
 *   FG_PARTS                   lines of prime length that a line of memory is; 1 without FG_RADER
 *   FG_SPREAD                  of these, neighbouring points are so many places apart, modulo the prime (exchange.h)
 *   FG_SUMS                    those are not convolved, but sums of products, 1: of any lines (sums.h), the filter is the
 *                              roots of unity; 2: of rows that mirror themselves (mirrored_sums.h), it is cosines and sines, in
 *                              rows of FG_SUMS_FACTORS
 *   FG_FILTER_ROWS             1: a convolution of FG_N points whose filter begins at the line's position in it
 *   FG_TWIDDLE_BACK            1: the twiddle's conjugate
 *   FG_TWIDDLE_SHORT           1: its factors are in one table
 *   FG_LOAD_WHOLE, FG_STORE_WHOLE   1: positions are the indices along the line
 *   FG_LOAD_DENSE, FG_STORE_DENSE   1: the elements of neighbouring positions are neighbours
 *   FG_PAIRS                   0 or 1
 *   FG_HALF_ROW                1: a row is a line of half as many points (half_row.h); FG_IN_TWOS, FG_OUT_TWOS 1: whose
 *                              elements are two by two one access
 *   FG_FOLD                    1: loads points k and FG_N − 1 − k together, 2: stores them so, 3: both (folded.h)
 *   FG_COUPLES                 1: a row is two points, in single precision, which may be one access, where it is loaded, 2: stored,
 *                              3: both (pairs.h)
 *   FG_ODD_ROW                 1: loads rows of reals of odd length as half of their lines (odd_row.h), 2: stores them
 *   FG_IN_ROWS, FG_OUT_ROWS    1: extended rows (extended.h), or odd ones (rows.h), go through the tile
 *   FG_ORDERED                 1: rows of a kind go through the tile in the order of a real transform (rows.h)
 *   FG_SHORT_ROW               1: a row of real data is one butterfly (short_row.h)
 *   FG_REAL_RADIX              with FG_RADER: rows are real, and the first stage has butterflies of so many real points
 *                              (real_prime.h); 0: complex
 *   FG_MIRROR                  1: the first stage loads spectra, 2: the last stores them, each element once (mirror.h)
 *   FG_LOAD_COLUMN, FG_STORE_COLUMN   orders of the accesses that go through the tile
 *   FG_IN_DENSE, FG_OUT_DENSE  1: line after line without a gap, and nothing but data to look up
 *   FG_AHEAD                   1: blocks have several tiles, and load each while they store the one before (ahead.h)
 *   FG_IN_EVEN                 1: columns two by two are neighbours, the first an even number of points into the array
 *   FG_LOOPS                   loops around the line; FG_MANY_LINES 1: more than 2³¹ lines
 *   FG_WITHIN_LOOP             1: the lines of a block are of one turn of the innermost loop */
#if FG_SHORT_ROW
#include "short_row.h"
#endif
#if FG_SUMS == 1
#include "sums.h"
#elif FG_SUMS == 2
#include "mirrored_sums.h"
#endif
#if FG_REAL_RADIX
#include "real_prime.h"
#endif
#include "ahead.h"
#include "through.h"

/* Bin 0 of a prime length's convolution is the sum of all but the first element: with that, result 0.  What is added to
 * the bin comes back in every other result: the first element. */
FG_DEVICE cplx filtered_sum(const pass_state &s, int line, cplx sum, cplx f) {
#if FG_REAL_RADIX
  cplx *const at = real_convolution::first_of(s, line);
#else
  cplx *const at = s.tile + prime_at(line, 0);
#endif
  const cplx first = shared_load(at);
  shared_store(at, first + (FG_REAL_RADIX && FG_BACKWARD ? scale(2, sum) : sum)); /* half a spectrum's sum */
  return sum * f + first;
}

/* Between the two halves of a convolution: product with the filter, and the swap that makes what follows an inverse.  That
 * of a prime length is transformed forwards twice, and so comes out in the order in which it was read (through.h). */
FG_DEVICE void apply_filter(const pass_state &s, cplx *v) {
  using T = stage<STAGES - 1>;
#pragma unroll
  for (int i = 0; i < T::REPEATS; i++) {
    const spot at = T::locate(i);
    if (!at.exists || (FG_FILTER_ROWS && !row_exists(s, at.line))) continue;
    const cplx *const filter = static_cast<const cplx *>(s.args.filter) + (FG_FILTER_ROWS ? place(s, at.line).load : 0);
#pragma unroll
    for (int j = 0; j < T::R; j++) {
      const cplx f = table_load(filter + at.b + j * T::M);
      cplx &x = v[i * T::R + j];
      x = FG_RADER && j == 0 && at.b == 0 ? filtered_sum(s, at.line, x, f) : x * f;
      if (!FG_RADER) x = swapped(x);
    }
  }
}

template <int S> FG_DEVICE void run_stages(const pass_state &s, cplx *v) {
  if (S == LAST && (!FG_AHEAD || is_last_tile(s))) let_next_launch();
  compute<S>(v, static_cast<const cplx *>(s.args.stages));
  if constexpr (S < LAST) {
    if constexpr (FG_CONVOLVE && S == STAGES - 1) {
      apply_filter(s, v);
    } else {
      if (S != 0 || LOAD_THROUGH || FG_IN_ROWS || FG_AHEAD) __syncthreads(); /* the tile is still being read */
      exchange_write<S>(v, s.tile);
      fetch_twiddles<S + 1>(v, static_cast<const cplx *>(s.args.stages));
      __syncthreads();
      exchange_read<S + 1>(v, s.tile);
      tile_was_read<S + 1>(s);
    }
    run_stages<S + 1>(s, v);
  }
}

#if FG_AHEAD
/* This block's tile, and every so many blocks' one from there. */
FG_DEVICE void transform_tiles(pass_state s) {
  if (threadIdx.x == 0) arrivals_begin(arrivals_of(s), ARRIVALS);
  __syncthreads();
  bring_tile(s);
  for (unsigned parity = 0; tile_exists(s); s.first = tile_after(s).first, s.places = tile_after(s).places, parity ^= 1) {
    cplx v[POINTS];
    wait_for_arrivals(arrivals_of(s), parity);
    load_ahead(s, v);
    run_stages<0>(s, v);
    store_lines(s, v);
  }
}
#endif

extern "C" __global__ void __launch_bounds__(FG_THREADS, FG_BLOCKS_SM) fg_tile(const fg_tile_args args) {
  wait_for_last_launch();
  cplx *const tile = static_cast<cplx *>(FG_SHARED_BASE());
  line_place *const places = reinterpret_cast<line_place *>(tile + (FG_AHEAD ? PLACES_AHEAD : FG_TILE_POINTS));
  const pass_state s = {args, first_row(args), tile, places};
  keep_places(s);
  if (KEEP_PLACES) __syncthreads();

#if FG_SHORT_ROW
  short_row::transform(s);
#elif FG_SUMS == 2
  mirrored_sums::run(s);
#elif FG_SUMS == 1
  load_tile(s);
  let_next_launch();
  sums::transform(s);
  store_tile(s);
#elif FG_AHEAD
  transform_tiles(s);
#else
  cplx v[POINTS];
#if FG_REAL_RADIX
  real_convolution::load(s, v);
  run_stages<0>(s, v);
  real_convolution::store(s, v);
#else
  if constexpr (LOAD_THROUGH) load_through(s, v);
  else load_lines(s, v);
  run_stages<0>(s, v);
  if (FG_CONVOLVE && !FG_RADER) {
#pragma unroll
    for (int i = 0; i < POINTS; i++) v[i] = swapped(v[i]);
  }
  if constexpr (STORE_THROUGH) store_through(s, v);
  else store_lines(s, v);
#endif
#endif
}
