/* test_real.c: transforms of real data on the simulated device: r2c, c2r and the eleven r2r kinds, against sums in
 * long double.  Compiled once for each precision, and once for arrays of doubles on the device that are computed
 * with in single precision. */
#include "real_case.h"
#include "src/pass/choice.h"
#include "src/pass/geometry.h"
#include "src/pass/solver.h"
#include "src/problem/notation.h"

static void check_format(const char *format, int n, size_t shared_block) {
  char text[80];
  snprintf(text, sizeof text, format, n);
  check(text, shared_block);
}

/* How many of the list's passes are half rows. */
static int half_rows(void) {
  int count = 0;
  for (int i = 0; i < list.count; i++) count += list.pass[i].half_row;
  return count;
}

static int paired_rows(void) {
  int count = 0;
  for (int i = 0; i < list.count; i++) count += list.pass[i].pairs;
  return count;
}

static int odd_rows(void) {
  int count = 0;
  for (int i = 0; i < list.count; i++) count += list.pass[i].odd_row;
  return count;
}

/* ---- the tests ---- */

/* For check, and how many there are of what the test counts. */
typedef struct {
  const char *text;
  size_t shared_block;
  int count;
} counted;

static const int lengths[] = {1, 2, 3, 4, 5, 8, 9, 15, 16, 17, 27, 34, 41, 60, 101, 128, 134, 167};

/* Each length both ways; a single row of every second, of the others a few in place. */
START_TEST(real_rows_are_right) {
  check_format("orf%d*7", lengths[_i], 0);
  check_format("orb%d*6", lengths[_i], 0);
  check_format(_i % 2 ? "orf%d*1" : "irf%d*3", lengths[_i], 0);
  check_format(_i % 2 ? "orb%d*1" : "irb%d*4", lengths[_i], 0);
}
END_TEST

/* Every kind of each length; every second of them in place, which is one row alone, the others rows that are not. */
START_TEST(every_kind_is_right) {
  for (int k = 0; k < FG_NOTATION_KINDS; k++) {
    char text[40];
    const int n = lengths[_i];
    if (n == 1 && !strcmp(fg_notation_kinds[k], "e00")) continue; /* no such transform */
    snprintf(text, sizeof text, (_i / 2 + k) % 2 ? "ok%d%s*5" : "ik%d%s", n, fg_notation_kinds[k]);
    check(text, 0);
  }
}
END_TEST

/* Two rows of one transform share a line that cannot be halved (of a batch none do): of one stage and of several, an odd
 * number of them, along the rows and across, in place.  (The other dimension is more than a thread has of a box.) */
START_TEST(rows_of_one_transform_share_lines) {
  static const char *const formats[] = {"ok135hx%d%s", "ik132hx%d%s", "ok3hx%d%sx132h", "ok3hx%d%sx132h"};
  static const int odd_lengths[] = {17, 21, 17, 21}, passes[] = {2, 1, 1, 1}; /* 135 is odd, too */
  const char *const kind = fg_notation_kinds[_i];
  const bool extends = !strcmp(kind + 1, "00");
  for (int i = 0; i < TEST_COUNT(formats); i++) {
    char text[40];
    const int n = extends ? (*kind == 'e' ? 12 : 10) : odd_lengths[i]; /* of 22 extended ones */
    snprintf(text, sizeof text, formats[i], n, kind);
    check(text, 0);
    ck_assert_msg(paired_rows() == passes[i], "%s: %d passes", text, paired_rows());
  }
}
END_TEST

/* Three stages and more, gaps, splits, several loops, convolutions in parts; the other dimensions' passes are none. */
static const struct {
  const char *text;
  size_t shared_block;
} paired[] = {
    {"ok3hx195e10", 0}, {"ik2hx415e10", 0}, {"ik415e10x2o01", 0}, {"ok445o11x5h", 0}, {"orf6x7x189", 2048}, {"orb6x7x189", 2048},
    {"irf5x9x99", 2048}, {"irb5x9x99", 2048}, {"/orf4x9x99*2", 2048}, {"/orb4x9x99*2", 2048},
    {"orf4:2000:1200x7:250:130x63:3:2", 1024}, {"orb4:1200:2000x7:130:250x63:2:3", 1024},
};

START_TEST(rows_share_lines_in_every_layout) {
  check(paired[_i].text, paired[_i].shared_block);
  ck_assert_msg(paired_rows() == !strchr(paired[_i].text, '*'), "%s: %d passes", paired[_i].text, paired_rows());
}
END_TEST

/* Lengths whose kinds, by 2(n - 1), 2(n + 1), 2n or n, are transforms of primes and their multiples: 37, which has a
 * butterfly, and 131, a cyclic convolution of 130 points; batches between the points; both placements of convolutions in
 * single precision, one of all else. */
static const int near_primes[] = {36, 37, 38, 74, 130, 131, 132};

START_TEST(kinds_near_primes_are_right) {
  int convolutions = 0;
  for (int k = 0; k < FG_NOTATION_KINDS; k++) {
    char text[60];
    const int n = near_primes[_i];
    for (int in_place = 0; in_place < 2; in_place++) {
      if ((n < 130 || PRECISION == FG_DOUBLE) && in_place != (_i + k) % 2) continue;
      if (in_place) snprintf(text, sizeof text, "ik%d:4%s*3:1", n, fg_notation_kinds[k]);
      else snprintf(text, sizeof text, "ok%d:2:3%s*3:%d:1", n, fg_notation_kinds[k], 2 * n + 1);
      check(text, 0);
      for (int i = 0; i < list.count; i++) convolutions += fg_pass_is_rader(&list.pass[i]);
    }
  }
  if (near_primes[_i] >= 74) ck_assert_int_gt(convolutions, 0);
}
END_TEST

