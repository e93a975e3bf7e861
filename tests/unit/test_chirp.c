/* test_chirp.c: convolutions with a chirp, on the simulated device, against transforms in long double: of rows of real data that
 * are no longer than half of a spectrum needs; of complex rows, whole in a cluster.  Compiled once for each precision. */
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "on_sim.h"
#include "random_problem.h"
#include "small_device.h"
#include "src/pass/choice.h"
#include "src/pass/geometry.h"
#include "src/pass/solver.h"
#include "src/problem/layout.h"
#include "suite.h"
#include "variant.h"

static fg_passes list; /* too large for a stack */

/* The forms of the problems below, by the notation's kind. */
static const struct {
  const char *kind;
  enum fg_form from, to;
} forms[] = {{"f", FG_FORM_REAL, FG_FORM_HALFCOMPLEX},      {"b", FG_FORM_HALFCOMPLEX, FG_FORM_REAL},
             {"h", FG_FORM_REAL, FG_FORM_DHT},              {"e00", FG_FORM_REDFT00, FG_FORM_REDFT00},
             {"e01", FG_FORM_REDFT01, FG_FORM_REDFT01},     {"e10", FG_FORM_REDFT10, FG_FORM_REDFT10},
             {"e11", FG_FORM_REDFT11, FG_FORM_REDFT11},     {"o00", FG_FORM_RODFT00, FG_FORM_RODFT00},
             {"o01", FG_FORM_RODFT01, FG_FORM_RODFT01},     {"o10", FG_FORM_RODFT10, FG_FORM_RODFT10}};

static void set_forms(fg_work *w, const fg_problem *p, const char *text, fg_dim d) {
  w->rank = 1;
  w->dim[0] = d;
  if (p->kind == FG_R2C) fg_work_set_forms(w, FG_FORM_REAL, FG_FORM_HERMITIAN, d);
  if (p->kind == FG_C2R) fg_work_set_forms(w, FG_FORM_HERMITIAN, FG_FORM_REAL, d);
  const char *kind = strpbrk(text, "fbheo");
  for (int i = 0; p->kind == FG_R2R && i < TEST_COUNT(forms); i++)
    if (!strncmp(strpbrk(kind + (*kind == 'o'), "fbheo"), forms[i].kind, strlen(forms[i].kind)))
      fg_work_set_forms(w, forms[i].from, forms[i].to, d);
}

/* p, of rank 1, at that length of the convolution, whatever the planner would take. */
static bool plan(const fg_problem *p, const char *text, const fg_device_info *device, ptrdiff_t m, ptrdiff_t factor) {
  fg_layout in, out;
  ck_assert(fg_layout_make(&in, p, FG_INPUT) && fg_layout_make(&out, p, FG_OUTPUT));
  fg_work w = {.precision = PRECISION, .sign = p->sign, .loops = p->batch.rank, .batched = p->batch.rank > 0};
  w.from = (fg_place){.array = FG_ARRAY_IN, .split = in.split, .offset = in.offset};
  w.to = (fg_place){.array = FG_ARRAY_OUT, .split = out.split, .offset = out.offset};
  for (int b = 0; b < w.loops; b++)
    w.loop[b] = (fg_loop){.n = p->batch.dim[b].n, .in = in.stride[1 + b], .out = out.stride[1 + b]};
  set_forms(&w, p, text, (fg_dim){p->transform.dim[0].n, in.stride[0], out.stride[0]});
  fg_layout_free(&in);
  fg_layout_free(&out);
  list = (fg_passes){0};
  return fg_bluestein_lower_at(&(fg_planner){.device = device}, &w, m, factor, &list);
}

static void check_error(fg_problem *p, const char *text) {
  dice d = {83};
  const double unit = PRECISION == FG_SINGLE ? FLT_EPSILON / 2 : DBL_EPSILON / 2, error = test_passes_error(p, &list, &d);
  const double allowed = 6 * unit * (1 + sqrt(log2((double)p->transform.dim[0].n)));
  if (getenv("SHOW")) fprintf(stderr, "%-20s %d passes %g of %g\n", text, list.count, error, allowed);
  ck_assert_msg(error <= allowed, "%s: error %g, allowed %g", text, error, allowed);
}

