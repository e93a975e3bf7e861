/* test_relay.c: transforms of rank 3 in three passes that share the digits of both slower dimensions, on the simulated device,
 * against sums in long double.  Compiled once for each precision. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "dice.h"
#include "kernel_case.h"
#include "src/run/host/schedule.h"
#include "src/run/program.h"
#include "suite.h"

/* Both signs, split, several loops, digits of one point, odd lengths, unequal ones, real data with even rows
 * and odd ones. */
static const struct {
  const char *text;
  int a, b; /* points of the middle dimension in the first pass, of the slowest in the second */
} relays[] = {{"oc12x16x20", 4, 3},
              {"ocb12x16x20*2", 2, 2},
              {"ic16x12x8", 3, 4},
              {"/ocb15x9x25", 3, 5},
              {"/icb6x8x10*2x3", 4, 2},
              {"oc10x14x16", 7, 1},
              {"oc10x14x16", 1, 5},
              {"ocb24:500:400x24:20:16x16:1:1*2:12000:9600", 6, 4},
              {"or12x16x20", 4, 3},
              {"ir8x10x12*3", 2, 4},
              {"/or9x15x21", 5, 3},
              {"or16x12x32", 1, 2}};

START_TEST(digits_of_both_slower_dimensions_are_shared) {
  fg_problem *p = problem_of(relays[_i].text);
  const ptrdiff_t a = relays[_i].a, b = relays[_i].b;
  plan_way(p, &fg_reference_device, fg_relay_lower_split, a * FG_RELAY_MIDDLE + b);
  ck_assert_int_eq(list.count, 3);
  ck_assert_int_eq(list.pass[0].twiddle, a > 1 ? p->transform.dim[1].n : 0);
  ck_assert_int_eq(list.pass[1].twiddle, b > 1 ? p->transform.dim[0].n : 0);
  ck_assert_int_eq(list.pass[2].n, p->transform.dim[0].n / b);
  ck_assert(list.pass[0].to.array == FG_ARRAY_OUT && list.pass[1].to.array == FG_ARRAY_SCRATCH0);
  check(p, relays[_i].text);
  fg_problem_free(p);
}
END_TEST

/* On arrays with the program's own strides: gaps, in place (r2c with FFTW's padding), backwards in memory. */
START_TEST(it_works_where_the_arrays_are) {
  static const char *const texts[] = {"oc12:500:400x10:40:36x16:2:1", "ic16x12x8*2", "icb9x10x14", "ir8x10x12*3", "ir6x9x15",
                                      "or12:4000:900x10:-300:-60x20:1:1*2:50000:12000", "ic8:-800:-800x6:90:90x16:1:1"};
  fg_problem *p = problem_of(texts[_i]);
  const bool in_place = texts[_i][0] == 'i';
  const ptrdiff_t a = p->transform.dim[1].n % 2 ? 3 : 2, b = p->transform.dim[0].n % 2 ? 3 : 2;
  dice d = {7};
  test_reach_apart = true;
  plan_way_reaching(p, FG_REACH_PLANES, in_place, &fg_reference_device, fg_relay_lower_split, a * FG_RELAY_MIDDLE + b);
  ck_assert_int_eq(list.count, 3);
  ck_assert_int_eq(list.pass[0].from.array, in_place ? FG_ARRAY_OUT : FG_ARRAY_IN);
  const double error = test_placed_error(p, &list, in_place, false, &d);
  ck_assert_msg(error <= test_allowed_error(p, &list), "%s: error %g", texts[_i], error);
  test_reach_apart = false;
  fg_problem_free(p);
}
END_TEST