/* Rows of kinds that have no other way: chirps in one pass and in three, primes in parts. */
static const struct {
  const char *text;
  size_t shared_block;
  enum fg_table_kind filter;
} convolved[] = {
    {"ok1253e01", 0, FG_TABLE_FILTER}, {"ok694o01", 0, FG_TABLE_FILTER}, {"ok1205o10*3", 8192, FG_TABLE_FILTER},
    {"ok835:-3:1o11", 0, FG_TABLE_FILTER}, {"ok1528o10*2", 0, FG_TABLE_RADER}, {"ok781e11", 0, FG_TABLE_RADER},
    {"ok1010e00*3", 0, FG_TABLE_RADER}, {"ik1008o00*3", 0, FG_TABLE_RADER}, {"ok1010e00v5", 0, FG_TABLE_RADER},
    {"ik348e00*2", 0, FG_TABLE_FILTER}, {"ok346:-2:1o00*3:1:350", 0, FG_TABLE_FILTER}, {"ok4080e00", 2048, FG_TABLE_FILTER},
};

START_TEST(kinds_are_convolutions) {
  check(convolved[_i].text, convolved[_i].shared_block);
  bool found = false;
  for (int i = 0; i < list.count; i++) found |= list.pass[i].filter.kind == convolved[_i].filter;
  ck_assert_msg(found, "%s", convolved[_i].text);
}
END_TEST

/* Extensions that mirror themselves, with a prime from 29 to 257 (double: 167), or from 17 in many parts or rows, are sums: batches
 * with gaps, rows, columns, backwards, in place, in planes of one transform and of several, as few lines as a block has. */
enum { NONE = FG_SUMS_NONE, LINES = FG_SUMS_OF_LINES, MIRRORS = FG_SUMS_OF_MIRRORS };
static const struct {
  const char *text;
  int single, twice; /* precisions */
  size_t shared_block;
} sums[] = {
    {"ok142e00*3", MIRRORS, MIRRORS, 0}, {"ik140o00*70", MIRRORS, MIRRORS, 0}, {"ok160:2:3e00*4:330:500", MIRRORS, MIRRORS, 0},
    {"ok250e00v3", MIRRORS, MIRRORS, 0}, {"ok248:-1:1o00", MIRRORS, MIRRORS, 0}, {"ok736:1:2o00*3:800:1500", MIRRORS, MIRRORS, 0},
    {"ok584e00*2", MIRRORS, MIRRORS, 0}, {"ok234o00x3h", MIRRORS, MIRRORS, 0}, {"ok5hx142e00", MIRRORS, MIRRORS, 0},
    {"ik2e00x158o00x3b", MIRRORS, MIRRORS, 0}, {"ok48e00*9", MIRRORS, MIRRORS, 0}, {"ok268e00*2", MIRRORS, MIRRORS, 0},
    {"ik95e00*4", MIRRORS, MIRRORS, 0}, {"ok166o00v37", MIRRORS, MIRRORS, 0}, {"ok128e00x142o00*2", MIRRORS, MIRRORS, 0},
    {"ok30:41:3o00*5:3:95x3:2000:500", MIRRORS, MIRRORS, 0}, {"ok497e00*5", MIRRORS, MIRRORS, 0}, {"ok35e00*9", MIRRORS, MIRRORS, 0},
    {"ok86e00v9", MIRRORS, MIRRORS, 0}, {"ok271o00*3", MIRRORS, MIRRORS, 0}, {"ok135e00*5", MIRRORS, MIRRORS, 0},
    {"ok141o00v9", MIRRORS, MIRRORS, 0}, {"ok335e00*5", MIRRORS, MIRRORS, 0}, {"ok333:3:-1o00*3:-1500:370", MIRRORS, MIRRORS, 0},
    {"ok180e00*5", MIRRORS, NONE, 0}, {"ok256o00v9", MIRRORS, NONE, 0}, {"ok387e00*3", MIRRORS, NONE, 0},
    /* Cut in two, or of too many parts: lines, in double precision; columns behind another pass where they are cut. */
    {"ok800e00*3", NONE, LINES, 0}, {"ok584e00*3", NONE, LINES, 2048}, {"ik422o00*3", NONE, LINES, 1536},
    /* Other kinds, smaller primes, larger ones, few parts of columns. */
    {"ok141e10*5", NONE, NONE, 0}, {"ok282h*5", NONE, NONE, 0}, {"ok170e00*3", NONE, NONE, 0}, {"ok262o00*3", NONE, NONE, 0},
    {"ok24e00*9", NONE, NONE, 0}, {"ok35e00v9", NONE, NONE, 0},
};

START_TEST(extensions_are_sums) {
  const int wanted = PRECISION == FG_DOUBLE ? sums[_i].twice : sums[_i].single;
  int found = NONE;
  check(sums[_i].text, sums[_i].shared_block);
  for (int i = 0; i < list.count; i++) {
    if (list.pass[i].sums) found = (int)list.pass[i].sums;
    if (list.pass[i].sums && sums[_i].shared_block) ck_assert_int_gt(i, 0);
  }
  ck_assert_msg(found == wanted, "%s: %d", sums[_i].text, found);
}
END_TEST

