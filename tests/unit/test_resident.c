/* test_resident.c: plans given arrays of a device, managed or pinned memory: computed where they are, and right
 * whatever fails. */
#include <check.h>
#include <fenv.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/sim/sim.h"
#include "homes.h"
#include "numbers.h"
#include "on_sim.h"
#include "random_problem.h"
#include "real_fftw.h"
#include "src/plan/resident.h"
#include "src/run/arena/arena.h"
#include "src/run/lane.h"
#include "src/run/memory.h"
#include "src/run/residence.h"
#include "src/run/slot.h"
#include "suite.h"

/* Dense, strided, with gaps, two loops that are not one, split; passes of every kind; in place with the same and with
 * other places, padded; several passes, also of real data; backwards. */
static const struct {
  const char *text;
  int passes; /* at least */
} problems[] = {
    {"ocf64*10", 1}, {"icb60*9", 1}, {"ocf16x12*7", 1}, {"icf8x6x4*5", 1}, {"/ocf30*6", 1}, {"/icf16x8*4", 1},
    {"icf8x9x10", 1}, {"ocf8:1:3*6:8:40", 1}, {"icf14:11:1*11:1:14", 1}, {"ocf12:2:1*4:24:13x3:110:60", 1},
    {"ocf1009*3", 1}, {"icf1009*2", 1}, {"icb28561", 2}, {"ocf28561*2", 2}, {"ocf7*1", 1}, {"orf30*4", 1}, {"irf30*4", 1},
    {"orb30*4", 1}, {"irb30*4", 1}, {"irf8x10", 1}, {"irb8x10", 1}, {"irf6x5x9*2", 1}, {"orb6x8x10", 1}, {"/orf12*5", 1},
    {"/irb12*5", 1}, {"okd20e10*6", 1}, {"ik8fx6h", 1}, {"ik134fx6h", 2}, {"orf8192", 1}, {"irf8192", 1}, {"irf16*1", 1},
    {"irf40x1000", 2}, {"irb40x1000", 2}, {"orb32768", 1}, {"orb65536", 2}, {"ocf14:-3:-3*11:42:42", 1}, {"ocf16*5:-16:16", 1},
    {"icf16*5:-16:-16", 1}, {"/ocf14:-3:2*11:42:-30", 1}, {"orf8x10:-1:1", 1}, {"orb8:-6:10x10", 1}, {"ok8fx6:-1:1h", 1},
    {"ocf4096x2x67", 3},
};

static bool in_place_of(const fg_problem *p) { return p->arrays.in_re == p->arrays.out_re; }

typedef struct {
  fg_problem *p;
  homes h;
  fg_plan *plan;
  char what[120];
} subject;

static subject prepare(const char *text, home_kind in, home_kind out) {
  subject s = {.p = test_problem_of_numbers(text)};
  const bool in_place = in_place_of(s.p);
  snprintf(s.what, sizeof s.what, "%s, %s to %s", text, home_names[in], home_names[in_place ? in : out]);
  s.p->flags = FG_MEASURE; /* must not be measured on such arrays */
  s.h = homes_of(s.p, in, out, in_place);
  s.plan = fg_plan_create(fg_problem_copy(s.p));
  ck_assert_msg(s.plan && fg_plan_is_ours(s.plan), "%s: no plan", s.what);
  homes_check_untouched(&s.h, s.what);
  return s;
}

static void dispose(subject *s) {
  fg_plan_destroy(s->plan);
  homes_free(&s->h);
  fg_problem_free(s->p);
}

static void run(const subject *s) {
  fg_plan_execute(s->plan, NULL);
  homes_check(&s->h, s->what);
  homes_refill(&s->h);
}

/* ---- where they are ---- */

