/* test_replay.c: what a replay rests on: arrays as the program had them, and results of two libraries compared. */
#include <check.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/replay.h"
#include "src/problem/notation.h"
#include "tests/unit/suite.h"

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

static int given; /* blocks of fftwf_malloc that are alive */

static void *give(size_t bytes) {
  given++;
  return malloc(bytes);
}

static void take(void *block) {
  given -= block != NULL;
  free(block);
}

static void begin(void) { fg_replay_memory_from(&(fg_replay_memory){{give, give}, {take, take}, NULL, NULL, NULL}); }

static fg_replay_item array_of(enum fg_call call, long long value, ptrdiff_t low, ptrdiff_t high) {
  return (fg_replay_item){.line = {.call = call, .value = value, .word = "foreign"}, .low = low, .high = high,
                          .number = 7};
}

START_TEST(memory_of_fftwf_malloc_comes_from_there) {
  fg_replay_item a = array_of(FG_CALL_MALLOC, 4000, 0, 4000);
  begin();
  char *const base = fg_replay_base(&a);
  ck_assert_ptr_nonnull(base);
  ck_assert_ptr_eq(fg_replay_base(&a), base);
  ck_assert_int_eq(given, 1);
  fg_replay_release(&a);
  ck_assert_int_eq(given, 0);
}
END_TEST

START_TEST(other_memory_is_aligned_as_it_was) {
  static const ptrdiff_t lows[] = {0, -4, -4096, -10000};
  begin();
  for (int mod = 0; mod < 4096; mod += 1000)
    for (int i = 0; i < TEST_COUNT(lows); i++) {
      fg_replay_item a = array_of(FG_CALL_ARRAY, mod, lows[i], 5000);
      char *const base = fg_replay_base(&a);
      ck_assert_uint_eq((uintptr_t)base % 4096, (unsigned)mod);
      memset(base + a.low, 1, (size_t)(a.high - a.low)); /* valgrind and sanitizers look */
      fg_replay_release(&a);
    }
  ck_assert_int_eq(given, 0);
}
END_TEST

START_TEST(joined_arrays_are_one_block) {
  fg_replay_item whole = array_of(FG_CALL_ARRAY, 64, 0, 9000), part = array_of(FG_CALL_ARRAY, 0, 0, 100);
  fg_replay_item piece = array_of(FG_CALL_ARRAY, 0, 0, 100);
  part.whole = &whole;
  part.delta = 800;
  piece.whole = &part;
  piece.delta = -16;
  begin();
  char *const base = fg_replay_base(&piece);
  ck_assert_ptr_eq(fg_replay_base(&whole), base - 784);
  ck_assert_ptr_eq(fg_replay_base(&part), base + 16);
  fg_replay_release(&whole);
}
END_TEST

static float first(fg_replay_item *a) { return *(float *)fg_replay_base(a); }

static void overwrite(fg_replay_item *a, float value) { *(float *)fg_replay_base(a) = value; }

static fg_problem *problem_in(enum fg_precision precision, const char *text, unsigned flags) {
  char why[200] = "";
  fg_problem *p = fg_notation_parse(text, precision, why, sizeof why);
  ck_assert_msg(p != NULL, "%s: %s", text, why);
  p->flags = flags;
  return p;
}

static fg_problem *problem(const char *text, unsigned flags) { return problem_in(FG_SINGLE, text, flags); }

START_TEST(numbers_are_the_same_each_time) {
  fg_problem *p = problem("ocf8", FG_ESTIMATE);
  fg_replay_item a = array_of(FG_CALL_MALLOC, 4000, 0, 4000);
  begin();
  fg_replay_ready(&a, p, true, NULL, 0);
  const float number = first(&a);
  ck_assert(number > -1 && number < 1 && number != 0);
  overwrite(&a, 5);
  fg_replay_ready(&a, p, true, NULL, 0);
  ck_assert_float_eq(first(&a), 5); /* a result of the program's stays */
  fg_replay_spoil(&a);
  fg_replay_ready(&a, p, false, NULL, 0);
  ck_assert_float_eq(first(&a), 5); /* it will be written over */
  fg_replay_ready(&a, p, true, NULL, 0);
  ck_assert_float_eq(first(&a), number);
  fg_replay_release(&a);
  fg_problem_free(p);
}
END_TEST

