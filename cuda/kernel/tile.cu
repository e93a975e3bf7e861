/* tile.cu: one pass over the data: blocks load lines, transform them whole in registers and shared memory, store them.
 *
 * Each block does FG_LINES lines of FG_N points.  In order: load, factor from the load table, forward DFT (with real and
 * imaginary part swapped around it for the backward one), twiddle exp(−2πi·J·k/N'), factor from the store table, store.
 * FG_CONVOLVE: the DFT is replaced by a cyclic convolution: DFT, product with the transformed filter, inverse DFT.
 *
 * Constants (set by src/pass/kernel.c):
 *   FG_REAL                    float or double
 *   FG_N, FG_LINES, FG_THREADS, FG_BLOCKS_SM, FG_PAD, FG_TILE_POINTS
 *   FG_STAGES, FG_RADICES, FG_COLUMNS   radices of the stages; 1 where a stage's butterflies run across lines first
 *   FG_BACKWARD, FG_IN_SPLIT, FG_OUT_SPLIT, FG_TWIDDLE, FG_LOAD_TABLE, FG_STORE_TABLE, FG_CONVOLVE   0 or 1
 *   FG_IN_UNIT, FG_OUT_UNIT    1: the stride along the line is 1
 *   FG_IN_DENSE, FG_OUT_DENSE  1: line after line without a gap, and nothing but data to look up
 *   FG_LOOPS                   loops around the line; FG_WIDE 1: more than 2³¹ lines */
#include "args.h"
#include "exchange.h"
#include "line.h"

struct pass_state {
  const fg_tile_args &args;
  line_number first; /* of this block */
  cplx *tile;
  const line_place *places; /* of the block's lines, in shared memory; only with several loops */
};

/* With one loop a line's place is a product; with several it is worked out once per line and kept in shared memory. */
constexpr bool KEEP_PLACES = FG_LOOPS > 1;

FG_DEVICE void keep_places(const pass_state &s, line_place *places) {
  for (int l = threadIdx.x; l < FG_LINES; l += FG_THREADS)
    if (s.first + l < line_number(s.args.lines)) shared_store(places + l, place_of(s.args, s.first + l));
  __syncthreads();
}

FG_DEVICE line_place place(const pass_state &s, int line) {
  if (KEEP_PLACES) return shared_load(s.places + line);
  return place_of(s.args, s.first + line);
}

FG_DEVICE bool line_exists(const pass_state &s, int line) { return s.first + line < line_number(s.args.lines); }

/* Where the points of one butterfly of a line are in global memory, or go to: the first, and the step between them. */
struct run_of_points {
  const line_place &place;
  long long at, step;
  int k, dk; /* the same as indices along the line */
};

FG_DEVICE cplx read_point(const fg_tile_args &a, long long at) {
  if (FG_IN_SPLIT)
    return {global_load(static_cast<const real *>(a.in_re) + at), global_load(static_cast<const real *>(a.in_im) + at)};
  return global_load(static_cast<const cplx *>(a.in_re) + at);
}

FG_DEVICE void write_point(const fg_tile_args &a, long long at, cplx v) {
  if (FG_OUT_SPLIT) {
    global_store(static_cast<real *>(a.out_re) + at, v.x);
    global_store(static_cast<real *>(a.out_im) + at, v.y);
  } else {
    global_store(static_cast<cplx *>(a.out_re) + at, v);
  }
}

FG_DEVICE cplx load_point(const fg_tile_args &a, const run_of_points &r, int j) {
  const long long position = FG_LOAD_TABLE ? r.place.load + (r.k + j * r.dk) * a.load_weight : 0;
  if (FG_LOAD_TABLE && position >= a.load_limit) return {0, 0};
  cplx v = read_point(a, r.at + j * r.step);
  if (FG_LOAD_TABLE) v = v * table_load(static_cast<const cplx *>(a.load_table) + position);
  return FG_BACKWARD ? swapped(v) : v;
}

FG_DEVICE cplx twiddled(const fg_tile_args &a, long long index, int k, cplx v) {
  const unsigned m = unsigned(index) * unsigned(k);
  return v * (table_load(static_cast<const cplx *>(a.high) + (m >> a.shift)) *
              table_load(static_cast<const cplx *>(a.low) + (m & a.mask)));
}

FG_DEVICE void store_point(const fg_tile_args &a, const run_of_points &r, int j, cplx v) {
  if (FG_TWIDDLE) v = twiddled(a, r.place.twiddle, r.k + j * r.dk, v);
  if (FG_BACKWARD) v = swapped(v);
  if (FG_STORE_TABLE) {
    const long long position = r.place.store + (r.k + j * r.dk) * a.store_weight;
    if (position >= a.store_limit) return;
    v = v * table_load(static_cast<const cplx *>(a.store_table) + position);
  }
  write_point(a, r.at + j * r.step, v);
}