START_TEST(arrays_on_the_device_are_transformed_there) {
  const home_kind kinds[] = {DEVICE, MANAGED, SHIFTED};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    subject s = prepare(problems[_i].text, kinds[k], kinds[(k + 1) % 3]);
    const fg_sim_counters before = fg_sim_count();
    const int by_host = test_real_fftw_executions();
    fg_plan_execute(s.plan, NULL);
    const fg_sim_counters after = fg_sim_count();
    ck_assert_msg(after.transfers == before.transfers, "%s: %zu copies over the link", s.what,
                  after.transfers - before.transfers);
    ck_assert_uint_ge(after.launches, before.launches + (size_t)problems[_i].passes);
    ck_assert_int_eq(test_real_fftw_executions(), by_host);
    homes_check(&s.h, s.what);
    dispose(&s);
  }
}
END_TEST

/* One array on the device, the other in every kind of host memory. */
START_TEST(one_array_may_be_the_hosts) {
  static const char *const some[] = {"ocf64*10", "/ocf30*6", "ocf8:1:3*6:8:40", "orf30*4", "orb6x8x10", "ocb20x30x40"};
  for (home_kind host = HEAP; host <= PINNED; host++)
    for (int way = 0; way < 2; way++) {
      subject s = prepare(some[_i], way ? host : DEVICE, way ? DEVICE : host);
      const int by_host = test_real_fftw_executions();
      const size_t launches = fg_sim_count().launches;
      run(&s);
      run(&s);
      ck_assert_int_eq(test_real_fftw_executions(), by_host);
      ck_assert_uint_gt(fg_sim_count().launches, launches);
      dispose(&s);
    }
}
END_TEST

/* A plan made on arrays of one kind and executed on others, all ways round. */
START_TEST(plans_take_new_arrays_of_any_kind) {
  static const char *const some[] = {"ocf64*10", "icf16x8*4", "irf30*4", "/ocf30*6"};
  for (home_kind made = HEAP; made <= SHIFTED; made++) {
    subject s = prepare(some[_i], made, made);
    for (home_kind used = HEAP; used <= SHIFTED; used++) {
      fg_problem *p = test_problem_of_numbers(some[_i]);
      homes h = homes_of(p, used, used, in_place_of(p));
      fg_plan_execute(s.plan, &h.arrays);
      homes_check(&h, home_names[used]);
      homes_free(&h);
      fg_problem_free(p);
    }
    dispose(&s);
  }
}
END_TEST

/* Whichever of them is the process's own. */
START_TEST(each_device_computes_its_own) {
  setenv("FFTW3_GPU_DEVICE", _i ? "1" : "0", 1);
  ck_assert_int_eq(test_target()->ordinal, _i);
  for (home_kind in = DEVICE; in <= SECOND; in++)
    for (home_kind out = DEVICE; out <= SECOND; out++) {
      subject s = prepare("ocf64*10", in, out);
      const bool both = (in == SECOND) == (out == SECOND);
      const int by_host = test_real_fftw_executions();
      run(&s);
      ck_assert_int_eq(test_real_fftw_executions() - by_host, !both);
      dispose(&s);
    }
  subject s = prepare("ocf64*10", SECOND, HEAP);
  run(&s);
  ck_assert_int_eq(fg_plan_facts_of(s.plan).device, !_i);
  dispose(&s);
  const size_t registered = fg_sim_count().registered;
  s = prepare("ocf64*200", ARENA, DEVICE); /* what is large enough is pinned, if DMA may have it as it is */
  run(&s);
  ck_assert_int_eq(fg_sim_count().registered > registered, TEST_REACHED);
  dispose(&s);
}
END_TEST

static const fg_device *launched_on;

static int launch_and_note(fg_device *device, fg_kernel *kernel, unsigned grid, unsigned threads, size_t shared,
                           const void *args, size_t bytes, fg_stream *stream) {
  launched_on = device;
  return fg_backend_sim.launch(device, kernel, grid, threads, shared, args, bytes, stream);
}

