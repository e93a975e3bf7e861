/* test_model.c: the cost model with its default coefficients, against what was measured on the reference machine. */
#include <check.h>
#include <math.h>

#include "random_problem.h"
#include "src/plan/model.h"
#include "suite.h"

/* Microseconds: stock FFTW 3.3.10 on 16 cores (1 thread and 16, ESTIMATE; 16, MEASURE), this library on one H200 with
 * arrays of fftwf_malloc and of malloc (doc/performance.md). */
static const struct {
  const char *problem;
  double one, all, all_measured, own, foreign;
} measured[] = {
    {"oc24x24x24", 95.8, 83, 70.8, 27.6, 44},
    {"oc24x24x24*27", 2512.2, 508.3, 241.6, 104, 231},
    {"oc24x24x24*54", 5031.2, 811.3, 507.9, 179, 349},
    {"oc16x16*8192", 2568.5, 344.5, 267.8, 412, 807},
    {"oc28x28*8192", 31769, 3029.5, 2296.8, 1150, 1428},
    {"oc16x16x16*512", 4231.1, 443.3, 446.3, 412, 776},
    {"oc256", 0.3, 29.1, 0.3, 22.5, 22.5},
    {"oc4096", 7.9, 8.6, 4.5, 33.9, 33.9},
    {"oc65536", 260.8, 135.6, 123.1, 39.9, 80.7},
    {"oc1048576", 14644.9, 4043.2, 2341.2, 334, 548},
    {"oc16777216", 434086, 80561.8, 105138, 5096, 5453},
    {"oc1000003", 53330.5, 23591.6, 23649.3, 389, 576},
    {"oc1024*4096", 5870.6, 615.9, 602.2, 775, 1043},
    {"oc1000*4096", 12241.2, 1436.4, 828.3, 760, 1014},
    {"oc4096*4096", 62039.3, 5011.6, 4309, 2866, 3392},
    {"oc256x256", 767, 182, 84.1, 39.9, 80.5},
    {"oc1024x1024", 23623.7, 2491.7, 711.5, 334, 528},
    {"oc4096x4096", 663425, 86563.7, 76103.2, 5046, 5386},
    {"oc1000x1000", 8333.4, 1539.9, 894.7, 318, 509},
    {"oc32x32x32", 67.1, 68.1, 59.3, 29.7, 59.5},
    {"oc64x64x64", 676.6, 154.9, 150.1, 96, 194},
    {"oc100x100x100", 10320.9, 1235.6, 937.1, 319, 508},
    {"oc128x128x128", 14377.8, 1145, 993.3, 650, 889},
    {"oc256x256x256", 1.08085e+06, 77963.6, 11636, 5002, 5342},
    {"oc512x512x512", 7.98956e+06, 649774, 594430, 39535, 40770},
};

enum { ONE, ALL, ALL_MEASURED, HOSTS };

static fg_problem *problem(int i, int host) {
  fg_problem *p = test_problem(measured[i].problem, FG_SINGLE);
  p->flags = host == ALL_MEASURED ? FG_MEASURE : FG_ESTIMATE;
  p->threads = host == ONE ? 1 : 16;
  return p;
}

static double host_us(int i, int host) {
  return host == ONE ? measured[i].one : host == ALL ? measured[i].all : measured[i].all_measured;
}

static double host_model(int i, int host) {
  fg_problem *p = problem(i, host);
  const double seconds = fg_model_host_seconds(&fg_calibration_defaults, p);
  fg_problem_free(p);
  return 1e6 * seconds;
}

static double gpu_model(int i, enum fg_memory memory) {
  fg_problem *p = problem(i, ONE);
  const double seconds = fg_model_gpu_seconds(&fg_calibration_defaults, p, memory, -1);
  fg_problem_free(p);
  return 1e6 * seconds;
}

