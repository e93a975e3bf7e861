/* test_choices.c: geometries as data: those of passes, those that are listed, and what is refused. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "random_problem.h"
#include "same_geometry.h"
#include "src/pass/geometry.h"
#include "src/pass/tuned.h"
#include "src/plan/planner.h"
#include "src/plan/tuning.h"
#include "suite.h"

static const char *const problems[] = {"oc1024*512", "oc100*40",     "oc65536",     "ic96x96x96",  "oc64x64x64*2",
                                       "oc24x24x24", "oc12x28*300",  "oc101*1000",  "oc1009*3000", "oc256x256x256",
                                       "orf512*64",  "orb1000x12*3", "ok10240e10*30", "oc4096x4096", "oc37*100", "oc65521*512",
                                       "ok32e10x32e10*800", "ok128e01x128o11x6f*60", "ok168e00*300"};

START_TEST(a_pass_s_own_choice_gives_the_same_kernel) {
  fg_passes *list = test_plan(problems[_i], FG_SINGLE, &fg_reference_device);
  for (int i = 0; i < list->count; i++) {
    fg_choice c = fg_choice_of(&list->pass[i]), back;
    fg_pass again = list->pass[i];
    char text[FG_CHOICE_TEXT];
    fg_choice_print(&c, text);
    ck_assert(fg_choice_parse(&back, text));
    memset(again.radix, 0, sizeof again.radix);
    again.stages = again.lines = again.threads = again.pad = again.blocks_sm = 0;
    again.cluster = 1;
    ck_assert_msg(fg_choice_apply(&back, &again, &fg_reference_device), "%s", text);
    same_kernel(&again, &list->pass[i]);
  }
  free(list);
}
END_TEST

START_TEST(what_is_listed_fits_and_differs) {
  fg_passes *list = test_plan(problems[_i], FG_SINGLE, &fg_reference_device);
  for (int i = 0; i < list->count; i++) {
    fg_choice all[FG_TUNING_MOST];
    const fg_pass *p = &list->pass[i];
    const int count = fg_choice_list(p, &fg_reference_device, all, FG_TUNING_MOST);
    ck_assert_int_gt(count, 1);
    for (int k = 0; k < count; k++) {
      char text[FG_CHOICE_TEXT], other[FG_CHOICE_TEXT];
      fg_pass now = *p;
      ck_assert(fg_choice_apply(&all[k], &now, &fg_reference_device));
      ck_assert_uint_le(fg_geometry_shared(&now), fg_reference_device.shared_block);
      ck_assert_int_le(now.threads * now.blocks_sm, fg_reference_device.threads_sm);
      const fg_choice c = fg_choice_of(&now);
      same_choice(&c, &all[k]);
      fg_choice_print(&all[k], text);
      for (int j = 0; j < k; j++) {
        fg_choice_print(&all[j], other);
        ck_assert_str_ne(text, other);
      }
    }
  }
  free(list);
}
END_TEST

/* Clusters beside single blocks, on devices that have them. */
START_TEST(clusters_are_listed_and_put_in) {
  enum { MOST = 32 };
  fg_passes *list = test_plan("oc24x24x24*20", FG_SINGLE, &fg_reference_device);
  fg_device_info without = fg_reference_device;
  fg_choice all[MOST];
  bool listed[FG_MOST_CLUSTER + 1] = {false};
  without.cluster = 1;
  const int count = fg_choice_list(&list->pass[0], &fg_reference_device, all, MOST);
  for (int i = 0; i < count; i++) {
    fg_pass p = list->pass[0];
    listed[all[i].cluster] = true;
    p.cluster = 1;
    ck_assert(fg_choice_apply(&all[i], &p, &without) == (all[i].cluster == 1));
  }
  ck_assert(listed[1] && listed[2] && listed[4] && listed[8]);
  const fg_choice own = fg_choice_of(&list->pass[0]);
  fg_choice c = own;
  fg_pass p = list->pass[0];
  c.cluster = 3;
  ck_assert(own.cluster > 1 && !fg_choice_apply(&c, &p, &fg_reference_device));
  c.cluster = own.cluster;
  c.lines = 2;
  ck_assert(!fg_choice_apply(&c, &p, &fg_reference_device));
  free(list);
}
END_TEST