/* A plan for one device, executed on arrays of the other, and back. */
START_TEST(a_plan_goes_to_where_the_arrays_are) {
  static fg_backend noting;
  noting = fg_backend_sim;
  noting.launch = launch_and_note;
  ((fg_target *)test_target())->backend = &noting; /* others are opened with the same */
  const home_kind first = _i ? SECOND : DEVICE, then = _i ? DEVICE : SECOND;
  subject s = prepare("ocf64*10", first, first);
  fg_problem *p = test_problem_of_numbers("ocf64*10");
  homes h = homes_of(p, then, then, false);
  const char *why = "";
  fg_device *const device = fg_target_of(then == SECOND, &why)->device;
  launched_on = NULL;
  fg_plan_execute(s.plan, &h.arrays);
  ck_assert_ptr_eq(launched_on, device);
  homes_check(&h, "the other device");
  run(&s);
  ck_assert_ptr_ne(launched_on, device);
  dispose(&s);
  homes_free(&h);
  fg_problem_free(p);
}
END_TEST

/* Nor does one lend the other what it has. */
START_TEST(lanes_are_of_one_device) {
  const char *why = "";
  const fg_target *const own = test_target(), *const other = fg_target_of(1, &why);
  const size_t bytes[FG_ARRAYS] = {[FG_ARRAY_SCRATCH0] = 1000};
  fg_lane *a, *b;
  ck_assert_int_eq(fg_lane_acquire(own, bytes, 0, NULL, &a), FG_OK);
  fg_lane_release(a, NULL);
  ck_assert_int_eq(fg_lane_acquire(other, bytes, 0, NULL, &b), FG_OK);
  ck_assert(a->target == own && b->target == other);
  ck_assert(!fg_lane_give_up(other));
  fg_lane_release(b, NULL);
  ck_assert(fg_lane_give_up(other) && fg_lane_give_up(own));
  ck_assert_uint_eq(fg_memory_used(), 0);
}
END_TEST

/* What one has does not count against the other's limit, nor is it given up for it. */
START_TEST(each_device_has_a_limit_of_its_own) {
  setenv("FFTW3_GPU_SIM_ABORT", "1", 1);
  subject host = prepare("ocf64*1000", HEAP, HEAP), second = prepare("icf14:110:1*110:1:14", SECOND, SECOND);
  run(&host); /* its slot stays */
  const size_t most = fg_memory_most = fg_memory_used() + 1000;
  const int before = test_real_fftw_executions();
  run(&second);
  ck_assert_int_eq(test_real_fftw_executions(), before);
  ck_assert_uint_gt(fg_memory_used(), most);
  fg_memory_most = 0;
  dispose(&host);
  dispose(&second);
}
END_TEST

/* What a plan gives that was made in a rounding mode. */
static char *result_of(home_kind in, home_kind out, int rounding) {
  fg_problem *p = test_problem_of_numbers("ocf2310*2");
  homes h = homes_of(p, in, out, false);
  if (in == DEVICE) fg_memory_most = fg_memory_used() + 60000; /* images, which have the same tables, have no room */
  fesetround(rounding);
  fg_plan *plan = fg_plan_create(fg_problem_copy(p));
  fesetround(FE_TONEAREST);
  const int by_host = test_real_fftw_executions();
  fg_plan_execute(plan, NULL);
  ck_assert_int_eq(test_real_fftw_executions(), by_host);
  char *result = malloc(h.block[1].bytes);
  memcpy(result, h.block[1].memory, h.block[1].bytes);
  fg_plan_destroy(plan); /* its tables go with it */
  fg_memory_most = 0;
  homes_free(&h);
  fg_problem_free(p);
  return result;
}

START_TEST(tables_are_rounded_to_nearest) {
  const home_kind in = _i ? DEVICE : HEAP, out = _i ? MANAGED : HEAP;
  char *upward = result_of(in, out, FE_UPWARD), *nearest = result_of(in, out, FE_TONEAREST);
  ck_assert_mem_eq(upward, nearest, 2310 * 2 * 2 * sizeof(test_number));
  free(upward);
  free(nearest);
}
END_TEST