/* Where one side was three times as fast as the other the model must say which. */
START_TEST(the_right_side_of_every_clear_case) {
  const double clear = 3;
  for (int i = 0; i < TEST_COUNT(measured); i++)
    for (int host = ONE; host < HOSTS; host++)
      for (int memory = FG_MEMORY_FOREIGN; memory <= FG_MEMORY_OWN; memory++) {
        const double gpu = memory == FG_MEMORY_OWN ? measured[i].own : measured[i].foreign;
        const double ratio = host_us(i, host) / gpu;
        const double said = host_model(i, host) / gpu_model(i, (enum fg_memory)memory);
        if (ratio > clear || ratio < 1 / clear)
          ck_assert_msg(ratio > 1 ? said > 1 : said < 1, "%s: host / GPU is %.2f, not %.2f", measured[i].problem, ratio,
                        said);
      }
}
END_TEST

START_TEST(one_thread_of_the_host_to_a_factor_of_two_and_a_bit) {
  for (int i = 0; i < TEST_COUNT(measured); i++) {
    const double ratio = host_model(i, ONE) / measured[i].one;
    ck_assert_msg(ratio > 0.45 && ratio < 2.2, "%s: %.2f", measured[i].problem, ratio);
  }
}
END_TEST

START_TEST(the_gpu_to_a_third) {
  for (int i = 0; i < TEST_COUNT(measured); i++) {
    const double own = gpu_model(i, FG_MEMORY_OWN) / measured[i].own;
    const double foreign = gpu_model(i, FG_MEMORY_FOREIGN) / measured[i].foreign;
    ck_assert_msg(own > 0.6 && own < 1.2, "%s: own %.2f", measured[i].problem, own);
    ck_assert_msg(foreign > 0.66 && foreign < 1.4, "%s: foreign %.2f", measured[i].problem, foreign);
  }
}
END_TEST

static double seconds_of(const char *text, int threads, unsigned flags) {
  fg_problem *p = test_problem(text, FG_SINGLE);
  p->threads = threads;
  p->flags = flags;
  const double seconds = fg_model_host_seconds(&fg_calibration_defaults, p);
  fg_problem_free(p);
  return seconds;
}

START_TEST(less_work_takes_less_time) {
  ck_assert(seconds_of("or256x256x256", 1, FG_ESTIMATE) < seconds_of("oc256x256x256", 1, FG_ESTIMATE));
  ck_assert(seconds_of("orb64x64x64", 1, FG_ESTIMATE) < seconds_of("oc64x64x64", 1, FG_ESTIMATE));
  ck_assert(seconds_of("oc128*64", 1, FG_ESTIMATE) < seconds_of("oc128*128", 1, FG_ESTIMATE));
  ck_assert(seconds_of("oc1024x1024", 1, FG_MEASURE) < seconds_of("oc1024x1024", 1, FG_ESTIMATE));
  ck_assert(seconds_of("oc1024x1024", 4, FG_ESTIMATE) < seconds_of("oc1024x1024", 1, FG_ESTIMATE));
  ck_assert(seconds_of("oc1024", 16, FG_ESTIMATE) <= seconds_of("oc1024", 1, FG_ESTIMATE)); /* threads are not forced */
  ck_assert(seconds_of("oc1*1000", 1, FG_ESTIMATE) > 0);
}
END_TEST

/* Seconds of the passes that are known count instead of those that were guessed. */
START_TEST(slow_passes_are_believed) {
  fg_problem *p = test_problem("oc1000003", FG_SINGLE);
  const fg_calibration *c = &fg_calibration_defaults;
  ck_assert(fg_model_gpu_seconds(c, p, FG_MEMORY_OWN, 1) > 0.5);
  ck_assert(fg_model_gpu_seconds(c, p, FG_MEMORY_OWN, 0) < fg_model_gpu_seconds(c, p, FG_MEMORY_OWN, -1));
  fg_problem_free(p);
}
END_TEST

int main(void) {
  TCase *tc = tcase_create("model");
  tcase_add_test(tc, the_right_side_of_every_clear_case);
  tcase_add_test(tc, one_thread_of_the_host_to_a_factor_of_two_and_a_bit);
  tcase_add_test(tc, the_gpu_to_a_third);
  tcase_add_test(tc, less_work_takes_less_time);
  tcase_add_test(tc, slow_passes_are_believed);
  return test_run(tc, "model");
}