/* Of each other number of blocks the first has no exchange more than it must: of 36³ points such geometries were the fastest. */
START_TEST(clusters_of_few_exchanges_are_listed) {
  enum { MOST = 48 };
  fg_tuned_ignore_shipped(true);
  fg_passes *list = test_plan("oc36x36x36*512", FG_SINGLE, &fg_reference_device);
  const int own = list->pass[0].cluster;
  fg_choice all[MOST];
  bool listed[FG_MOST_CLUSTER + 1] = {false};
  const int count = fg_choice_list(&list->pass[0], &fg_reference_device, all, MOST);
  fg_tuned_ignore_shipped(false);
  for (int i = 0; i < count; i++) {
    const int blocks = all[i].cluster;
    ck_assert_msg(listed[blocks] || blocks == own || all[i].stages == 3, "clusters of %d", blocks);
    listed[blocks] = true;
  }
  ck_assert(listed[3] && listed[4] && listed[6] && listed[8] && listed[9] && listed[12]);
  free(list);
}
END_TEST

/* Of a long list of rows a third is for blocks of up to 6 KB, and where tiles may be loaded ahead a third for those; else half. */
START_TEST(a_long_list_of_rows_has_small_blocks) {
  static const struct {
    const char *text;
    int most, small, ahead;
  } lists[] = {{"oc500*67108", 100, 30, 0}, {"oc500*67108", 64, 20, 0}, {"oc6000*5592", 96, 0, 28}, {"oc6000*5592", 32, 0, 13}};
  fg_tuned_ignore_shipped(true);
  fg_passes *list = test_plan(lists[_i].text, FG_SINGLE, &fg_reference_device);
  fg_choice all[FG_TUNING_MOST];
  const int count = fg_choice_list(&list->pass[0], &fg_reference_device, all, lists[_i].most), n = (int)list->pass[0].n;
  int small = 0, ahead = 0, one = 0;
  for (int i = 0; i < count; i++) {
    small += all[i].lines * n * 8 <= 6144;
    ahead += all[i].ahead;
    one += all[i].lines == 1 && !all[i].ahead;
  }
  fg_tuned_ignore_shipped(false);
  ck_assert_msg(small >= lists[_i].small && small <= lists[_i].most * 2 / 3, "%d of %d are small", small, count);
  ck_assert_msg(ahead >= lists[_i].ahead && ahead <= lists[_i].ahead + 5, "%d of %d are loaded ahead", ahead, count);
  if (n == 6000 && lists[_i].most == 96) ck_assert_int_ge(one, 28);
  free(list);
}
END_TEST

static const char *const foreign[] = {
    "16.16.16 1 256 3 16", /* of 4096 */
    "16.8.7 1 256 3 16",   "1024 1 256 3 16",        "4.16.16 0 256 3 16", "4.16.16 1 250 3 16", "4.16.16 1 2048 1 16",
    "4.16.16 1 256 0 16",  "4.16.16 1 1024 3 16",    "4.16.16 1 256 3 5",  "4.16.16 512 256 3 16",
    "x4.x16.x16 1 256 3 16", "c2.4.16.16 1 256 3 16", "65.16 1 256 3 16", "2.2.2.2.2.2.2.2.2.2 1 32 1 16"};

START_TEST(what_does_not_fit_is_refused) {
  fg_passes *list = test_plan("oc1024*512", FG_SINGLE, &fg_reference_device);
  fg_pass p = list->pass[0];
  fg_choice c;
  ck_assert(fg_choice_parse(&c, "16.4.16 1 128 3 16") && fg_choice_apply(&c, &p, &fg_reference_device));
  const fg_pass before = p;
  ck_assert(!fg_choice_parse(&c, foreign[_i]) || !fg_choice_apply(&c, &p, &fg_reference_device));
  same_kernel(&p, &before);
  free(list);
}
END_TEST

/* Blocks that are alone, of geometries for which half of the registers would do: where they stay so. */
static const struct {
  const char *text;
  enum fg_precision precision;
  bool shipped;       /* planned with the table */
  const char *choice; /* NULL: as it is planned */
} alone[] = {
    {"oc28561*1174", FG_SINGLE, false, NULL},                         /* one is asked for: stores wait for each other */
    {"orf32x32x32*512", FG_SINGLE, false, NULL},                      /* shared memory has room for one */
    {"orb54x25x36*690", FG_SINGLE, true, "z5.y9.y6 32 320 1 54"},     /* boxes side by side */
    {"orb16000*2097", FG_SINGLE, true, "8.20.50 1 192 1 16"},         /* a large radix */
    {"oc1000*33554", FG_DOUBLE, true, "10.10.10 1 128 1 0"},          /* double precision */
};