/* Transforms of parts of an array: only what is reached is made anew. */
START_TEST(a_part_is_made_anew) {
  enum { FROM = 256, BYTES = 64 };
  fg_problem *p = problem("orb8", FG_ESTIMATE);
  fg_replay_item a = array_of(FG_CALL_MALLOC, 4000, 0, 4000);
  begin();
  fg_replay_ready(&a, p, true, NULL, 0);
  float *const at = (float *)fg_replay_base(&a), before[1000];
  memcpy(before, at, sizeof before);
  for (int k = 0; k < 1000; k++) at[k] = 5;
  fg_replay_spoil(&a);
  for (int i = 0; i < 2; i++) { /* it is useless as a whole until as much as all of it was filled */
    for (int k = FROM / 4; k < (FROM + BYTES) / 4; k++) at[k] = 7;
    fg_replay_ready(&a, p, true, (char *)at + FROM, BYTES);
    for (int k = FROM / 4; k < (FROM + BYTES) / 4; k++) ck_assert_float_eq(at[k], before[k]);
    ck_assert_float_eq(at[FROM / 4 - 1], 5);
    ck_assert_float_eq(at[(FROM + BYTES) / 4], 5);
  }
  for (int part = 3; BYTES * part < 4000; part++) fg_replay_ready(&a, p, true, (char *)at + FROM, BYTES);
  ck_assert_float_eq(first(&a), 5);
  fg_replay_ready(&a, p, true, (char *)at + FROM, BYTES);
  ck_assert_float_eq(first(&a), before[0]);
  for (int k = FROM / 4; k < (FROM + BYTES) / 4; k++) at[k] = 7;
  fg_replay_ready(&a, p, true, (char *)at + FROM, BYTES);
  ck_assert_float_eq(at[FROM / 4], 7); /* a result of the program's stays again */
  fg_replay_release(&a);
  fg_problem_free(p);
}
END_TEST

/* The same ones in double precision; an array that the program uses for both is filled anew. */
START_TEST(numbers_are_of_the_precision_that_is_wanted) {
  fg_problem *single = problem("ocf8", FG_ESTIMATE), *twice = problem_in(FG_DOUBLE, "ocf8", FG_ESTIMATE);
  fg_replay_item a = array_of(FG_CALL_MALLOC, 4000, 0, 4000);
  begin();
  fg_replay_ready(&a, single, true, NULL, 0);
  const float number = first(&a);
  fg_replay_ready(&a, twice, true, NULL, 0);
  ck_assert_double_eq(*(double *)fg_replay_base(&a), number);
  for (int i = 0; i < 500; i++) ck_assert_double_lt(fabs(((double *)fg_replay_base(&a))[i]), 1);
  fg_replay_ready(&a, single, true, NULL, 0);
  ck_assert_float_eq(first(&a), number);
  fg_replay_release(&a);
  fg_problem_free(single);
  fg_problem_free(twice);
}
END_TEST

/* How many transforms in place fit before numbers are made anew: each grows them by the root of 2n, up to 1e15. */
START_TEST(growing_numbers_are_replaced_in_time) {
  fg_problem *p = problem("icf5000", FG_ESTIMATE); /* a root of 100 */
  fg_replay_item a = array_of(FG_CALL_MALLOC, 40000, 0, 40000);
  begin();
  fg_replay_ready(&a, p, true, NULL, 0);
  overwrite(&a, 5);
  for (int i = 1; i <= 8; i++) {
    fg_replay_transformed(p, &a, &a, true);
    fg_replay_ready(&a, p, true, NULL, 0);
    ck_assert_msg((first(&a) == 5) == (i < 8), "after %d transforms", i);
  }
  fg_replay_release(&a);
  fg_problem_free(p);
}
END_TEST