/* Tables are rounded to nearest whatever the program does, and it finds its floating-point environment as it was. */
START_TEST(the_rounding_mode_is_the_programs) {
  fesetround(FE_UPWARD);
  feclearexcept(FE_ALL_EXCEPT);
  fg_problem *p = test_problem_of_numbers("ocf2310*2");
  void *memory[2];
  const fg_target *t = test_target();
  for (int i = 0; i < 2; i++) ck_assert_int_eq(t->backend->memory_alloc(t->device, 2310 * 16, &memory[i]), 0);
  p->arrays = (fg_arrays){memory[0], (test_number *)memory[0] + 1, memory[1], (test_number *)memory[1] + 1};
  fg_plan *plan = fg_plan_create(p);
  ck_assert_int_eq(fegetround(), FE_UPWARD);
  ck_assert_int_eq(fetestexcept(FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID), 0);
  fesetround(FE_TONEAREST);
  subject s = prepare("ocf2310*2", DEVICE, DEVICE);
  run(&s);
  dispose(&s);
  fg_plan_destroy(plan);
}
END_TEST

/* ---- threads ---- */

enum { THREADS = 6, TIMES = 4 };

static void *execute_own(void *shared) {
  const subject *s = shared;
  for (int i = 0; i < TIMES; i++) {
    fg_problem *p = fg_problem_copy(s->p);
    homes h = homes_of(p, i % 2 ? DEVICE : MANAGED, i % 3 ? DEVICE : HEAP, false);
    fg_plan_execute(s->plan, &h.arrays);
    homes_check(&h, s->what);
    homes_free(&h);
    fg_problem_free(p);
  }
  return NULL;
}

START_TEST(threads_execute_one_plan) {
  static const char *const some[] = {"ocf64*10", "ocf8:1:3*6:8:40", "ocb20x30x40"};
  pthread_t threads[THREADS];
  subject s = prepare(some[_i], DEVICE, DEVICE);
  for (int t = 0; t < THREADS; t++) ck_assert_int_eq(pthread_create(&threads[t], NULL, execute_own, &s), 0);
  for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
  dispose(&s);
}
END_TEST

/* ---- what the device cannot do ---- */

START_TEST(undefined_layouts_are_the_real_fftws) {
  fg_problem *p = test_problem_of_numbers("ocf6*5");
  p->batch.dim[0].is = 0; /* one input for all */
  homes h;
  fg_problem *dense = test_problem_of_numbers("ocf6*5");
  h = homes_of(dense, DEVICE, DEVICE, false);
  p->arrays = dense->arrays;
  fg_plan *plan = fg_plan_create(fg_problem_copy(p));
  ck_assert(plan && fg_plan_is_ours(plan));
  const int by_host = test_real_fftw_executions();
  fg_plan_execute(plan, NULL);
  ck_assert_int_eq(test_real_fftw_executions(), by_host + 1);
  const test_number *first = (const test_number *)h.right[1];
  test_number *got = malloc(h.block[1].bytes);
  fg_stream *stream;
  const fg_target *t = test_target();
  ck_assert_int_eq(t->backend->stream_create(t->device, &stream), 0);
  ck_assert_int_eq(t->backend->copy_out(t->device, got, h.block[1].memory, h.block[1].bytes, stream), 0);
  for (int b = 0; b < 5; b++)
    for (int i = 0; i < 12; i++) ck_assert_double_eq_tol(got[12 * b + i], first[i], 1e-5);
  t->backend->stream_destroy(t->device, stream);
  free(got);
  fg_plan_destroy(plan);
  homes_free(&h);
  fg_problem_free(dense);
  fg_problem_free(p);
}
END_TEST

/* Arrays that are there need no images: only scratch counts, and where that is too much the real FFTW answers. */
START_TEST(the_limit_of_memory_is_kept) {
  static const struct {
    const char *text;
    bool on_device;
  } some[] = {{"ocf64*1000", true}, {"icf64*1000", true}, {"ocf65536*2", false}, {"icf14:110:1*110:1:14", false}};
  subject s = prepare(some[_i].text, DEVICE, DEVICE);
  fg_lane_trim();
  fg_slot_trim(test_target());
  fg_memory_most = fg_memory_used() + 2000;
  for (int i = 0; i < 2; i++) {
    const int before = test_real_fftw_executions();
    run(&s);
    ck_assert_int_eq(test_real_fftw_executions() - before, !some[_i].on_device);
  }
  const size_t most = fg_memory_used();
  ck_assert_uint_le(most, fg_memory_most);
  fg_memory_most = 0;
  run(&s);
  dispose(&s);
}
END_TEST

