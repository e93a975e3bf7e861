/* real_prime.c: rows of real data of prime length p, each as one real cyclic convolution, in one pass: half of the
 * arithmetic, and of the tile, of a line without imaginary part (cuda/kernel/real_prime.h).
 *
 * While p − 1 is smooth, without a prime beyond 32 and with an even radix from 6 to 42 among its factors, that is the
 * convolution's length, in groups of coprime stages as solver rader's; else a length from 2(p − 2) on.  The first stage, of
 * real points, may have any even
 * radix: the larger it is the fewer of its results are kept for nothing (those that are their own conjugates), the cheapest
 * is taken. */
#include "src/pass/radices.h"
#include "src/pass/residues.h"
#include "src/pass/solver.h"

enum {
  LEAST_RADIX = 6,    /* below, a third or more would be kept for nothing */
  LARGEST_RADIX = 42, /* above, a thread has too few registers */
  RADIX_SHIFT = 8,
  MOST_WAYS = LARGEST_RADIX
};

static bool applicable(const fg_planner *planner, const fg_work *w) {
  (void)planner;
  return fg_work_prime_row(w);
}

/* choice: the length of the convolution and the radix of real points. */
static bool lower_at(const fg_planner *planner, const fg_work *w, ptrdiff_t choice, fg_passes *list) {
  const ptrdiff_t prime = w->dim[0].n, length = choice >> RADIX_SHIFT;
  fg_pass p = fg_pass_of(w);
  p.pairs = false;
  p.real_radix = (int)(choice - (length << RADIX_SHIFT));
  p.n = length / p.real_radix * (p.real_radix / 2 + 1);
  p.filter = (fg_table){.kind = FG_TABLE_HARTLEY, .precision = w->precision, .sign = w->sign, .n = prime,
                        .length = length, .real = 1, .radix = {p.real_radix}};
  if (!fg_pass_is_whole(&p, FG_INPUT) || !fg_pass_is_whole(&p, FG_OUTPUT)) return false;
  return fg_passes_choose(planner, list, &p);
}

/* The least multiple of radix from least on whose quotient is a product of 2, 3, 5 and 7, divisible by 8 if it is long. */
static ptrdiff_t padded_length(ptrdiff_t least, int radix) {
  const ptrdiff_t step = least > 64 * radix ? 8 : 1;
  for (ptrdiff_t n = ((least + radix - 1) / radix + step - 1) / step * step;; n += step) {
    ptrdiff_t rest = n;
    for (int prime = 2; prime <= 7; prime++)
      while (rest % prime == 0) rest /= prime;
    if (rest == 1) return n * radix;
  }
}

/* The butterflies that there are (cuda/kernel/split_butterfly.h): those of half as many points, turned ones of powers of two. */
static bool exists(int radix, enum fg_precision precision) {
  return radix / 2 % 2 ? fg_radix_exists(radix / 2, precision) : radix == 8 || radix == 16 || radix == 32;
}

static int ways(const fg_work *w, ptrdiff_t list[MOST_WAYS]) {
  const ptrdiff_t powers = w->dim[0].n - 1;
  int count = 0;
  const bool cyclic = fg_smooth(powers, w->precision) && fg_radices_permute(powers);
  for (int padded = !cyclic; count == 0 && padded < 2; padded++)
    for (int radix = padded ? 16 : LEAST_RADIX; radix <= (padded ? 32 : LARGEST_RADIX); radix += 2) {
      if ((!padded && powers % radix) || !exists(radix, w->precision)) continue;
      list[count++] = (padded ? padded_length(2 * powers - 2, radix) : powers) * (1 << RADIX_SHIFT) + radix;
    }
  return count;
}

static bool lower(const fg_planner *planner, const fg_work *w, fg_passes *list) {
  ptrdiff_t choices[MOST_WAYS];
  return fg_planner_cheapest(planner, w, lower_at, choices, ways(w, choices), list);
}

const fg_solver fg_solver_real_prime = {"real_prime", applicable, lower};