/* Odd and even lengths n; the convolution's length is n + n/2, or for want of factors one or two more (in a tile even rows are
 * lines of half as many points, for which that is longer than it must be): in a tile, in three passes, as two transforms.
 * Batches, gaps, across rows, splits, one row.  What c2r loads is not Hermitian at its ends, which FFTW's results ignore. */
enum { TILE, TWO };

static const struct {
  const char *text;
  ptrdiff_t m, factor;
} rows[] = {
    {"orf107*37", 160, TILE},    {"orb107*37", 160, TILE},     {"orf214*5", 322, TILE},
    {"orb214*5", 322, TILE},     {"orf321v3", 481, TILE},      {"/orb321:2:3*3:700:1000", 481, TILE},
    {"ok267f*3", 400, TILE},     {"ok267b*3", 400, TILE},      {"ok214h*3", 322, TILE},
    {"ok107e10*3", 160, TILE},   {"ok214b*3", 322, TILE},      {"ok107e11*3", 160, TILE},
    {"orf267*3", 400, 20},       {"orb267*3", 400, 25},        {"/orf321v3", 481, 13},
    {"orb214:2:3*3:300:700", 322, 14}, {"ok214f*2", 322, 23},  {"ok267b", 400, 16},
    {"ok267o01*2", 400, 20},     {"ok214e01*2", 322, 14},      {"ok135e00*2", 403, 31},
    {"ok133o00*2", 403, 13},     {"orf267*2", 400, TWO},       {"orb267v2", 400, TWO},
    {"orf214", 322, TWO},        {"orb214*2", 322, TWO},       {"ok267b*3", 400, TWO},
};

START_TEST(rows_take_a_convolution_of_half_a_spectrum) {
  const ptrdiff_t m = rows[_i].m, factor = rows[_i].factor;
  const fg_device_info small = test_small_device(128 * 2 * fg_real_size(PRECISION)); /* points of a block */
  fg_problem *p = test_problem(rows[_i].text, PRECISION);
  ck_assert(plan(p, rows[_i].text, factor == TWO ? &small : &fg_reference_device, m, factor));
  if (factor == TWO) ck_assert_int_gt(list.count, 2);
  else ck_assert_int_eq(list.count, factor ? 3 : 1);
  check_error(p, rows[_i].text);
  fg_problem_free(p);
}
END_TEST

/* 321 points have 481 lags. */
START_TEST(too_short_a_convolution_is_none) {
  static const ptrdiff_t factors[] = {TILE, TWO, 20};
  fg_problem *p = test_problem(_i ? "orb321" : "orf321", PRECISION);
  for (int i = 0; i < TEST_COUNT(factors); i++) {
    ck_assert(!plan(p, "", &fg_reference_device, 480, factors[i]));
    ck_assert(plan(p, "", &fg_reference_device, 500, factors[i]));
  }
  fg_problem_free(p);
}
END_TEST

/* A row of 334 as a line of 167 points: 333 lags. */
START_TEST(a_half_row_needs_one_point_for_each_lag) {
  fg_problem *p = test_problem(_i ? "orb334" : "orf334", PRECISION);
  ck_assert(!plan(p, "", &fg_reference_device, 332, TILE));
  ck_assert(plan(p, "", &fg_reference_device, 333, TILE) && list.pass[0].half_row);
  fg_problem_free(p);
}
END_TEST

/* What the planner takes: real rows have three quarters of the length of complex ones, of even length half, if a tile holds
 * that.  Two rows that share a line need all of it. */
static const struct {
  const char *text;
  ptrdiff_t length;
} planned[] = {{"ocf65521*512", 131072}, {"orf65521*512", 98304}, {"orb65521*512", 98304}, {"ok65521f*512", 98304},
               {"orf347*100000", 576},   {"orf100000x347", 768},  {"orf334*100000", 360}};

START_TEST(plans_have_the_shorter_convolution) {
  const char *why = "";
  fg_problem *p = test_problem(planned[_i].text, FG_SINGLE);
  ptrdiff_t length = 0;
  ck_assert(fg_planner_plan(p, &fg_reference_device, &list, &why));
  for (int i = 0; i < list.count; i++)
    if (list.pass[i].filter.kind == FG_TABLE_FILTER) length = list.pass[i].filter.length;
  ck_assert_msg(length == planned[_i].length, "%s: %td", planned[_i].text, length);
  fg_problem_free(p);
}
END_TEST