/* What a plan's executions need beyond what may stay idle stays as long as the plan, in one lane, and goes with it; or at once
 * where it is more than a quarter of the limit. */
START_TEST(what_a_plan_needs_stays_while_it_lives) {
  const size_t idle = fg_memory_most_idle;
  fg_lane_trim();
  fg_slot_trim(test_target());
  fg_memory_most_idle = 1000;
  subject s = prepare("ocf65536*2", DEVICE, DEVICE), other = prepare("ocf65536", DEVICE, DEVICE);
  run(&s);
  const size_t with = fg_memory_used();
  ck_assert_uint_ge(with, 65536 * 8 * 2);
  run(&s);
  run(&other);
  ck_assert_uint_eq(fg_memory_used(), with);
  dispose(&s);
  ck_assert_uint_lt(fg_memory_used() + 65536 * 8 * 2, with + 1); /* the other plan needs half */
  const size_t without = fg_memory_used();
  run(&other);
  ck_assert_uint_ge(fg_memory_used(), without + 65536 * 8);
  fg_memory_most = fg_memory_used() + 4 * 65536;
  run(&other);
  ck_assert_uint_le(fg_memory_used(), without);
  fg_memory_most = 0;
  dispose(&other);
  ck_assert_uint_le(fg_memory_used(), without);
  fg_memory_most_idle = idle;
}
END_TEST

/* A plan that is made where there is no room for its images. */
START_TEST(a_plan_is_made_without_room_for_images) {
  test_target();
  fg_memory_most = fg_memory_used() + 2000;
  subject s = prepare("ocf60*1000", DEVICE, DEVICE);
  const int before = test_real_fftw_executions();
  run(&s);
  ck_assert_int_eq(test_real_fftw_executions(), before);
  fg_memory_most = 0;
  dispose(&s);
}
END_TEST

/* A failure at any place ends with the right answer: on the device at a second try, or by the real FFTW. */
static const char *const faults[] = {"alloc", "launch", "wait", "pinned", "stream", "compile"};

START_TEST(one_failure_anywhere_ends_well) {
  static const char *const some[] = {"ocf64*6", "icf16x8*5", "icf14:11:1*11:1:14", "icb8192", "irf6x5x9*2"};
  for (int n = 1; n <= 8; n++)
    for (size_t p = 0; p < sizeof some / sizeof *some; p++)
      for (int mixed = 0; mixed < 2; mixed++) {
        char fault[32];
        subject s = prepare(some[p], DEVICE, mixed ? HEAP : DEVICE);
        fg_lane_trim();
        snprintf(fault, sizeof fault, "%s:%d", faults[_i], n);
        ck_assert_int_eq(fg_sim_set_faults(fault), 0);
        fg_plan_execute(s.plan, NULL);
        fg_sim_set_faults(NULL);
        homes_check(&s.h, s.what);
        dispose(&s);
      }
}
END_TEST

/* Any layout of arrays on a device is brought to the host and back, and nothing else. */
START_TEST(the_real_fftw_answers_for_any_layout) {
  static const char *const some[] = {"ocf14:-3:-3*11:42:42", "/ocf14:-3:2*11:42:-30", "/ocf30*6", "orf30*4", "/orf12*5",
                                     "ocf12:2:1*4:24:13x3:110:60", "okd20e10*6"};
  subject s = prepare(some[_i], DEVICE, DEVICE);
  const fg_sim_counters before = fg_sim_count();
  ck_assert_int_eq(fg_sim_set_faults("launch:1+"), 0);
  const int by_host = test_real_fftw_executions();
  run(&s);
  ck_assert_int_eq(test_real_fftw_executions(), by_host + 1);
  fg_sim_set_faults(NULL);
  fg_lane_trim();
  ck_assert_uint_eq(fg_sim_count().streams, before.streams);
  dispose(&s);
}
END_TEST

