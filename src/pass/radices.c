/* radices.c: which lengths the butterflies can do, and in which stages. */
#include "src/pass/radices.h"

#include <string.h>

#include "src/pass/residues.h"

enum { LARGEST_COMPOSITE = 32, LARGEST_PRIME = 61, LARGEST_DOUBLE = 43 };

bool fg_radix_large(int r) { return r > LARGEST_COMPOSITE && r <= FG_MAX_RADIX && !fg_is_prime(r); }

bool fg_radix_either(int r, enum fg_precision precision) {
  return fg_radix_exists(r, precision) || (precision == FG_SINGLE && fg_radix_large(r));
}

bool fg_radix_exists(int r, enum fg_precision precision) {
  if (r <= LARGEST_COMPOSITE) return r >= 2;
  return r <= (precision == FG_SINGLE ? LARGEST_PRIME : LARGEST_DOUBLE) && fg_is_prime(r);
}

bool fg_smooth(ptrdiff_t n, enum fg_precision precision) {
  if (n < 1) return false;
  for (int p = 2; p <= FG_MAX_RADIX; p++)
    while (n % p == 0 && fg_radix_exists(p, precision)) n /= p;
  return n == 1;
}

bool fg_radices_permute(ptrdiff_t n) {
  for (int p = LARGEST_COMPOSITE + 1; p <= FG_MAX_RADIX; p++)
    if (fg_is_prime(p) && n % p == 0) return false;
  return true;
}

static bool better(const fg_radix_list *a, const fg_radix_list *b) {
  return a->stages != b->stages ? a->stages < b->stages : a->squares < b->squares;
}

int fg_real_radix(ptrdiff_t n, enum fg_precision precision, int most) {
  enum { LARGEST_REAL = 59 };
  for (int r = most < LARGEST_REAL ? most : LARGEST_REAL; r > 1; r--)
    if (r % 2 && r < n && n % r == 0 && fg_radix_exists(r, precision)) return r;
  return 0;
}

typedef struct {
  fg_radix_list *list;
  int count, max;
  enum fg_precision precision;
  bool large;
} collection;

/* Keep the list sorted, best first. */
static void collect(collection *c, const fg_radix_list *now) {
  if (c->count == c->max && !better(now, &c->list[c->max - 1])) return;
  int at = c->count < c->max ? c->count++ : c->max - 1;
  for (; at > 0 && better(now, &c->list[at - 1]); at--) c->list[at] = c->list[at - 1];
  c->list[at] = *now;
}

/* Stages that rest needs at least, with radices up to largest. */
static int fewest(ptrdiff_t rest, int largest) {
  int stages = 0;
  for (ptrdiff_t reach = 1; reach < rest; reach = reach > rest / largest ? rest : reach * largest) stages++;
  return stages;
}

static void search(ptrdiff_t rest, int largest, fg_radix_list *now, collection *c) {
  if (c->large && now->stages > 0 && !fg_radix_large(now->radix[0])) return; /* the largest comes first */
  if (rest == 1) {
    collect(c, now);
    return;
  }
  const int most = c->count == c->max ? c->list[c->max - 1].stages : FG_MAX_STAGES - 2;
  if (now->stages + fewest(rest, largest) > most) return;
  for (int r = largest; r >= 2; r--) {
    if (rest % r || !(fg_radix_exists(r, c->precision) || (c->large && fg_radix_large(r)))) continue;
    now->radix[now->stages++] = r;
    now->squares += r * r;
    search(rest / r, r, now, c);
    now->squares -= r * r;
    now->radix[--now->stages] = 0; /* lists are compared as they are */
  }
}

static int lists(ptrdiff_t n, enum fg_precision precision, bool large, fg_radix_list *list, int max) {
  collection c = {list, 0, max, precision, large};
  fg_radix_list now;
  memset(&now, 0, sizeof now);
  if (n == 1) {
    now.stages = now.radix[0] = 1;
    if (!large) collect(&c, &now);
  } else if (fg_smooth(n, precision)) {
    search(n, FG_MAX_RADIX, &now, &c);
  }
  return c.count;
}

int fg_radix_lists(ptrdiff_t n, enum fg_precision precision, fg_radix_list *list, int max) {
  return lists(n, precision, false, list, max);
}

int fg_radix_large_lists(ptrdiff_t n, enum fg_precision precision, fg_radix_list *list, int max) {
  return precision == FG_SINGLE ? lists(n, precision, true, list, max) : 0;
}