/* Rows of prime length as real convolutions: of p - 1 points (60, 66, 100, 126; 256, with twiddles between all stages) and
 * padded (167, 179); batches with gaps and loops, backwards, across rows, in place, splits, kinds. */
static const char *const primes[] = {
    "orf67*40", "orb67*40", "irf101*5", "orb167*3", "orf127:1:1*5:130:70", "orf71v9", "orb73:3:-2*3:230:-150",
    "/orb89*3", "orf97:1:1*3:100:120x2:300:50", "/orf101v3", "orf257*2", "irb101*4", "orf179v5", "ok131:2:3b*3:270:400", "ok127h*3",
    "ok113e10*3", "ok113o01*2", "ok167e11*2", "orf61*40", "orb61v37",
};

START_TEST(prime_rows_are_real_convolutions) {
  check(primes[_i], 0);
  ck_assert_int_eq(list.count, 1);
  ck_assert_int_eq(list.pass[0].filter.kind, FG_TABLE_HARTLEY);
  ck_assert_int_eq(list.pass[0].radix[0], list.pass[0].real_radix / 2 + 1);
  if (strstr(primes[_i], "x2:")) ck_assert_int_eq(list.pass[0].loops, 2);
}
END_TEST

/* Many rows of a long prime length: one pass while a block holds half of the convolution, padded or not. */
static const struct {
  const char *text;
  int passes;
  enum fg_table_kind filter; /* of any pass */
} long_primes[] = {{"orb1009*30000", 1, FG_TABLE_HARTLEY}, {"orf8191*4000", 1, FG_TABLE_HARTLEY},
                   {"orf10007*3000", 1, FG_TABLE_HARTLEY}, {"orb65521*400", 3, FG_TABLE_FILTER}};

START_TEST(long_prime_rows_are_one_pass) {
  const char *why = "";
  fg_problem *p = test_problem(long_primes[_i].text, FG_SINGLE);
  enum fg_table_kind filter = FG_TABLE_NONE;
  ck_assert(fg_planner_plan(p, &fg_reference_device, &list, &why));
  for (int i = 0; i < list.count; i++)
    if (list.pass[i].filter.kind) filter = list.pass[i].filter.kind;
  ck_assert_int_eq(list.count, long_primes[_i].passes);
  ck_assert_int_eq(filter, long_primes[_i].filter);
  fg_problem_free(p);
}
END_TEST

/* Orders of memory: across rows, transposed, backwards, gaps, several loops, tails; splits; several dimensions. */
static const char *const layouts[] = {
    "orf16v37", "orb16v37", "orf15v9", "orb60:1:9*9:40:1", "orf60:37:1*37:1:40", "orf64:1:5*5:64:1", "orb64:5:1*5:1:70",
    "orf12:-2:3*3:40:-60", "orb12:3:-1*4:50:20", "orf16:3:2*3:60:40x2:200:300", "orb9:2:1*3:20:10x3:100:40x2:300:150",
    "/orf24*5", "/orb24*5", "/orf17v3", "/orb17v4", "/orf360", "orf6x10", "orb6x10", "irf6x10*2", "irb6x9*3", "ok9:-2:1o10*4:30:9",
    "orf5x1", "orb1x4", "orf4x6x10", "orb4x6x10*2", "irb3x5x7", "/orb3x8x5", "/irf4x4*2", "orf64x100", "orb100x64", "orf2x3x2x5",
    "orb3x2x5x4", "orb4096x4x2", "irb2048x4x4*2", "/orb2048x4x4", "orb2x2048x2x3", /* long: from scratch, elsewhere in scratch */
    "ok6e00x10o11", "ik8f*2", "ik6:20b*3:1", "ok8:3:2hx7:40:16e11", "ik5o00x4e10x3b", "ok12e01v5", "ok4x3",
};

START_TEST(layouts_are_right) { check(layouts[_i], 0); }
END_TEST

START_TEST(long_convolutions_before_the_last_dimension_have_scratch) { check(_i ? "/orb2053x2*2" : "orb2053x2", 1024); }
END_TEST

/* Rows of even length that are lines of half as many points: one butterfly and several, halves that are even and odd,
 * one mate for all butterflies and one butterfly its own; neighbours that are one access and, with rows of odd distance,
 * some that are not; across rows, in place, splits, rows of one transform; the long ones' columns. */
static const struct {
  const char *text;
  size_t shared_block;
} halved[] = {
    {"orf22*3", 0}, {"orb22*3", 0}, {"orf90*4", 0}, {"orb90*5", 0}, {"orf100:1:1*4:101:51", 0},
    {"orb100:1:1*4:51:101", 0}, {"/irf64*5", 0}, {"irb90*3", 0}, {"orb24v37", 0}, {"orf96:-1:2*3:-96:120", 0},
    {"orf8x5000", 0}, {"orb8x5000", 0}, {"ok52f*3", 0}, {"ik90b*4", 0}, {"ok56:1:1h*3:57:57", 0}, {"ok62e10*5", 0},
    {"ok62o01*5", 0}, {"ik90e01*4", 0}, {"ok90o10*3", 0}, {"ok250e10*2", 0}, {"ok250o01*2", 0}, {"ok64:1:1e10*3:65:65", 0},
    {"ik64:1e01*3:65", 0}, {"ok54o10v9", 0}, {"ok1024e01*2", 0}, {"ok4096o10", 0}, {"orf4096*2", 4096},
    {"orb4096*2", 4096}, {"ok4096e10", 4096}, {"ok4096o01", 4096},
};