/* Kernels that never start: out of place the real FFTW answers for all time. */
START_TEST(lasting_failures_end_well) {
  subject s = prepare("ocf8:1:3*6:8:40", DEVICE, DEVICE);
  ck_assert_int_eq(fg_sim_set_faults(_i ? "launch:1+" : "alloc:1+"), 0);
  fg_lane_trim();
  for (int i = 0; i < 3; i++) run(&s);
  fg_sim_set_faults(NULL);
  dispose(&s);
}
END_TEST

/* Managed memory is the host's too: the real FFTW answers, and what was made for the device is left alone. */
START_TEST(a_lost_device_is_asked_for_nothing) {
  subject s = prepare("ocf64*10", MANAGED, MANAGED);
  run(&s);
  const int before = test_real_fftw_executions();
  const size_t launches = fg_sim_count().launches;
  fg_target_lost("for a test");
  run(&s);
  ck_assert_int_eq(test_real_fftw_executions(), before + 1);
  ck_assert_uint_eq(fg_sim_count().launches, launches);
  dispose(&s);
}
END_TEST

START_TEST(a_plan_is_made_whatever_fails) {
  static const char *const some[] = {"ocf60*6", "icf18x8*5", "irf7x5x9*2"};
  for (int n = 1; n <= 4; n++)
    for (size_t p = 0; p < sizeof some / sizeof *some; p++) {
      char fault[32];
      snprintf(fault, sizeof fault, "%s:%d", faults[_i], n);
      fg_problem *problem = test_problem_of_numbers(some[p]);
      homes h = homes_of(problem, DEVICE, DEVICE, in_place_of(problem));
      ck_assert_int_eq(fg_sim_set_faults(fault), 0);
      fg_plan *plan = fg_plan_create(fg_problem_copy(problem));
      fg_sim_set_faults(NULL);
      ck_assert(plan && fg_plan_is_ours(plan));
      fg_plan_execute(plan, NULL);
      homes_check(&h, some[p]);
      fg_plan_destroy(plan);
      homes_free(&h);
      fg_problem_free(problem);
    }
}
END_TEST

/* ---- what a pointer leads to ---- */

START_TEST(residence_tells_all_kinds) {
  static const enum fg_pointer_kind want[] = {
      FG_POINTER_HOST,   FG_POINTER_OWN,    FG_POINTER_PINNED, FG_POINTER_MANAGED,
      FG_POINTER_DEVICE, FG_POINTER_DEVICE, FG_POINTER_DEVICE};
  static test_number in_image[4];
  test_number on_stack[4];
  for (home_kind k = HEAP; k < KINDS; k++) {
    fg_problem *p = test_problem_of_numbers("ocf64*10");
    homes h = homes_of(p, k, k, false);
    const fg_pointer inside = fg_residence_of((char *)h.block[0].memory + h.block[0].bytes - 1);
    ck_assert_msg(inside.kind == want[k], "%s: %d", home_names[k], inside.kind);
    if (k >= MANAGED) ck_assert_int_eq(inside.ordinal, k == SECOND);
    homes_free(&h);
    fg_problem_free(p);
  }
  ck_assert_int_eq(fg_residence_of(NULL).kind, FG_POINTER_HOST);
  ck_assert_int_eq(fg_residence_of(in_image).kind, FG_POINTER_HOST);
  ck_assert_int_eq(fg_residence_of(on_stack).kind, FG_POINTER_HOST);
  ck_assert_int_eq(fg_residence_of((void *)16).kind, FG_POINTER_HOST);
}
END_TEST

START_TEST(pinned_is_the_whole_range) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const fg_target *t = test_target();
  char *two = aligned_alloc(page, 3 * page);
  ck_assert_int_eq(t->backend->host_register(t->device, two, 2 * page), 0);
  ck_assert(fg_residence_pinned(two, 2 * page));
  ck_assert(fg_residence_pinned(two + 100, page));
  ck_assert(!fg_residence_pinned(two, 2 * page + 1));
  ck_assert(!fg_residence_pinned(two + 2 * page, 1));
  ck_assert_int_eq(t->backend->host_unregister(t->device, two), 0);
  ck_assert(!fg_residence_pinned(two, 1));
  free(two);
}
END_TEST

