/* exchange.h: where the points of a tile lie in shared memory, and the exchange between two stages.
 *
 * A tile is FG_LINES lines of FG_N points.  If every stage runs lines-fastest (COLUMN), points are stored lines-fastest too;
 * otherwise each line is contiguous with an odd pitch, so that threads along a line and threads across lines both spread
 * over the banks.  One point of padding after each 128 bytes breaks up the power-of-two strides of the Stockham order. */
#ifndef FG_EXCHANGE_H
#define FG_EXCHANGE_H

#include "stage.h"

constexpr int POINTS_128 = 128 / (2 * int(sizeof(real)));
FG_CONSTANT int padded(int q) { return q + q / POINTS_128; }
constexpr int PITCH = padded(FG_N) | 1;

FG_DEVICE int tile_address(int line, int k) {
  return FG_COLUMN_TILE ? padded(k * FG_LINES + line) : line * PITCH + padded(k);
}

/* Results of stage S, in Stockham order: butterfly b's output j is point (b/P)·P·R + b%P + j·P. */
template <int S> FG_DEVICE void exchange_write(const cplx *v, cplx *tile) {
  using T = stage<S>;
#pragma unroll
  for (int i = 0; i < T::REPEATS; i++) {
    const spot at = T::locate(i);
    if (!at.exists) continue;
    const int k = (at.b / T::P) * (T::P * T::R) + at.b % T::P;
#pragma unroll
    for (int j = 0; j < T::R; j++) shared_store(tile + tile_address(at.line, k + j * T::P), v[i * T::R + j]);
  }
}

/* Inputs of stage S: butterfly b's input j is point b + j·N/R. */
template <int S> FG_DEVICE void exchange_read(cplx *v, const cplx *tile) {
  using T = stage<S>;
#pragma unroll
  for (int i = 0; i < T::REPEATS; i++) {
    const spot at = T::locate(i);
    if (!at.exists) continue;
#pragma unroll
    for (int j = 0; j < T::R; j++) v[i * T::R + j] = shared_load(tile + tile_address(at.line, at.b + j * T::M));
  }
}

#endif