START_TEST(even_rows_are_halved) {
  check(halved[_i].text, halved[_i].shared_block);
  ck_assert_int_eq(half_rows(), 1);
}
END_TEST

/* Rows whose half is a prime or has a large one, as such lines: permuted, of one part and several, an even and an odd number of
 * them; convolved with a chirp, halves even and odd; one row a block and several, the last block not full; across rows, in place,
 * splits, gaps, rows of odd distance, loops; kinds of each order.  Not rows that share lines; of extensions those by even lengths
 * with primes that are not added up (below), in single precision; of what is too long for a tile the passes are those of whole rows. */
static const struct {
  const char *text;
  size_t shared_block;
  enum fg_table_kind kind;
  int count;
} half_lines[] = {
    {"orf134*37", 0, FG_TABLE_RADER, 1}, {"orb134*37", 0, FG_TABLE_RADER, 1}, {"orf402*3", 0, FG_TABLE_RADER, 1},
    {"orb402*3", 0, FG_TABLE_RADER, 1}, {"orf1588*2", 0, FG_TABLE_RADER, 1}, {"orb1588", 0, FG_TABLE_RADER, 1},
    {"orf334*5", 0, FG_TABLE_FILTER, 1}, {"orb334*5", 0, FG_TABLE_FILTER, 1}, {"orf668*5", 0, FG_TABLE_FILTER, 1},
    {"orb668*5", 0, FG_TABLE_FILTER, 1}, {"orf134v2048", 0, FG_TABLE_RADER, 1}, {"orb334v9", 0, FG_TABLE_FILTER, 1},
    {"orb268v64", 0, FG_TABLE_RADER, 1}, {"orf334v9", 0, FG_TABLE_FILTER, 1}, {"irf268*3", 0, FG_TABLE_RADER, 1},
    {"irb334*3", 0, FG_TABLE_FILTER, 1}, {"/orf334*5", 0, FG_TABLE_FILTER, 1}, {"/orb134*5", 0, FG_TABLE_RADER, 1},
    {"orf134:1:1*5:141:71", 0, FG_TABLE_RADER, 1}, {"orb334:1:1*5:180:335", 0, FG_TABLE_FILTER, 1},
    {"orf334:-2:3*3:-700:510", 0, FG_TABLE_FILTER, 1}, {"orb134:3:-1*4:210:-140", 0, FG_TABLE_RADER, 1},
    {"orf134:2:1*3:300:80x4:1000:300", 0, FG_TABLE_RADER, 1}, {"orb334:1:2*3:180:700x4:600:2200", 0, FG_TABLE_FILTER, 1},
    {"ok134f*5", 0, FG_TABLE_RADER, 1}, {"ik334b*4", 0, FG_TABLE_FILTER, 1}, {"ok668:1:1h*3:669:669", 0, FG_TABLE_FILTER, 1},
    {"ok134e10*5", 0, FG_TABLE_RADER, 1}, {"ik334o10*3", 0, FG_TABLE_FILTER, 1}, {"ok268e01*3", 0, FG_TABLE_RADER, 1},
    {"ok334o01v9", 0, FG_TABLE_FILTER, 1}, {"orf5x134", 0, FG_TABLE_RADER, 0}, {"ok395e00*5", 0, FG_TABLE_RADER, 1},
    {"ok393o00*7", 0, FG_TABLE_RADER, 1}, {"ik789e00*3", 0, FG_TABLE_RADER, 1}, {"ok397o00v9", 0, FG_TABLE_RADER, 1},
    {"ok455e00*5", 0, FG_TABLE_FILTER, 1}, {"ok2019e00v100", 0, FG_TABLE_RADER, 1},
    {"ok453:3:-1o00*3:-2000:500", 0, FG_TABLE_FILTER, 1}, {"ik455e00v5", 0, FG_TABLE_FILTER, 1},
    {"orf2018", 4096, FG_TABLE_NONE, 0},
};

START_TEST(rows_with_large_primes_are_halved) {
  check(half_lines[_i].text, half_lines[_i].shared_block);
  const bool whole = PRECISION == FG_DOUBLE && fg_form_extends(list.pass[0].from.form); /* which rounds less */
  ck_assert_int_eq(half_rows(), whole ? 0 : half_lines[_i].count);
  if (PRECISION == FG_SINGLE && half_lines[_i].count) ck_assert_int_eq(list.pass[0].filter.kind, half_lines[_i].kind);
}
END_TEST

/* Half spectra in scratch whose rows are longer than these, so that they begin with whole sectors; the last block of each
 * has fewer columns.  Planes, a box, long rows. */
static const struct {
  const char *text;
  size_t shared_block;
} padded[] = {{"orb130x301*3", 0}, {"/orb400x129*2", 0}, {"orb80x7x129*2", 4096}, {"orb16384*2", 4096}, {"ok8192e01*2", 4096}};

START_TEST(spectra_in_whole_sectors_are_right) {
  fg_padded_from = 0;
  check(padded[_i].text, padded[_i].shared_block);
  ck_assert(fg_pass_within_loop(&list.pass[0]));
}
END_TEST