/* The second half of a long row (solver halves) is such a row, whose results are further apart.  Of so many rows that it is
 * planned, few are computed. */
START_TEST(halves_of_long_rows_are_right) {
  const char *why = "";
  fg_problem *p = test_problem("orb16304*40", PRECISION);
  ck_assert(fg_planner_plan(p, &fg_reference_device, &list, &why));
  ck_assert(list.count == 2 && list.pass[1].filter.length < 2 * list.pass[1].data - 1);
  for (int i = 0; i < list.count; i++) {
    fg_loop *const rows = &list.pass[i].loop[list.pass[i].loops - 1];
    ck_assert(rows->n == 40);
    rows->n = 3;
  }
  p->batch.dim[0].n = 3;
  check_error(p, "halves");
  fg_problem_free(p);
}
END_TEST

/* ---- in clusters ---- */

/* Both signs, split, in place, several loops with gaps; the least lengths, and longer ones, which divide in other ways. */
static const struct {
  const char *text;
  ptrdiff_t m;
} in_clusters[] = {{"oc1009", 2058}, {"ocb1013*3", 2100}, {"/oc1201*2", 2430}, {"icb1249*2x2", 2560},
                   {"oc1123:1*2:1300:1200x2:2700:2500", 2304}, {"/ic1201*2", 3000}};

/* In clusters of any size, cut anywhere: each size with another cut. */
START_TEST(rows_are_right_in_clusters) {
  const char *const text = in_clusters[_i].text;
  fg_problem *p = test_problem(text, PRECISION);
  ck_assert(plan(p, text, &fg_reference_device, in_clusters[_i].m, FG_IN_CLUSTER) && list.count == 1);
  const fg_pass own = list.pass[0];
  int factors[FG_MAX_RADIX], tried = 0, next = 0;
  const int count = fg_cut_chirp_factors(&own, factors);
  ck_assert(own.cluster > 1 && count > 4);
  check_error(p, text);
  for (int blocks = 2; blocks <= FG_MOST_CLUSTER; blocks += blocks < 8 ? 1 : 2)
    for (int i = 0; i < count; i++, next++) {
      fg_pass *const pass = &list.pass[0];
      *pass = own;
      pass->cluster = blocks;
      ck_assert(fg_cut_chirp(pass, factors[next % count]));
      if (!fg_geometry_cluster_suits(pass, &fg_reference_device)) continue;
      if (fg_box_choose(pass, &fg_reference_device, 0, true) == 0) continue;
      check_error(p, text);
      tried++;
      next++;
      break;
    }
  ck_assert_int_ge(tried, 4);
  fg_problem_free(p);
}
END_TEST

/* Parts of n₂ that are not even, or nothing in the last blocks; two stages of n₂ and one; skews and pitches of any kind. */
static const struct {
  const char *text;
  ptrdiff_t m;
  const char *choice;
} laid_out[] = {{"ocb1009*2", 2058, "c3.z6.y7.y7.y7.y7.y7.y7.z6 1 64 1 343"},
                {"oc1009*2", 2058, "c14.z14.y21.y7.y7.y21.z14 1 32 1 147"},
                {"/oc251*3", 512, "c2.z16.y32.y32.z16 1 32 1 32"},
                {"ocb1249", 2500, "c10.z20.y25.y5.y5.y25.z20 1 64 2 131"},
                {"oc2039", 4096, "c16.z16.y16.y16.y16.y16.z16 1 32 1 271"},
                {"ic2039", 4096, "c2.z4.y32.y32.y32.y32.z4 1 128 1 1055"},
                {"oc5003", 10080, "c16.z48.y15.y14.y14.y15.z48 1 32 1 210"}}; /* nothing in block 15; single precision's */

START_TEST(geometries_are_right_in_clusters) {
  const char *const text = laid_out[_i].text;
  fg_problem *p = test_problem(text, PRECISION);
  fg_choice c;
  ck_assert(plan(p, text, &fg_reference_device, laid_out[_i].m, FG_IN_CLUSTER) && list.count == 1);
  ck_assert(fg_choice_parse(&c, laid_out[_i].choice));
  ck_assert_msg(fg_choice_apply(&c, &list.pass[0], &fg_reference_device), "%s", laid_out[_i].choice);
  const fg_pass *const pass = &list.pass[0];
  ck_assert_int_eq((pass->cluster - 1) * fg_pass_part(pass, 0, 1) >= pass->box[1].n, laid_out[_i].m == 10080);
  check_error(p, text);
  fg_problem_free(p);
}
END_TEST

