/* geometry_r2r.c: boxes a block and threads of small real to real transforms, of which a thread has whole lines. */
#include <math.h>

#include "src/pass/fit.h"
#include "src/pass/tuned.h"

/* A large prime's butterfly keeps sums and differences beside its points.  n > 0. */
static bool has_large_prime(ptrdiff_t n) {
  enum { SMALL = 13 };
  for (ptrdiff_t q = 2; q <= SMALL; q++)
    while (n % q == 0) n /= q;
  return n > 1;
}

/* Registers of a thread: the line's elements, factors and addresses.  (ptxas, sm_90, of 16 elements 48, 24 54, 32 62, 64 96 to
 * 108, 96 128, 128 151 to 168, 61 156; in double precision of 24 84, of 32 90.) */
static int registers_of(const fg_pass *p) {
  int most = 0;
  for (int d = 0; d < p->dims; d++) {
    const ptrdiff_t n = p->box[d].n;
    const int elements = (int)n * (has_large_prime(fg_kind_length(p->kind[d], n)) ? 2 : 1);
    if (elements > most) most = elements;
  }
  const int registers = (most * (p->precision == FG_SINGLE ? 1 : 2) + 39 + 7) / 8 * 8;
  return registers < 255 ? registers : 255;
}

/* Whose registers fit, each quarter of a multiprocessor having a quarter of them for whole warps. */
static int blocks_of(const fg_pass *p, const fg_device_info *device) {
  enum { MOST = 32 };
  const int by_registers = device->registers_sm / 4 / (32 * registers_of(p)) * 4 / (p->threads / 32);
  const int by_threads = device->threads_sm / p->threads, room = (int)fg_fit_room(device, fg_geometry_shared(p));
  const int blocks = by_registers < by_threads ? by_registers : by_threads;
  const int fit = blocks < room ? blocks : room;
  return fit < MOST ? fit : MOST;
}

/* The share of thread slots that have a line. */
static double busy(const fg_pass *p) {
  double lines = 0, slots = 0;
  for (int d = 0; d < p->dims; d++) {
    const double all = (double)p->lines * (double)(p->n / p->box[d].n);
    lines += all;
    slots += ceil(all / p->threads) * p->threads;
  }
  return lines / slots;
}

/* Lines that are under way on a multiprocessor hide each other's latency, the more of them the shorter they are, and blocks
 * each other's waits.  (On an H100 33² in blocks of 64, 160, 96, 224, 32 and 96 threads, 13, 4, 8, 3, 24 and 3 of them, with 429,
 * 528, 528, 594, 399 and 276 lines: 28.0, 28.8, 29.7, 30.2, 31.4 and 43 us.  Twelve boxes of 8² to 31 x 15, wanting
 * ENOUGH · LONG/length lines, 1.37 times as fast in the mean as wanting ENOUGH, to 3.1; one 1.04 times as slow.) */
double fg_geometry_score_r2r_box(const fg_pass *p, const fg_device_info *device) {
  enum { ENOUGH = 448, LONG = 33 };
  if (fg_geometry_shared(p) > device->shared_block) return 0;
  const int blocks = blocks_of(p, device);
  if (blocks < 1) return 0;
  const double length = pow((double)p->n, 1.0 / p->dims);
  const double share = blocks * p->threads * busy(p) / (ENOUGH * fmax(1, LONG / length));
  const double grid = (double)fg_pass_blocks(p) / device->multiprocessors;
  const double waves = grid >= 4 ? 1 : grid >= 1 ? 0.95 : 0.6 + 0.35 * grid;
  const double overlap = blocks >= 12 ? 1 : blocks >= 4 ? 0.97 : blocks == 3 ? 0.96 : blocks == 2 ? 0.93 : 0.8;
  return pow(fmin(share, 1), 0.8) * waves * overlap;
}

void fg_geometry_fit_r2r_box(fg_pass *p, const fg_device_info *device) {
  p->blocks_sm = blocks_of(p, device);
}

bool fg_geometry_choose_r2r_box(fg_pass *p, const fg_device_info *device) {
  fg_pass best = *p;
  double best_score = 0;
  const ptrdiff_t all = fg_pass_lines(p);
  for (p->lines = 1; p->lines <= 64 && p->lines / 2 < all; p->lines += p->lines < 4 ? 1 : p->lines < 16 ? 2 : 8) {
    if (p->lines > 1 && fg_geometry_shared(p) > FG_LARGEST_BLOCK) break;
    for (p->threads = 32; p->threads <= device->threads_block; p->threads += 32) {
      const double s = fg_geometry_score_r2r_box(p, device);
      if (s <= best_score * 1.001) continue;
      best_score = s;
      best = *p;
    }
  }
  if (best_score <= 0) return false;
  fg_geometry_fit_r2r_box(&best, device);
  *p = best;
  fg_tuned_correct(p, device);
  return true;
}