/* Rows of odd composite length, as half of the lines that they are made of: two stages and three, real butterflies that are
 * primes, coprime products and powers; reals through the tile (one behind the other, runs below a sector) and not (gaps,
 * in place, strides); a last stage that fills no sector of the spectrum; across rows, backwards, splits, loops;
 * kinds of every order; columns of long rows.  Not rows of one transform, which share lines, nor 61 · 61, which has no such
 * butterfly. */
static const counted odd[] = {
    {"orf33*37", 0, 1}, {"orb35*37", 0, 1}, {"orf75:1:1*5:80:40", 0, 1}, {"orb243v5", 0, 1},
    {"orb49:2:1*3:100:50x4:400:200", 0, 1}, {"ok49e01*5", 0, 1}, {"irf45*3", 0, 1}, {"/orf99*5", 0, 1},
    {"irb63*3", 0, 1}, {"/orb105v7", 0, 1}, {"orf189:-2:3*3:400:-300", 0, 1}, {"orf1001", 0, 1}, {"orb1001*2", 0, 1}, {"orf1147", 0, 1},
    {"ok75f*3", 0, 1}, {"ik105b*3", 0, 1}, {"ok135:1:1h*3:140:140", 0, 1}, {"ik45e10*5", 0, 1}, {"ok63o10v5", 0, 1},
    {"ik77o11*3", 0, 1}, {"orb10395*2", 4096, 1}, {"ok10395e10*2", 4096, 1}, {"ok45fx75h", 0, 0}, {"orf3721", 0, 0},
};

START_TEST(odd_rows_are_halved) {
  check(odd[_i].text, odd[_i].shared_block);
  ck_assert_int_eq(odd_rows(), odd[_i].count);
}
END_TEST

/* REDFT00 and RODFT00: half rows of the extension.  Rows one behind the other, short ones through the tile on both sides
 * or one, and not (gaps, one row, strides, other dimensions); rows that begin at odd elements; lines of even and odd
 * length, one butterfly and several, one that is its own mate, which has no radix 2 beside it; in place; long ones'
 * columns.  Rows that round worse than stock FFTW's, and those whose half is no product of small primes, stay whole. */
static const counted extended[] = {
    {"ik33e00*37", 0, 1}, {"ok31o00*37", 0, 1}, {"ok129e00*9", 0, 1}, {"ik127o00*11", 0, 1}, {"ok65:1:1e00*3:66:67", 0, 1},
    {"ok63:1:1o00*3:66:63", 0, 1}, {"ok129e00v9", 0, 1}, {"ok4095o00", 4096, 1}, {"ok12e00*5", 0, 0}, {"ok10o00*5", 0, 0},
    {"ok128e00*3", 0, 0}, {"ok13e00*70", 0, 1}, {"ok12o00*5", 0, 1}, {"ok78e00*5", 0, 1}, {"ok76o00*5", 0, 1},
    {"ok257e00", 0, 1}, {"ok34:-2:1e00*3:1:34", 0, 1}, {"ok32:3:-1o00*4:-100:40", 0, 1}, {"ok141e00x33e00", 0, 2},
    {"ok1025e00*3", 0, 1}, {"ok1023o00*2", 0, 1}, {"ok4097e00*2", 4096, 1}, {"ok33:1:1e00*4:40:110x3:200:36", 0, 1},
};

START_TEST(extended_rows_are_halved) {
  check(extended[_i].text, extended[_i].shared_block);
  ck_assert_int_eq(half_rows(), extended[_i].count);
}
END_TEST

/* REDFT11 and RODFT11 of even length: points from both ends of a row together, on both sides (3), one (1: the input's) or none:
 * one butterfly and several, an even and an odd number of them, of which one is its own mate, moves, the last block not full;
 * in place; several dimensions.  Not so, where arrays are reached as they are, rows of odd distance and elements apart; nor
 * rows across, convolutions, several passes. */
static const struct {
  const char *text;
  size_t shared_block;
  int sides; /* of the first pass */
} folded[] = {
    {"ok6o11*9", 0, 3}, {"ik10e11*70", 0, 3}, {"ok250e11*3", 0, 3}, {"ik256o11*9", 0, 3}, {"ok1000e11*6", 0, 3},
    {"ok64:1:1e11*3:66:65", 0, TEST_WIDE ? 1 : 3}, {"ok60:2:1o11*4:121:70", 0, TEST_WIDE ? 2 : 3},
    {"ik90:1:1o11*4:91", 0, TEST_WIDE ? 0 : 3}, {"ok40:1:1e11*3:40:44x2:130:140", 0, 3}, {"ik130e11x100o11*2", 0, 3},
    {"ok12o11*33", 0, 3}, {"ok18e11*21", 0, 3}, {"ok24o11*21", 0, 3}, {"ik30e11*21", 0, 3}, {"ik96o11*7", 0, 3},
    {"ok2e11*5", 0, 3}, {"ok134e11*3", 0, 0}, {"ok1024o11*3", 0, 3}, {"ik4096e11*2", 0, 3}, {"ok900o11*3", 0, 3}, {"ok100e11v5", 0, 0}, {"ok4096o11", 4096, 0},
};

START_TEST(rows_are_reached_from_both_ends) {
  check(folded[_i].text, folded[_i].shared_block);
  const fg_pass *p = &list.pass[0];
  ck_assert_int_eq(fg_geometry_folds(p, FG_INPUT) + 2 * fg_geometry_folds(p, FG_OUTPUT), folded[_i].sides);
}
END_TEST