/* Not without clusters, not of strided rows or real ones, not with other stages on the way back, not cut where M is not. */
START_TEST(other_rows_are_not_in_clusters) {
  static const char *const others[] = {"oc1009v3", "orf1009"};
  fg_device_info without = fg_reference_device;
  fg_choice c;
  without.cluster = 1;
  for (int i = 0; i < TEST_COUNT(others); i++) {
    fg_problem *p = test_problem(others[i], PRECISION);
    ck_assert(!plan(p, others[i], &fg_reference_device, 2100, FG_IN_CLUSTER));
    fg_problem_free(p);
  }
  fg_problem *p = test_problem("oc1009", PRECISION);
  ck_assert(!plan(p, "oc1009", &without, 2100, FG_IN_CLUSTER));
  ck_assert(!plan(p, "oc1009", &fg_reference_device, 2016, FG_IN_CLUSTER)); /* too short */
  ck_assert(plan(p, "oc1009", &fg_reference_device, 2100, FG_IN_CLUSTER));
  ck_assert(fg_choice_parse(&c, "c4.z20.y15.y7.y15.y7.z20 1 32 1 105"));
  ck_assert(!fg_choice_apply(&c, &list.pass[0], &fg_reference_device));
  ck_assert(fg_choice_parse(&c, "c4.z20.y15.y7.y7.y15.z20 1 32 1 105"));
  ck_assert(fg_choice_apply(&c, &list.pass[0], &fg_reference_device));
  ck_assert(fg_choice_parse(&c, "c4.z16.y15.y7.y7.y15.z16 1 32 1 105"));
  ck_assert(!fg_choice_apply(&c, &list.pass[0], &fg_reference_device));
  fg_problem_free(p);
}
END_TEST

/* Rows in bulk for which a block has no room are one pass; where there are no clusters they are three. */
START_TEST(plans_have_rows_in_clusters) {
  const char *const bulk[] = {"oc32749*1024", PRECISION == FG_SINGLE ? "ocb65521*512" : "ocb20011*100", "ic32749*1024"};
  const char *why = "";
  for (int i = 0; i < 2 * TEST_COUNT(bulk); i++) {
    fg_device_info device = fg_reference_device;
    device.cluster = i % 2 ? 1 : i == 0 && PRECISION == FG_SINGLE ? 8 : 16;
    fg_problem *p = test_problem(bulk[i / 2], PRECISION);
    ck_assert(fg_planner_plan(p, &device, &list, &why));
    ck_assert_msg(list.count == (i % 2 ? 3 : 1), "%s: %d passes", bulk[i / 2], list.count);
    fg_problem_free(p);
  }
}
END_TEST

int main(void) {
  test_choose_sim_alone();
  TCase *tc = tcase_create("chirp");
  tcase_set_timeout(tc, 120);
  tcase_add_loop_test(tc, rows_take_a_convolution_of_half_a_spectrum, 0, TEST_COUNT(rows));
  tcase_add_loop_test(tc, too_short_a_convolution_is_none, 0, 2);
  tcase_add_loop_test(tc, a_half_row_needs_one_point_for_each_lag, 0, 2);
  tcase_add_test(tc, halves_of_long_rows_are_right);
  tcase_add_loop_test(tc, rows_are_right_in_clusters, 0, TEST_COUNT(in_clusters));
  tcase_add_loop_test(tc, geometries_are_right_in_clusters, 0, TEST_COUNT(laid_out) - (PRECISION == FG_DOUBLE));
  tcase_add_test(tc, other_rows_are_not_in_clusters);
  tcase_add_test(tc, plans_have_rows_in_clusters);
  if (PRECISION == FG_SINGLE) tcase_add_loop_test(tc, plans_have_the_shorter_convolution, 0, TEST_COUNT(planned));
  return test_run(tc, PRECISION == FG_SINGLE ? "chirp" : "chirp in double precision");
}