static const struct {
  const char *problem;
  unsigned flags;
  bool in_place, spoils;
} inputs[] = {
    {"ocf8", 0, false, false},
    {"ocf8", FG_DESTROY_INPUT, false, true},
    {"orf8", 0, false, false},
    {"orb8", 0, false, true},
    {"orb8", FG_PRESERVE_INPUT, false, false},
    {"irb8", 0, true, true}, /* padding */
    {"irb8", FG_PRESERVE_INPUT, true, true},
    {"icf8", FG_DESTROY_INPUT, true, false},
    {"ok8f", 0, false, false},
    {"ok8b", 0, false, true},
    {"ok8e00", 0, false, false},
};

START_TEST(input_that_a_transform_used_up_is_made_anew) {
  fg_problem *p = problem(inputs[_i].problem, inputs[_i].flags | FG_ESTIMATE);
  fg_replay_item in = array_of(FG_CALL_MALLOC, 80, 0, 80), out = in;
  fg_replay_item *const to = inputs[_i].in_place ? &in : &out;
  begin();
  fg_replay_ready(&in, p, true, NULL, 0);
  fg_replay_ready(to, p, false, NULL, 0);
  fg_replay_transformed(p, &in, to, inputs[_i].in_place);
  ck_assert_int_eq(in.spoiled, inputs[_i].spoils);
  fg_replay_release(&in);
  if (to == &out) fg_replay_release(&out);
  fg_problem_free(p);
}
END_TEST

/* ---- results ----------------------------------------------------------------------------------------------------- */

/* Sixteen reals: 3 and 4 in the first complex number, else zeros. */
static void put(fg_replay_results *r, fg_replay_row *row, const fg_problem *p, float first) {
  float out[16] = {first, 4};
  row->called++;
  r->execution++;
  ck_assert(fg_replay_result_wanted(r, row, p));
  fg_replay_result(r, row, p, (const char *)out, (const char *)(out + 1));
}

START_TEST(differences_are_relative_to_the_other_result) {
  fg_problem *p = problem("ocf8", FG_ESTIMATE);
  FILE *file = tmpfile();
  fg_replay_results writer = {.file = file}, reader = {.file = file, .compare = true};
  fg_replay_row there = {0}, here = {0};
  put(&writer, &there, p, 3);
  put(&writer, &there, p, 3);
  rewind(file);
  put(&reader, &here, p, 3);
  ck_assert_double_eq(here.difference, 0);
  put(&reader, &here, p, 3.5f);
  ck_assert_double_eq_tol(here.difference, 0.1, 1e-7); /* 0.5 of the length of (3, 4) */
  ck_assert_int_eq(here.compared, 2);
  ck_assert(!reader.ended);
  fclose(file);
  fg_problem_free(p);
}
END_TEST

START_TEST(no_number_is_a_difference) {
  fg_problem *p = problem("ocf8", FG_ESTIMATE);
  FILE *file = tmpfile();
  fg_replay_results writer = {.file = file}, reader = {.file = file, .compare = true};
  fg_replay_row there = {0}, here = {0};
  put(&writer, &there, p, 3);
  put(&writer, &there, p, 3);
  rewind(file);
  put(&reader, &here, p, NAN);
  put(&reader, &here, p, 3);
  ck_assert(!(here.difference <= fg_replay_wrong(&here)));
  fclose(file);
  fg_problem_free(p);
}
END_TEST

/* A difference that is rounding in single precision is a wrong result in double, unless single was asked for. */
START_TEST(double_results_are_compared_as_such) {
  fg_problem *p = problem_in(FG_DOUBLE, "ocf8", FG_ESTIMATE);
  FILE *file = tmpfile();
  fg_replay_results writer = {.file = file}, reader = {.file = file, .compare = true};
  fg_replay_row there = {.precision = FG_DOUBLE}, here = there;
  double out[16] = {3, 4};
  there.called = here.called = 1;
  writer.execution = reader.execution = 1;
  fg_replay_result(&writer, &there, p, (const char *)out, (const char *)(out + 1));
  rewind(file);
  out[0] += 5e-8;
  fg_replay_result(&reader, &here, p, (const char *)out, (const char *)(out + 1));
  ck_assert_int_eq(here.compared, 1);
  ck_assert_double_eq_tol(here.difference, 1e-8, 1e-12);
  ck_assert(here.difference > fg_replay_wrong(&here));
  here.single = true;
  ck_assert(here.difference < fg_replay_wrong(&here));
  fclose(file);
  fg_problem_free(p);
}
END_TEST