/* Two neighbours are one access only where the program's array is aligned to both.  What was measured of rows that are
 * reached from both ends says nothing about others. */
START_TEST(arrays_that_are_not_aligned_are_reached_real_by_real) {
  static const enum fg_reach aligned[] = {FG_REACH_ARRAY, FG_REACH_ARRAY}, apart[] = {FG_REACH_PLANES, FG_REACH_PLANES};
  static const char *const texts[] = {"orf64*3", "orb64*3", "ok257e00*3"};
  for (int i = 0; i < TEST_COUNT(texts); i++) {
    const char *why;
    fg_problem *p = test_problem(texts[i], ARRAYS);
    p->compute = PRECISION;
    ck_assert(fg_planner_plan_reaching(p, aligned, false, &fg_reference_device, &list, &why));
    ck_assert(fg_geometry_by_twos(&list.pass[0], i == 1 ? FG_OUTPUT : FG_INPUT));
    ck_assert(fg_planner_plan_reaching(p, apart, false, &fg_reference_device, &list, &why));
    ck_assert(!fg_geometry_by_twos(&list.pass[0], i == 1 ? FG_OUTPUT : FG_INPUT));
    fg_problem_free(p);
  }
  const char *why;
  char key[2][FG_CHOICE_KEY];
  fg_problem *p = test_problem("ok256e11*3", ARRAYS);
  p->compute = PRECISION;
  for (int i = 0; i < 2; i++) {
    ck_assert(fg_planner_plan_reaching(p, i ? apart : aligned, false, &fg_reference_device, &list, &why));
    for (int side = FG_INPUT; side <= FG_OUTPUT; side++) ck_assert_int_eq(fg_geometry_folds(&list.pass[0], side), !i);
    fg_choice_key(&list.pass[0], key[i]);
  }
  ck_assert_str_ne(key[0], key[1]);
  fg_problem_free(p);
}
END_TEST

/* And are right so: each kind, of even and odd length, rows that share a line, in place; r2c and c2r, boxes, several passes. */
START_TEST(kinds_of_arrays_that_are_not_aligned_are_right) {
  static const char *const formats[] = {"ok36%s*5", "ik33%s*3", "ok3hx21%s"};
  test_reach_apart = true;
  for (int i = 0; i < TEST_COUNT(formats); i++) {
    char text[40];
    snprintf(text, sizeof text, formats[i], fg_notation_kinds[_i]);
    check(text, 0);
    ck_assert(list.pass[0].from.split && !fg_geometry_by_twos(&list.pass[0], FG_INPUT));
  }
  test_reach_apart = false;
}
END_TEST

static const counted apart[] = { /* and their passes */
    {"orf36*5", 0, 1}, {"orb36*5", 0, 1}, {"irf33*3", 0, 1}, {"irb33*3", 0, 1}, {"orf101*3", 0, 1}, {"orf9x20*3", 0, 1},
    {"orf10x17x21", 0, 1}, {"orb10x17x21", 0, 1}, {"orb30x329*2", 0, 2}, {"ok134e11*3", 0, 1}, {"orf8x1024", 2048, 3},
};

START_TEST(arrays_that_are_not_aligned_are_right) {
  test_reach_apart = true;
  check(apart[_i].text, apart[_i].shared_block);
  test_reach_apart = false;
  ck_assert_msg(list.count == apart[_i].count, "%s: %d passes", apart[_i].text, list.count);
}
END_TEST

/* Small ones of two and three dimensions are one pass: odd and even lengths, splits, batches with tails and between the
 * points, gaps, loops, in place with padding, a single one. */
static const char *const boxes[] = {
    "orf16x16*5", "orb16x15*4", "irf12x10*3", "irb9x12x10*2", "irf5x6x7*3", "irb7x9*3", "/orf8x9x10*3", "/orb6x5x8v5",
    "orf12x10v6", "orb10x12v5", "orf20x21", "orb22x4x6", "orf6:40:30x10:3:2*3:300:200x2:1000:700",
    "orb4:-20:40x6:3:2*5:90:300", "orf2x2*9", "orb2x3x2*7", "orf37x4*3",
};

START_TEST(small_boxes_are_one_pass) {
  check(boxes[_i], 0);
  ck_assert_int_eq(list.count, 1);
  ck_assert_int_eq(list.pass[0].family, FG_FAMILY_BOX);
}
END_TEST

/* Half rows in boxes: one behind the other and across, in place, with a radix that is the whole of a row, several boxes a
 * block that do not divide their batch. */
static const char *const halved_boxes[] = {"orf12x60v6", "orb10x60v5", "orf29x14",  "irf9x22x60",
                                           "orb16x40*3", "orb12x60*5", "orf12x60*7"};

START_TEST(rows_of_boxes_are_halved) {
  check(halved_boxes[_i], 0);
  ck_assert(list.count == 1 && list.pass[0].family == FG_FAMILY_BOX);
  ck_assert_msg(half_rows() == 1, "%s", halved_boxes[_i]);
}
END_TEST

/* Of two dimensions, and on wide arrays: many boxes with few points for each of a block's threads. */
static const char *const flat[] = {"orf27x8*20", "orf32x7*25", "irf8x17*37"}, *const flat_wide[] = {
    "orf14x9*17", "irf8x26*39", "orb29x5x44"};

