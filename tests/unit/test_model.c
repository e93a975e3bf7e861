/* test_model.c: the cost model with its default coefficients, against what was measured on the reference machine. */
#include <check.h>
#include <math.h>

#include "random_problem.h"
#include "src/cost/model.h"
#include "src/run/ranks.h"
#include "suite.h"

/* Microseconds, commit 2749d71: stock FFTW 3.3.10 on 16 cores (1 thread and 16, ESTIMATE; 16, MEASURE), this library on one H200 with
 * arrays of fftwf_malloc and of malloc (doc/measurements.md). */
static const struct {
  const char *problem;
  double one, all, all_measured, own, foreign;
} measured[] = {
    {"oc24x24x24", 65.34, 66.84, 63.79, 15.71, 32.74},
    {"oc24x24x24*27", 1811, 283.8, 213.2, 102.4, 162},
    {"oc24x24x24*54", 3625, 560.1, 424.6, 178.4, 274.7},
    {"oc16x16*8192", 1985, 197.7, 207.7, 412.1, 536.7},
    {"oc28x28*8192", 23970, 2242, 1779, 1152, 1357},
    {"oc16x16x16*512", 2806, 354.6, 316.9, 411.4, 539.5},
    {"oc256", 0.155, 50.23, 19.68, 10.91, 10.83},
    {"oc4096", 4.568, 28.22, 48.35, 23.38, 21.96},
    {"oc65536", 222.6, 71.15, 66.51, 33.39, 52.46},
    {"oc1048576", 13480, 1709, 1085, 334.3, 428.7},
    {"oc16777216", 411400, 35720, 33970, 5089, 5533},
    {"oc1000003", 43500, 15880, 15590, 360.1, 459.9},
    {"oc1024*4096", 7135, 483.4, 379.7, 774.1, 927.6},
    {"oc1000*4096", 13740, 787.9, 488.6, 761.3, 905.9},
    {"oc4096*4096", 53160, 4454, 3830, 2863, 3209},
    {"oc256x256", 585.6, 175.6, 72.04, 30.8, 52.99},
    {"oc1024x1024", 22040, 2165, 505.7, 334, 423.4},
    {"oc4096x4096", 658400, 41050, 8294, 5043, 5473},
    {"oc1000x1000", 6967, 1134, 738, 319.4, 419.8},
    {"oc32x32x32", 55.62, 50.77, 48.71, 20.36, 33.98},
    {"oc64x64x64", 574.4, 95.94, 97.56, 96.93, 149.4},
    {"oc100x100x100", 5219, 757.3, 591.4, 318.7, 415.2},
    {"oc128x128x128", 10210, 966.3, 854.2, 647.4, 785.5},
    {"oc256x256x256", 778100, 80380, 11550, 4998, 5424},
    {"oc512x512x512", 6.836e+06, 622300, 427600, 39510, 41670},
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
  ck_assert(seconds_of("oc1024", 16, FG_MEASURE) <= seconds_of("oc1024", 1, FG_MEASURE)); /* threads are not forced */
  ck_assert(seconds_of("oc1024", 16, FG_ESTIMATE) > seconds_of("oc1024", 1, FG_ESTIMATE)); /* but here they are */
  ck_assert(seconds_of("oc16", 16, FG_ESTIMATE) <= seconds_of("oc16", 1, FG_ESTIMATE));
  ck_assert(seconds_of("oc1*1000", 1, FG_ESTIMATE) > 0);
  ck_assert(seconds_of("ok1025e00*20", 1, FG_ESTIMATE) < 2 * seconds_of("ok1024e10*20", 1, FG_ESTIMATE)); /* of 1024 intervals */
  ck_assert(seconds_of("ok1023o00*20", 1, FG_ESTIMATE) < 2 * seconds_of("ok1024e10*20", 1, FG_ESTIMATE));
  ck_assert(seconds_of("ok64e10x64e10", 1, FG_MEASURE) > 10e-6); /* 22 to 44 us */
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

/* The driver lets in one process after the other: of so many on a device, as there may be several. */
START_TEST(processes_wait_for_each_other) {
  const fg_calibration *c = &fg_calibration_defaults;
  if (_i) setenv("OMPI_COMM_WORLD_LOCAL_RANK", "2", 1);
  if (_i) setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "17", 1);
  const double start = fg_model_start_seconds(c);
  ck_assert_double_eq_tol(start, c->start * fg_ranks_expected(), 1e-12);
  ck_assert(_i ? start >= 2 * c->start || fg_ranks_expected() == 1 : start == c->start);
}
END_TEST

int main(void) {
  TCase *tc = tcase_create("model");
  tcase_add_test(tc, the_right_side_of_every_clear_case);
  tcase_add_test(tc, one_thread_of_the_host_to_a_factor_of_two_and_a_bit);
  tcase_add_test(tc, the_gpu_to_a_third);
  tcase_add_test(tc, less_work_takes_less_time);
  tcase_add_test(tc, slow_passes_are_believed);
  tcase_add_loop_test(tc, processes_wait_for_each_other, 0, 2);
  return test_run(tc, "model");
}