/* However it is cut, the first pass beginning before all of the input has come: the same bits. */
START_TEST(it_runs_in_pieces_from_the_host) {
  static const char *const texts[] = {"oc12x16x20", "ic16x12x8", "or12x16x20"};
  static const int pieces[] = {1, 2, 5, 64};
  const size_t bytes = (size_t)12 * 16 * 22 * 2 * fg_real_size(PRECISION);
  char *in = calloc(1, bytes), *out = calloc(1, bytes), *uncut = malloc(bytes);
  const char *why = "";
  fg_problem *p = problem_of(texts[_i]);
  const bool in_place = p->arrays.in_re == p->arrays.out_re;
  plan_way(p, test_target()->info, fg_relay_lower_split, 4 * FG_RELAY_MIDDLE + 2);
  for (int i = 0; i < TEST_COUNT(pieces); i++) {
    dice d = {5};
    fg_schedule_pieces = pieces[i];
    fg_program *program = fg_program_create_host(test_target(), p, &list, &why);
    ck_assert_msg(program != NULL, "%s", why);
    for (size_t at = 0; at < bytes / fg_real_size(PRECISION); at++) {
      const double x = dice_between(&d, -1000, 1000);
      if (PRECISION == FG_SINGLE) ((float *)in)[at] = (float)x;
      else ((double *)in)[at] = x;
    }
    char *const imaginary = in + fg_real_size(PRECISION), *const result = in_place ? in : out;
    const fg_arrays a = {in, p->kind == FG_DFT ? imaginary : NULL, result, result + fg_real_size(PRECISION)};
    ck_assert_int_eq(fg_program_execute(program, &a), FG_DONE);
    if (i == 0) memcpy(uncut, result, bytes);
    ck_assert_msg(!memcmp(uncut, result, bytes), "%s in %d pieces", texts[_i], pieces[i]);
    fg_program_destroy(program);
  }
  free(in);
  free(out);
  free(uncut);
  fg_problem_free(p);
}
END_TEST

/* No other solver's second pass goes from the output to scratch. */
static bool is_relay(void) {
  return list.count == 3 && list.pass[1].from.array == FG_ARRAY_OUT && list.pass[1].to.array == FG_ARRAY_SCRATCH0;
}

/* Large transforms are done so where two passes would be in clusters of many blocks, or rows are whole lines of memory, or real; not
 * what has room for whole lines with each dimension, nor what clusters do well. */
START_TEST(it_is_planned_where_columns_are_long) {
  static const struct {
    const char *text;
    bool so[2]; /* in single, in double precision */
  } cases[] = {{"ic1024x1024x1024", {true, true}},      {"or1024x1024x1024", {true, true}}, {"oc900x900x900", {true, false}},
               {"oc1000x1000x1000", {false, true}},     {"oc1080x1080x1080", {false, false}}, {"oc640x640x640", {false, true}},
               {"oc1024x1024x128", {false, false}},     {"oc400x400x400", {false, false}},  {"oc64x4096x4096", {false, false}},
               {"or1024x1024x1024*2", {true, true}},   {"ob1024x1024x1024", {true, true}}};
  for (int i = 0; i < TEST_COUNT(cases); i++) {
    fg_problem *p = problem_of(cases[i].text);
    plan(p, &fg_reference_device);
    ck_assert_msg(is_relay() == cases[i].so[PRECISION == FG_DOUBLE], "%s", cases[i].text);
    fg_problem_free(p);
  }
}
END_TEST

/* From the host only where two passes in clusters would finish no slab of the output early either. */
START_TEST(slabs_leave_early_over_the_link) {
  static const struct {
    const char *text;
    bool so;
  } cases[] = {{"or1024x1024x1024", false}, {"oc1024x1024x1024", PRECISION == FG_SINGLE}};
  const char *why;
  for (int i = 0; i < TEST_COUNT(cases); i++) {
    fg_problem *p = problem_of(cases[i].text);
    plan(p, &fg_reference_device);
    ck_assert(is_relay());
    ck_assert(fg_planner_plan_host(p, &fg_reference_device, &list, &why));
    ck_assert_msg(is_relay() == cases[i].so, "%s", cases[i].text);
    fg_problem_free(p);
  }
}
END_TEST

/* Nor where scratch would leave little: then there is none. */
START_TEST(it_is_not_planned_without_room_for_scratch) {
  fg_device_info device = fg_reference_device;
  fg_problem *p = problem_of("or1024x1024x1024");
  plan(p, &device);
  ck_assert(is_relay() && list.scratch[0] > 0);
  device.memory = (size_t)12 << 30;
  plan(p, &device);
  ck_assert(!is_relay() && list.scratch[0] == 0 && list.scratch[1] == 0);
  fg_problem_free(p);
}
END_TEST

int main(void) {
  TCase *const tc = tcase_create("relay");
  test_choose_sim_alone();
  tcase_set_timeout(tc, 120);
  tcase_add_loop_test(tc, digits_of_both_slower_dimensions_are_shared, 0, TEST_COUNT(relays));
  tcase_add_loop_test(tc, it_works_where_the_arrays_are, 0, 7);
  tcase_add_loop_test(tc, it_runs_in_pieces_from_the_host, 0, 3);
  tcase_add_test(tc, it_is_planned_where_columns_are_long);
  tcase_add_test(tc, slabs_leave_early_over_the_link);
  tcase_add_test(tc, it_is_not_planned_without_room_for_scratch);
  return test_run(tc, PRECISION == FG_SINGLE ? "relay" : "relay in double precision");
}