/* Both arrays on the host, pinned by the program: no staging is made for them, unless the processor has to convert. */
START_TEST(pinned_by_the_program_is_reached_directly) {
  for (home_kind k = HEAP; k <= PINNED; k += PINNED - HEAP) {
    subject s = prepare("ocf64*10", k, k);
    const bool direct = k == PINNED && TEST_REACHED;
    ck_assert_int_eq(fg_model_memory(s.p), direct ? FG_MEMORY_OWN : FG_MEMORY_FOREIGN); /* nor has it a price */
    fg_slot_trim(test_target());
    const size_t before = fg_sim_count().allocations;
    run(&s);
    const size_t arrays = 2, staging = 2 * FG_RING;
    ck_assert_uint_eq(fg_sim_count().allocations - before, arrays + (direct ? 0 : staging));
    run(&s);
    run(&s);
    dispose(&s);
  }
}
END_TEST

START_TEST(nothing_is_left_when_all_is_given_back) {
  fg_lane_trim();
  fg_slot_trim(test_target());
  const fg_sim_counters before = fg_sim_count();
  for (size_t p = 0; p < 8; p++) {
    subject s = prepare(problems[p].text, DEVICE, p % 2 ? DEVICE : HEAP);
    run(&s);
    dispose(&s);
  }
  fg_plan_cleanup();
  const fg_sim_counters now = fg_sim_count();
  ck_assert_uint_eq(now.allocations, before.allocations);
  ck_assert_uint_eq(now.streams, before.streams);
}
END_TEST

int main(void) {
  fg_sim_set_devices(2);
  test_choose_sim();
  unsetenv("FFTW3_GPU_SIM_ABORT"); /* injected failures are none */
  test_real_fftw();
  TCase *tc = tcase_create("resident");
  tcase_set_timeout(tc, 300);
  tcase_add_loop_test(tc, arrays_on_the_device_are_transformed_there, 0, TEST_COUNT(problems));
  tcase_add_loop_test(tc, one_array_may_be_the_hosts, 0, 6);
  tcase_add_loop_test(tc, plans_take_new_arrays_of_any_kind, 0, 4);
  tcase_add_loop_test(tc, each_device_computes_its_own, 0, 2);
  tcase_add_loop_test(tc, a_plan_goes_to_where_the_arrays_are, 0, 2);
  tcase_add_test(tc, lanes_are_of_one_device);
  tcase_add_test(tc, each_device_has_a_limit_of_its_own);
  tcase_add_loop_test(tc, tables_are_rounded_to_nearest, 0, 2);
  tcase_add_test(tc, the_rounding_mode_is_the_programs);
  tcase_add_loop_test(tc, threads_execute_one_plan, 0, 3);
  tcase_add_test(tc, undefined_layouts_are_the_real_fftws);
  tcase_add_loop_test(tc, the_limit_of_memory_is_kept, 0, 4);
  tcase_add_test(tc, what_a_plan_needs_stays_while_it_lives);
  tcase_add_test(tc, a_plan_is_made_without_room_for_images);
  tcase_add_loop_test(tc, one_failure_anywhere_ends_well, 0, TEST_COUNT(faults));
  tcase_add_loop_test(tc, the_real_fftw_answers_for_any_layout, 0, 7);
  tcase_add_loop_test(tc, lasting_failures_end_well, 0, 2);
  tcase_add_test(tc, a_lost_device_is_asked_for_nothing);
  tcase_add_loop_test(tc, a_plan_is_made_whatever_fails, 0, TEST_COUNT(faults));
  tcase_add_test(tc, residence_tells_all_kinds);
  tcase_add_test(tc, pinned_is_the_whole_range);
  tcase_add_test(tc, pinned_by_the_program_is_reached_directly);
  tcase_add_test(tc, nothing_is_left_when_all_is_given_back);
  return test_run(tc, "resident");
}