START_TEST(boxes_are_done_butterfly_by_butterfly) {
  const char *const text = TEST_WIDE ? flat_wide[_i] : flat[_i];
  check(text, 0);
  ck_assert_msg(list.count == 1 && fg_geometry_singly(&list.pass[0]), "%s", text);
}
END_TEST

/* Boxes of doubles whose butterflies a thread does one after the other. */
static const char *const singly[] = {"orf24x24x24*5", "orb20x20x21*5", "irb20x18x23*5", "/orf23x18x16*5"};

START_TEST(large_boxes_of_doubles_are_one_pass) {
  check(singly[_i], fg_reference_device.shared_block / 2);
  ck_assert(list.count == 1 && fg_geometry_singly(&list.pass[0]));
}
END_TEST

/* Several passes on a device with little shared memory: half of the data, in two and three, and where it cannot be
 * halved; count: at least so many. */
static const counted several[] = {
    {"orf1024", 2048, 2}, {"orb1024", 2048, 2}, {"orf1024*3", 2048, 2}, {"orb1024v3", 2048, 2},
    {"irf2048*2", 4096, 2},
    {"irb2048*2", 4096, 2}, {"orf1155", 4096, 2}, {"orb1155", 4096, 2}, {"orf16384", 1024, 3}, {"orb16384", 1024, 3},
    {"orf3003*2", 4096, 2}, {"orb3003", 4096, 2}, {"/orf1000:2:3", 2048, 2}, {"/orb1000:2:3", 2048, 2},
    {"orf263", 2048, 2},
    {"orb263*2", 2048, 2}, {"orf526", 2048, 2}, {"orb1009", 2048, 2}, {"orf8x1024", 2048, 3}, {"orb1024x8", 2048, 3},
    {"ok1024f", 2048, 2}, {"ok1024b", 2048, 2}, {"ok1024h*3", 2048, 2}, {"ok1024e10", 2048, 2},
    {"ok1024e01", 2048, 2},
    {"ok1024o10*2", 2048, 2}, {"ok1024o01", 2048, 2}, {"ok2048e11", 2048, 2}, {"ok2048o11", 2048, 2},
    {"ok1155e11", 4096, 2},
    {"ok1155o11*2", 4096, 2}, {"ok1025e00", 4096, 2}, {"ok1023o00", 4096, 2}, {"ik1155e10", 4096, 2},
    {"ok1155o01", 4096, 2},
    {"ok263e10", 2048, 2}, {"ok263b", 2048, 2}, {"ok263e11", 2048, 2}, {"ok254o00*3", 2048, 1}, {"ok526o11", 2048, 2},
};

START_TEST(long_transforms_are_right) {
  check(several[_i].text, several[_i].shared_block);
  ck_assert_int_ge(list.count, several[_i].count);
}
END_TEST

/* Rank 0, which no text can say: reals are brought to other places. */
START_TEST(transforms_of_no_dimension_copy) {
  const char *why = "";
  dice d = {59};
  fg_problem *p = fg_problem_new(FG_R2R, ARRAYS, FG_INTERLEAVED, 0, 2);
  ck_assert_ptr_nonnull(p);
  p->compute = PRECISION;
  p->batch.dim[0] = (fg_dim){4, 3, 1};
  p->batch.dim[1] = (fg_dim){5, 12, 4};
  ck_assert_msg(plan(p, false, &fg_reference_device, &why), "%s", why);
  ck_assert(test_placed_error(p, &list, false, false, &d) <= (TEST_WIDE ? FLT_EPSILON : 0));
  fg_problem_free(p);
}
END_TEST

/* Two passes for several dimensions: the digits of the last but one are shared between them. */
static const struct {
  const char *text;
  int half_rows;
} two_passes[] = {
    {"orf20x18x24*2", 0}, {"orb20x18x24*2", 0}, {"irf20x18x24", 0}, {"irb24x24x24", 0}, {"/orf24x24x24", 0},
    {"/orb24x24x24", 0}, {"orf20:1000:500x18:48:24x24:1:1", 0}, {"orb20:500:1000x18:24:48x24:1:1", 0},
    {"orf12x24x60", 1}, {"irb12x24x60", 1}};

START_TEST(digits_of_a_dimension_are_shared) {
  fg_overlap_caches = 0;
  check(two_passes[_i].text, 4096);
  ck_assert(list.count == 2 && list.pass[0].family == FG_FAMILY_BOX && list.pass[0].twiddle > 0);
  if (PRECISION == FG_SINGLE) ck_assert_int_eq(half_rows(), two_passes[_i].half_rows);
}
END_TEST

/* Where the last dimension fits no box, the digits' twiddle must not become its own. */
START_TEST(a_twiddle_is_of_its_own_dimension) {
  fg_overlap_caches = 0;
  check("orf2x600x67", 8192);
}
END_TEST

