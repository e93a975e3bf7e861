/* test_r2r_box.c: small real to real transforms of two and three dimensions whole in a block, and short lines of them, on the
 * simulated device, against sums in long double.  Compiled as test_real.c is. */
#include "real_case.h"
#include "src/pass/geometry.h"

/* Kinds need not be the same: even, odd and prime lengths, periods that are twice odd and twice even, rows of whole sectors and
 * not, batches with tails, several loops, gaps, in place, backwards in memory. */
static const char *const kind_boxes[] = {
    "ok16fx16f*7", "ok9bx12b*5", "ok8hx5h*19", "ok6e00x7e00*9", "ok9o00x8o00*9", "ok16e10x24e10*3", "ok24e01x9e01*3",
    "ok8e11x9e11*5", "ok7o10x10o10*5", "ok10o01x13o01*5", "ok11o11x6o11*5", "ok5e00x4o00x6f*7", "ok8e10x5o01x16e11*5",
    "ik12bx12e01*9", "ik6e00x6o10x7h*4", "ok2e00x2e11*40", "ok3o00x2o00x2f*9", "ok33e00x31o00", "ok34e10x37o11*2",
    "ok6:40:24e10x8:3:3e01*3:300:144", "ok4:-20:24e00x6:3:2o11*5:90:300", "ok6:24:8fx8:1:1e10*5:144:48", "ok56e10x50o01*3",
    "ok8e10x16e01*3:600:128x4:150:384", "ok5e11x4fx8o10*37", "ok6e01x8hx16e00*3:900:768x2:3000:2400",
};

/* The longest lines; in double precision the last ones are too long. */
static const char *const long_kind_boxes[] = {"ok64e10x6f", "ok33e00x64e11", "ok63o00x4b", "ok128e10x5e10", "ok96o01x4h",
                                              "ok129e00x3e00", "ok127o00x3o00", "ok4e10x98o11"};

START_TEST(small_boxes_of_kinds_are_one_pass) {
  check(kind_boxes[_i], 0);
  ck_assert_msg(list.count == 1 && list.pass[0].family == FG_FAMILY_R2R_BOX, "%s", kind_boxes[_i]);
}
END_TEST

START_TEST(boxes_of_long_lines_are_one_pass_in_single_precision) {
  check(long_kind_boxes[_i], 0);
  const bool fits = PRECISION == FG_SINGLE || _i < 3, boxed = list.pass[0].family == FG_FAMILY_R2R_BOX;
  ck_assert_msg(boxed == fits && (!fits || list.count == 1), "%s", long_kind_boxes[_i]);
}
END_TEST

/* What fits no block goes another way, and so do four dimensions, by planes. */
START_TEST(boxes_of_kinds_are_several_passes) {
  static const char *const texts[] = {"ok16e10x24e01", "ok3e00x4o11x6hx8e10", "ok1e10x8fx8f*5", "ok1010e00x3hx8e10"};
  check(texts[_i], _i ? 0 : 1024);
  ck_assert_int_gt(list.count, 1);
}
END_TEST

/* Every thread has lines of its own, of short ones more. */
START_TEST(blocks_have_several_small_boxes) {
  static const struct {
    const char *text;
    int least, most; /* boxes a block */
  } small[] = {{"ok8e01x8e01*9000", 4, 32}, {"ok16e11x16e11*9000", 2, 8}, {"ok33e00x33e00*9000", 1, 3}};
  const char *why = "";
  fg_problem *p = test_problem(small[_i].text, ARRAYS);
  ck_assert(plan(p, false, &fg_reference_device, &why));
  ck_assert(list.count == 1 && list.pass[0].family == FG_FAMILY_R2R_BOX);
  ck_assert_int_ge(list.pass[0].lines, small[_i].least);
  ck_assert_int_le(list.pass[0].lines, small[_i].most);
  fg_problem_free(p);
}
END_TEST

/* Short lines of even length, R2HC and DHT: columns in two stages, and rows of spectra; the other rows, and what is put in order on
 * its way through the tile, in one. */
START_TEST(short_lines_of_kinds_have_two_stages) {
  static const struct {
    const char *text;
    int stages;
  } lines[] = {{"ok9e10v131", 1}, {"ok15hv131", 2}, {"ok16bv131", 2},  {"ok24hv131", 2},  {"ok8e01v131", 1}, {"ok13fv131", 1},
               {"ok16e01*67", 2}, {"ok24b*67", 2},    {"ok25e11v131", TEST_PRECISION == FG_SINGLE ? 1 : 2},
               {"ok21e01*67", 1}, {"ok12o01*67", 1},  {"ok16e10*67", 1}, {"ok12h*67", 1}};
  check(lines[_i].text, 0);
  const fg_pass *const pass = &list.pass[0];
  int stages = 0;
  for (int s = 0; s < pass->stages; s++) stages += pass->radix[s] > 1;
  ck_assert_int_eq(stages, lines[_i].stages);
}
END_TEST

/* Of many columns whole 128 bytes of reals are side by side. */
START_TEST(columns_of_kinds_fill_lines_of_memory) {
  const char *why = "";
  fg_problem *p = test_problem(_i ? "ok96e11v60000" : "ok72e11v60000", ARRAYS);
  ck_assert(plan(p, false, &fg_reference_device, &why) && list.count == 1);
  ck_assert_int_ge(list.pass[0].lines * (ptrdiff_t)fg_real_size(ARRAYS), 128);
  fg_problem_free(p);
}
END_TEST

/* There are eleven kinds. */
START_TEST(unknown_kinds_are_none) {
  const char *why = "";
  fg_problem *p = test_problem("ok4e10x4e10", ARRAYS);
  for (int kind = 11; kind >= -1; kind -= 12) {
    p->r2r_kind[1] = kind;
    ck_assert(!plan(p, false, &fg_reference_device, &why));
  }
  fg_problem_free(p);
}
END_TEST

/* The last two of three dimensions at once. */
START_TEST(planes_of_kinds_are_one_pass_of_two) {
  static const char *const texts[] = {"ok40e10x32e01x24e11", "ik20e00x24o11x18b*2"};
  check(texts[_i], 4096);
  ck_assert(list.count == 2 && list.pass[0].family == FG_FAMILY_R2R_BOX && list.pass[1].family == FG_FAMILY_TILE);
}
END_TEST

int main(void) {
  test_choose_sim_alone();
  TCase *t = tcase_create("boxes");
  tcase_set_timeout(t, 600);
  tcase_add_loop_test(t, small_boxes_of_kinds_are_one_pass, 0, TEST_COUNT(kind_boxes));
  tcase_add_loop_test(t, boxes_of_long_lines_are_one_pass_in_single_precision, 0, TEST_COUNT(long_kind_boxes));
  tcase_add_loop_test(t, boxes_of_kinds_are_several_passes, 0, 4);
  tcase_add_loop_test(t, blocks_have_several_small_boxes, 0, 3);
  tcase_add_loop_test(t, short_lines_of_kinds_have_two_stages, 0, TEST_WIDE ? 2 : 13);
  tcase_add_loop_test(t, columns_of_kinds_fill_lines_of_memory, 0, 2);
  tcase_add_test(t, unknown_kinds_are_none);
  tcase_add_loop_test(t, planes_of_kinds_are_one_pass_of_two, 0, 2);
  Suite *const s = suite_create("boxes of kinds");
  suite_add_tcase(s, t);
  return test_run_suite(s);
}