/* A move (radix 1) along dense lines: point after point of the block, whatever line it is in. */
template <int S> FG_CONSTANT bool moves_along() { return radix_of(S) == 1 && !column_of(S) && FG_N > 1; }

FG_DEVICE bool dense_point(const pass_state &s, int i, long long *at) {
  const int u = threadIdx.x + i * FG_THREADS;
  *at = static_cast<long long>(s.first) * FG_N + u;
  return u < FG_LINES * FG_N && *at < s.args.lines * FG_N;
}

FG_DEVICE void load_dense(const pass_state &s, cplx *v) {
#pragma unroll
  for (int i = 0; i < stage<0>::REPEATS; i++) {
    long long at;
    v[i] = {0, 0};
    if (!dense_point(s, i, &at)) continue;
    v[i] = read_point(s.args, at);
    if (FG_BACKWARD) v[i] = swapped(v[i]);
  }
}

FG_DEVICE void store_dense(const pass_state &s, const cplx *v) {
#pragma unroll
  for (int i = 0; i < stage<LAST>::REPEATS; i++) {
    long long at;
    if (dense_point(s, i, &at)) write_point(s.args, at, FG_BACKWARD ? swapped(v[i]) : v[i]);
  }
}

FG_DEVICE void load_lines(const pass_state &s, cplx *v) {
  using T = stage<0>;
  if constexpr (FG_IN_DENSE && moves_along<0>()) {
    load_dense(s, v);
    return;
  }
  const long long stride = FG_IN_UNIT ? 1 : s.args.in;
#pragma unroll
  for (int i = 0; i < T::REPEATS; i++) {
    const spot at = T::locate(i);
#pragma unroll
    for (int j = 0; j < T::R; j++) v[i * T::R + j] = {0, 0};
    if (!at.exists || !line_exists(s, at.line)) continue;
    const line_place p = place(s, at.line);
    const run_of_points r = {p, p.in + at.b * stride, T::M * stride, at.b, T::M};
#pragma unroll
    for (int j = 0; j < T::R; j++) v[i * T::R + j] = load_point(s.args, r, j);
  }
}

FG_DEVICE void store_lines(const pass_state &s, const cplx *v) {
  using T = stage<LAST>;
  if constexpr (FG_OUT_DENSE && moves_along<LAST>()) {
    store_dense(s, v);
    return;
  }
  const long long stride = FG_OUT_UNIT ? 1 : s.args.out;
#pragma unroll
  for (int i = 0; i < T::REPEATS; i++) {
    const spot at = T::locate(i);
    if (!at.exists || !line_exists(s, at.line)) continue;
    const line_place p = place(s, at.line);
    const run_of_points r = {p, p.out + at.b * stride, T::M * stride, at.b, T::M};
#pragma unroll
    for (int j = 0; j < T::R; j++) store_point(s.args, r, j, v[i * T::R + j]);
  }
}

/* Between the two halves of a convolution: product with the filter, and the swap that makes what follows an inverse. */
FG_DEVICE void apply_filter(const pass_state &s, cplx *v) {
  using T = stage<STAGES - 1>;
#pragma unroll
  for (int i = 0; i < T::REPEATS; i++) {
    const spot at = T::locate(i);
    if (!at.exists) continue;
#pragma unroll
    for (int j = 0; j < T::R; j++) {
      const cplx f = table_load(static_cast<const cplx *>(s.args.filter) + at.b + j * T::M);
      v[i * T::R + j] = swapped(v[i * T::R + j] * f);
    }
  }
}

template <int S> FG_DEVICE void run_stages(const pass_state &s, cplx *v) {
  compute<S>(v, static_cast<const cplx *>(s.args.stages));
  if constexpr (S < LAST) {
    if constexpr (FG_CONVOLVE && S == STAGES - 1) {
      apply_filter(s, v);
    } else {
      if (S != 0) __syncthreads(); /* the tile is still being read */
      exchange_write<S>(v, s.tile);
      __syncthreads();
      exchange_read<S + 1>(v, s.tile);
    }
    run_stages<S + 1>(s, v);
  }
}

extern "C" __global__ void __launch_bounds__(FG_THREADS, FG_BLOCKS_SM) fg_tile(const fg_tile_args args) {
  cplx *const tile = static_cast<cplx *>(FG_SHARED_BASE());
  line_place *const places = reinterpret_cast<line_place *>(tile + FG_TILE_POINTS);
  const pass_state s = {args, line_number(blockIdx.x) * FG_LINES, tile, places};
  if (KEEP_PLACES) keep_places(s, places);

  cplx v[POINTS];
  load_lines(s, v);
  run_stages<0>(s, v);
  if (FG_CONVOLVE) {
#pragma unroll
    for (int i = 0; i < POINTS; i++) v[i] = swapped(v[i]);
  }
  store_lines(s, v);
}