/* Either library may have no plan for executions of the other's: of a row's 1st, 2nd, 4th and 8th both have the last two. */
START_TEST(results_of_different_executions_are_not_compared) {
  fg_problem *p = problem("ocf8", FG_ESTIMATE);
  FILE *file = tmpfile();
  fg_replay_results writer = {.file = file}, reader = {.file = file, .compare = true};
  fg_replay_row there = {0}, here = {0};
  for (int i = 1; i <= 8; i++) {
    there.called = writer.execution = i - 1;
    if (i != 2 && (i & (i - 1)) == 0) put(&writer, &there, p, (float)i);
  }
  rewind(file);
  for (int i = 1; i <= 8; i++) {
    here.called = reader.execution = i - 1;
    if (i != 1 && (i & (i - 1)) == 0) put(&reader, &here, p, (float)i);
    ck_assert_int_eq(here.compared, i < 4 ? 0 : i < 8 ? 1 : 2);
  }
  ck_assert_double_eq(here.difference, 0);
  here.called = reader.execution = 15;
  put(&reader, &here, p, 1); /* none is left */
  ck_assert_int_eq(here.compared, 2);
  ck_assert(reader.ended);
  fclose(file);
  fg_problem_free(p);
}
END_TEST

START_TEST(results_that_cannot_be_kept_are_told) {
  fg_problem *p = problem("ocf8", FG_ESTIMATE);
  for (int i = 0; i < 2; i++) { /* seen in writing, and when all is */
    FILE *full = fopen("/dev/full", "wb");
    ck_assert_ptr_nonnull(full);
    fg_replay_results writer = {.file = full};
    fg_replay_row there = {0};
    if (i) setvbuf(full, NULL, _IONBF, 0);
    put(&writer, &there, p, 3);
    ck_assert_int_eq(writer.failed, i ? ENOSPC : 0);
    ck_assert_int_eq(fg_replay_results_end(&writer), ENOSPC);
    fclose(full);
  }
  fg_problem_free(p);
}
END_TEST

START_TEST(powers_of_two_are_looked_at) {
  fg_problem *p = problem("ocf8", FG_ESTIMATE);
  fg_replay_results r = {.file = stdout};
  for (long n = 1; n <= 64; n++) {
    const fg_replay_row row = {.called = n};
    const bool power = n == 1 || n == 2 || n == 4 || n == 8 || n == 16 || n == 32 || n == 64;
    ck_assert_int_eq(fg_replay_result_wanted(&r, &row, p), power);
  }
  fg_problem_free(p);
}
END_TEST

int main(void) {
  TCase *tc = tcase_create("replay");
  tcase_add_test(tc, memory_of_fftwf_malloc_comes_from_there);
  tcase_add_test(tc, other_memory_is_aligned_as_it_was);
  tcase_add_test(tc, a_part_is_made_anew);
  tcase_add_test(tc, results_that_cannot_be_kept_are_told);
  tcase_add_test(tc, joined_arrays_are_one_block);
  tcase_add_test(tc, numbers_are_the_same_each_time);
  tcase_add_test(tc, growing_numbers_are_replaced_in_time);
  tcase_add_loop_test(tc, input_that_a_transform_used_up_is_made_anew, 0, TEST_COUNT(inputs));
  tcase_add_test(tc, differences_are_relative_to_the_other_result);
  tcase_add_test(tc, no_number_is_a_difference);
  tcase_add_test(tc, numbers_are_of_the_precision_that_is_wanted);
  tcase_add_test(tc, double_results_are_compared_as_such);
  tcase_add_test(tc, results_of_different_executions_are_not_compared);
  tcase_add_test(tc, powers_of_two_are_looked_at);
  return test_run(tc, "replay");
}