START_TEST(blocks_that_gain_nothing_in_pairs_stay_alone) {
  fg_choice c;
  fg_tuned_ignore_shipped(!alone[_i].shipped);
  fg_passes *list = test_plan(alone[_i].text, alone[_i].precision, &fg_reference_device);
  fg_pass p = list->pass[0];
  for (int i = 1; i < list->count && !alone[_i].choice && p.blocks_sm > 1; i++) p = list->pass[i];
  if (alone[_i].choice) ck_assert(fg_choice_parse(&c, alone[_i].choice) && fg_choice_apply(&c, &p, &fg_reference_device));
  ck_assert_int_eq(p.blocks_sm, 1);
  fg_geometry_pair_blocks(&p, &fg_reference_device);
  ck_assert_int_eq(p.blocks_sm, 1);
  free(list);
}
END_TEST

START_TEST(what_was_measured_alone_stays_alone) {
  fg_choice one;
  ck_assert(fg_choice_parse(&one, "10.10.10 3 320 1 0"));
  fg_passes *before = test_plan("oc1000*33554", FG_SINGLE, &fg_reference_device);
  ck_assert_int_gt(before->pass[0].blocks_sm, 1);
  fg_tuned_learn(&before->pass[0], 90, &one, 3);
  free(before);
  fg_passes *list = test_plan("oc1000*33554", FG_SINGLE, &fg_reference_device);
  ck_assert_int_eq(list->pass[0].blocks_sm, 1);
  fg_geometry_pair_blocks(&list->pass[0], &fg_reference_device);
  ck_assert_int_eq(list->pass[0].blocks_sm, 2); /* but for the measurement */
  free(list);
}
END_TEST

/* Of boxes of kinds only boxes a block, threads and blocks on a multiprocessor are open. */
START_TEST(boxes_of_kinds_keep_their_stages) {
  static const char *const others[] = {"y16.z24 1 64 4 17", "z24.y16 1 64 4 16", "z24.y16 1 64 4 18", "c2.z24.y16 1 64 4 17",
                                       "nz24.y16 1 64 4 17", "z24.y4.y4 1 64 4 17", "z24.y16 200 64 1 17", "z24.y16 1 64 0 17"};
  fg_passes *list = test_plan("ok24e10x16o11*900", FG_SINGLE, &fg_reference_device);
  fg_pass p = list->pass[0];
  fg_choice c;
  ck_assert_int_eq(p.family, FG_FAMILY_R2R_BOX);
  ck_assert(fg_choice_parse(&c, "z24.y16 3 96 5 17") && fg_choice_apply(&c, &p, &fg_reference_device));
  ck_assert(p.lines == 3 && p.threads == 96 && p.blocks_sm == 5);
  const fg_pass before = p;
  for (int i = 0; i < TEST_COUNT(others); i++) {
    ck_assert_msg(!fg_choice_parse(&c, others[i]) || !fg_choice_apply(&c, &p, &fg_reference_device), "%s", others[i]);
    same_kernel(&p, &before);
  }
  free(list);
}
END_TEST

START_TEST(text_that_is_none_is_refused) {
  static const char *const texts[] = {"",          "16",         "16.16",     "16. 1 2 3 4", ".16 1 2 3 4", "16.16 1 2 3",
                                      "q4 1 2 3 4", "-4 1 2 3 4", "130 1 2 3 4", "4..4 1 2 3 4",
                                      "c.16 1 2 3 4", "c1.16 1 2 3 4", "c17.16 1 2 3 4", "c2 1 2 3 4"};
  fg_choice c;
  for (int i = 0; i < TEST_COUNT(texts); i++) ck_assert_msg(!fg_choice_parse(&c, texts[i]), "%s", texts[i]);
  ck_assert(!fg_choice_parse(&c, "2.2.2.2.2.2.2.2.2.2.2.2.2 1 2 3 4"));
}
END_TEST

int main(void) {
  TCase *tc = tcase_create("choices");
  tcase_set_timeout(tc, 120);
  tcase_add_loop_test(tc, a_pass_s_own_choice_gives_the_same_kernel, 0, TEST_COUNT(problems));
  tcase_add_loop_test(tc, what_is_listed_fits_and_differs, 0, TEST_COUNT(problems));
  tcase_add_test(tc, clusters_are_listed_and_put_in);
  tcase_add_loop_test(tc, a_long_list_of_rows_has_small_blocks, 0, 4);
  tcase_add_test(tc, clusters_of_few_exchanges_are_listed);
  tcase_add_loop_test(tc, what_does_not_fit_is_refused, 0, TEST_COUNT(foreign));
  tcase_add_test(tc, boxes_of_kinds_keep_their_stages);
  tcase_add_loop_test(tc, blocks_that_gain_nothing_in_pairs_stay_alone, 0, TEST_COUNT(alone));
  tcase_add_test(tc, what_was_measured_alone_stays_alone);
  tcase_add_test(tc, text_that_is_none_is_refused);
  return test_run(tc, "choices");
}
