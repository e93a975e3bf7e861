/* test_sim_faults.c: the simulated device fails when told to, and only then. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim_case.h"

START_TEST(the_chosen_call_fails_and_no_other) {
  void *memory;
  fg_stream *second;
  ck_assert_int_eq(fg_sim_set_faults("alloc:2,stream:1,copy:2+"), 0);
  ck_assert_int_eq(sim->stream_create(device, &second), FG_ENOMEM);
  ck_assert_int_eq(sim->memory_alloc(device, 64, &memory), 0);
  ck_assert_int_eq(sim->memory_alloc(device, 64, &memory), FG_ENOMEM);
  ck_assert_int_eq(sim->memory_alloc(device, 64, &memory), 0);
  ck_assert_int_eq(sim->copy_in(device, memory, "abc", 4, stream), 0);
  ck_assert_int_eq(sim->copy_in(device, memory, "abc", 4, stream), FG_ELAUNCH);
  ck_assert_int_eq(sim->copy_in(device, memory, "abc", 4, stream), FG_ELAUNCH);
  ck_assert_int_eq(fg_sim_set_faults(NULL), 0);
  ck_assert_int_eq(sim->copy_in(device, memory, "abc", 4, stream), 0);
}
END_TEST

/* Which of the first eight waits fail, as digits. */
static const struct {
  const char *spec, *failing;
} chosen[] = {{"wait:3", "3"}, {"wait:3-5", "345"}, {"wait:6+", "678"}, {"wait:2/3", "258"}, {"any:7", "7"},
              {"any:8-9", "8"}};

START_TEST(faults_may_come_again) {
  char failing[9] = "";
  ck_assert_int_eq(fg_sim_set_faults(chosen[_i].spec), 0);
  for (int i = 1; i <= 8; i++) {
    const int code = sim->stream_wait(device, stream);
    ck_assert(code == 0 || code == FG_ELAUNCH);
    if (code) snprintf(failing + strlen(failing), 2, "%d", i);
  }
  ck_assert_str_eq(failing, chosen[_i].failing);
}
END_TEST

START_TEST(compiles_launches_and_waits_fail_on_demand) {
  static const fg_kernel_request nothing = {
      .source = "extern \"C\" __global__ void k(const int) {}\n", .defines = "", .entry = "k"};
  const int a = 0;
  fg_kernel *kernel;
  ck_assert_int_eq(fg_sim_set_faults("compile:1,launch:1,wait:1"), 0);
  ck_assert_int_eq(sim->kernels(device, 1, &nothing, &kernel), FG_ECOMPILE);
  ck_assert_int_eq(sim->kernels(device, 1, &nothing, &kernel), 0);
  ck_assert_int_eq(sim->launch(device, kernel, 1, 1, 0, &a, sizeof a, stream), FG_ELAUNCH);
  ck_assert_int_eq(sim->launch(device, kernel, 1, 1, 0, &a, sizeof a, stream), 0);
  ck_assert_int_eq(sim->stream_wait(device, stream), FG_ELAUNCH);
  ck_assert_int_eq(sim->stream_wait(device, stream), 0);
  ck_assert_uint_eq(fg_sim_count().launches, 1);
}
END_TEST

START_TEST(a_lost_device_stays_lost) {
  void *memory;
  ck_assert_int_eq(fg_sim_set_faults("lost:2"), 0);
  ck_assert_int_eq(sim->memory_alloc(device, 64, &memory), 0);
  ck_assert_int_eq(sim->copy_in(device, memory, "abc", 4, stream), FG_ELOST);
  ck_assert_int_eq(sim->stream_wait(device, stream), FG_ELOST);
  ck_assert_int_eq(sim->memory_alloc(device, 64, &memory), FG_ELOST);
}
END_TEST

/* Whoever has asked why it was lost still knows when all that was made is given back, which fails. */
START_TEST(why_a_device_was_lost_stands) {
  ck_assert_int_eq(fg_sim_set_faults("lost:1"), 0);
  fg_backend_fail(FG_ENOMEM, "no memory");
  ck_assert_int_eq(sim->stream_wait(device, stream), FG_ELOST);
  const char *const why = fg_backend_message();
  ck_assert_ptr_nonnull(strstr(why, "injected"));
  ck_assert_int_eq(sim->stream_wait(device, stream), FG_ELOST);
  ck_assert_ptr_eq(fg_backend_message(), why);
  ck_assert_int_eq(fg_backend_lost("earlier: ", "another reason"), FG_ELOST);
  ck_assert_str_eq(fg_backend_message(), "earlier: another reason");
  fg_backend_fail(FG_ELOST, "the output was damaged: %s", fg_backend_message());
  ck_assert_str_eq(fg_backend_message(), "the output was damaged: earlier: another reason");
}
END_TEST

static const char *const unreadable[] = {"alloc", "alloc:", "alloc:0", "alloc:1x", "alloc:1,", ",alloc:1", "halloc:1",
                                        "alloc:1-", "alloc:3-2", "alloc:1/0", "alloc:1+2"};

START_TEST(an_unreadable_fault_text_is_refused) {
  void *memory;
  ck_assert_int_eq(fg_sim_set_faults(unreadable[_i]), -1);
  ck_assert_int_eq(sim->memory_alloc(device, 64, &memory), 0);
}
END_TEST

START_TEST(faults_come_from_the_environment) {
  void *memory;
  setenv("FFTW3_GPU_SIM_FAIL", "alloc:1", 1);
  ck_assert_int_eq(sim->open(0, &device), 0);
  ck_assert_int_eq(sim->memory_alloc(device, 64, &memory), FG_ENOMEM);
  ck_assert_int_eq(sim->memory_alloc(device, 64, &memory), 0);
}
END_TEST

START_TEST(an_unreadable_environment_opens_no_device) {
  setenv("FFTW3_GPU_SIM_FAIL", "alloc:often", 1);
  ck_assert_int_eq(sim->open(0, &device), FG_ENODEVICE);
  ck_assert_int_eq(sim->open(0, &device), FG_ENODEVICE);
}
END_TEST

static void add(Suite *s) {
  TCase *tc = sim_case_tests(s, "faults");
  tcase_add_test(tc, the_chosen_call_fails_and_no_other);
  tcase_add_test(tc, compiles_launches_and_waits_fail_on_demand);
  tcase_add_test(tc, a_lost_device_stays_lost);
  tcase_add_test(tc, why_a_device_was_lost_stands);
  tcase_add_loop_test(tc, faults_may_come_again, 0, TEST_COUNT(chosen));
  tcase_add_loop_test(tc, an_unreadable_fault_text_is_refused, 0, TEST_COUNT(unreadable));
  tc = tcase_create("environment"); /* read when the device is first opened: no fixture */
  tcase_add_test(tc, faults_come_from_the_environment);
  tcase_add_test(tc, an_unreadable_environment_opens_no_device);
  suite_add_tcase(s, tc);
}

int main(void) { return sim_case_main("sim_faults", add); }
