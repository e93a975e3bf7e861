/* r2r_box.cu: one pass over the data for small two- and three-dimensional real to real transforms, whole in a block.
 *
 * Each block does FG_BOXES transforms, one dimension after the other; a thread has a whole line of it in registers at a time
 * (real_line.h), and threads run along the last dimension first, or from row to row.  The first dimension is the slowest, whose
 * lines neighbouring threads load side by side.  All lie in the tile as in memory, rows an odd number of elements apart, and
 * are stored from there, or, where the last dimension done is not that of the rows and these are whole sectors, by its lines.
 * (doc/algorithms.md, solver r2r_box.)
 *
 * Constants (set by src/pass/kernel.c) beside those of tile.cu that apply:
 *   FG_DIMS, FG_SIZES, FG_KINDS       dimensions; of each the elements and the kind, slowest first
 *   FG_TOTAL, FG_BOXES                their product, transforms a block
 *   FG_STAGES, FG_AXES                the dimensions in the order in which they are done
 *   FG_PITCH                          elements from row to row in shared memory
 *   FG_OUT_DENSE                      1: elements are stored one behind the other, box after box */
#include "args.h"
#include "element.h"
#include "line.h"
#include "real_line.h"

enum : int { DIMS = FG_DIMS, ROW = DIMS - 1, LAST = FG_STAGES - 1 };

FG_CONSTANT int size_of(int d) {
  constexpr int sizes[] = {FG_SIZES};
  return sizes[d];
}
FG_CONSTANT int kind_of(int d) {
  constexpr int kinds[] = {FG_KINDS};
  return kinds[d];
}
FG_CONSTANT int axis_of(int s) {
  constexpr int axes[] = {FG_AXES};
  return axes[s];
}
enum : int { ROWS = FG_TOTAL / size_of(ROW) };

/* Elements from neighbour to neighbour along dimension d in the tile. */
FG_CONSTANT int pitch_of(int d) {
  int p = d == ROW ? 1 : FG_PITCH;
  for (int i = d + 1; i < ROW; i++) p *= size_of(i);
  return p;
}
enum : int { BOX = ROWS * FG_PITCH };

enum : bool { STORES_LINES = axis_of(LAST) != ROW && size_of(ROW) * int(sizeof(out_memory::one)) % 32 == 0 };

/* The first element of a line along a dimension, or an element: its box, its place in the tile, and in memory from the
 * box's. */
struct element_place {
  int box, tile;
  long long in, out;
};
template <int AXIS> FG_DEVICE element_place place_of_line(const fg_tile_args &a, int line) {
  element_place p = {0, 0, 0, 0};
#pragma unroll
  for (int d = ROW; d >= 0; d--) {
    if (d == AXIS) continue;
    const int at = line % size_of(d);
    line /= size_of(d);
    p.tile += at * pitch_of(d);
    p.in += at * a.box_in[d];
    p.out += at * a.box_out[d];
  }
  p.box = line;
  p.tile += line * BOX;
  return p;
}

/* The last block may have room for more. */
FG_DEVICE bool box_exists(const fg_tile_args &a, line_number box) {
  return FG_BOXES == 1 || box < line_number(a.lines);
}

template <int S> FG_DEVICE void do_lines(const fg_tile_args &a, line_number first, real *tile) {
  constexpr int AXIS = axis_of(S), N = size_of(AXIS), LINES = FG_BOXES * (FG_TOTAL / N), PITCH = pitch_of(AXIS);
#pragma unroll 1
  for (int line = threadIdx.x; line < LINES; line += FG_THREADS) {
    const element_place p = place_of_line<AXIS>(a, line);
    const bool exists = box_exists(a, first + p.box);
    real x[N];
    if constexpr (S == 0) {
      const long long at = exists ? place_of(a, first + p.box).in + p.in : 0;
#pragma unroll
      for (int j = 0; j < N; j++) x[j] = exists ? read_number(a.in_re, at + j * a.box_in[AXIS]) : real(0);
    } else {
#pragma unroll
      for (int j = 0; j < N; j++) x[j] = shared_load(tile + p.tile + j * PITCH);
    }
    real_line::transform<N, kind_of(AXIS)>(x);
    if constexpr (S == LAST && STORES_LINES) {
      if (!exists) continue;
      const long long at = place_of(a, first + p.box).out + p.out;
#pragma unroll
      for (int j = 0; j < N; j++) write_number(a.out_re, at + j * a.box_out[AXIS], x[j]);
    } else {
#pragma unroll
      for (int j = 0; j < N; j++) shared_store(tile + p.tile + j * PITCH, x[j]);
    }
  }
  if constexpr (S < LAST || !STORES_LINES) __syncthreads();
  if constexpr (S + 1 == LAST) let_next_launch();
  if constexpr (S < LAST) do_lines<S + 1>(a, first, tile);
}

/* Element after element of the block, some at a time. */
FG_DEVICE void store_elements(const fg_tile_args &a, line_number first, const real *tile) {
  constexpr int ALL = FG_BOXES * FG_TOTAL, BATCH = 8;
  const line_number left = line_number(a.lines) - first;
  const int count = FG_BOXES == 1 || left >= FG_BOXES ? ALL : int(left) * FG_TOTAL;
  const long long begin = place_of(a, first).out;
#pragma unroll 1
  for (int i = threadIdx.x; i < count; i += BATCH * FG_THREADS) {
#pragma unroll
    for (int b = 0; b < BATCH; b++) {
      const int e = i + b * FG_THREADS;
      if (e >= count) break;
      if constexpr (FG_OUT_DENSE) {
        write_number(a.out_re, begin + e, shared_load(tile + e + e / size_of(ROW) * (FG_PITCH - size_of(ROW))));
      } else {
        const element_place p = place_of_line<-1>(a, e);
        write_number(a.out_re, place_of(a, first + p.box).out + p.out, shared_load(tile + p.tile));
      }
    }
  }
}

extern "C" __global__ void __launch_bounds__(FG_THREADS, FG_BLOCKS_SM) fg_r2r_box(const fg_tile_args args) {
  wait_for_last_launch();
  real *const tile = static_cast<real *>(FG_SHARED_BASE());
  const line_number first = line_number(blockIdx.x) * FG_BOXES;
  do_lines<0>(args, first, tile);
  if constexpr (!STORES_LINES) store_elements(args, first, tile);
}