/* The point of it all: every pass of a long even transform moves about half of what the complex one's does. */
START_TEST(no_pass_moves_more_than_half) {
  static const char *const texts[] = {"orf65536*8", "orb65536*8", "orf512*4096", "orb512*4096", "orf512x512",
                                      "orb512x512"};
  fg_device_info device = fg_reference_device;
  device.cluster = 1; /* in which complex rows are one pass, r2c's two */
  for (int i = 0; i < TEST_COUNT(texts); i++) {
    const char *why;
    double bytes = 0, complex_bytes = 0;
    char complex_text[40];
    snprintf(complex_text, sizeof complex_text, "oc%s", texts[i] + 2);
    fg_problem *p = test_problem(texts[i], PRECISION), *c = test_problem(complex_text, PRECISION);
    ck_assert(fg_planner_plan(p, &device, &list, &why));
    for (int k = 0; k < list.count; k++) bytes += fg_pass_bytes(&list.pass[k]);
    ck_assert(fg_planner_plan(c, &device, &list, &why));
    for (int k = 0; k < list.count; k++) complex_bytes += fg_pass_bytes(&list.pass[k]);
    ck_assert_msg(bytes <= 0.52 * complex_bytes, "%s: %g of %g bytes", texts[i], bytes, complex_bytes);
    fg_problem_free(p);
    fg_problem_free(c);
  }
}
END_TEST

int main(void) {
  test_choose_sim_alone();
  TCase *t = tcase_create("real");
  tcase_set_timeout(t, 600);
  tcase_add_loop_test(t, real_rows_are_right, 0, TEST_COUNT(lengths));
  tcase_add_loop_test(t, every_kind_is_right, TEST_WIDE ? TEST_COUNT(lengths) - 12 : 0,
                      TEST_WIDE ? TEST_COUNT(lengths) - 9 : TEST_COUNT(lengths));
  tcase_add_loop_test(t, layouts_are_right, 0, TEST_COUNT(layouts));
  tcase_add_loop_test(t, long_convolutions_before_the_last_dimension_have_scratch, 0, 2);
  tcase_add_loop_test(t, even_rows_are_halved, 0, TEST_COUNT(halved));
  tcase_add_loop_test(t, rows_with_large_primes_are_halved, 0, TEST_COUNT(half_lines));
  tcase_add_loop_test(t, spectra_in_whole_sectors_are_right, 0, TEST_COUNT(padded));
  tcase_add_loop_test(t, odd_rows_are_halved, 0, TEST_WIDE || PRECISION == FG_DOUBLE ? 6 : TEST_COUNT(odd));
  tcase_add_loop_test(t, extended_rows_are_halved, 0, TEST_WIDE || PRECISION == FG_DOUBLE ? 8 : TEST_COUNT(extended));
  tcase_add_loop_test(t, rows_are_reached_from_both_ends, 0,
                      TEST_WIDE || PRECISION == FG_DOUBLE ? 10 : TEST_COUNT(folded));
  tcase_add_test(t, arrays_that_are_not_aligned_are_reached_real_by_real);
  if (PRECISION == FG_SINGLE) {
    tcase_add_loop_test(t, rows_of_one_transform_share_lines, 0, FG_NOTATION_KINDS);
    tcase_add_loop_test(t, kinds_of_arrays_that_are_not_aligned_are_right, 0, TEST_WIDE ? 3 : FG_NOTATION_KINDS);
    tcase_add_loop_test(t, boxes_are_done_butterfly_by_butterfly, 0, TEST_COUNT(flat));
  }
  if (PRECISION == FG_SINGLE && !TEST_WIDE) {
    tcase_add_loop_test(t, rows_share_lines_in_every_layout, 0, TEST_COUNT(paired));
    tcase_add_loop_test(t, arrays_that_are_not_aligned_are_right, 0, TEST_COUNT(apart));
    tcase_add_loop_test(t, rows_of_boxes_are_halved, 0, TEST_COUNT(halved_boxes));
  }
  tcase_add_loop_test(t, small_boxes_are_one_pass, 0, TEST_COUNT(boxes));
  if (PRECISION == FG_DOUBLE) tcase_add_loop_test(t, large_boxes_of_doubles_are_one_pass, 0, TEST_COUNT(singly));
  tcase_add_test(t, a_twiddle_is_of_its_own_dimension);
  tcase_add_loop_test(t, digits_of_a_dimension_are_shared, 0, TEST_COUNT(two_passes));
  tcase_add_loop_test(t, long_transforms_are_right, 0, TEST_COUNT(several));
  tcase_add_test(t, no_pass_moves_more_than_half);
  tcase_add_test(t, transforms_of_no_dimension_copy);
  if (!TEST_WIDE) tcase_add_loop_test(t, kinds_near_primes_are_right, 0, TEST_COUNT(near_primes));
  TCase *of_primes = tcase_create("primes");
  tcase_set_timeout(of_primes, 600);
  if (PRECISION == FG_SINGLE && !TEST_WIDE)
    tcase_add_loop_test(of_primes, kinds_are_convolutions, 0, TEST_COUNT(convolved));
  tcase_add_loop_test(of_primes, extensions_are_sums, 0, TEST_COUNT(sums));
  tcase_add_loop_test(of_primes, prime_rows_are_real_convolutions, 0, TEST_WIDE ? 4 : TEST_COUNT(primes));
  if (PRECISION == FG_SINGLE && !TEST_WIDE)
    tcase_add_loop_test(of_primes, long_prime_rows_are_one_pass, 0, TEST_COUNT(long_primes));
  const char *const usual = PRECISION == FG_SINGLE ? "real" : "real data in double precision";
  Suite *const s = suite_create(TEST_WIDE ? "real data on wide arrays" : usual);
  suite_add_tcase(s, t);
  suite_add_tcase(s, of_primes);
  return test_run_suite(s);
}
