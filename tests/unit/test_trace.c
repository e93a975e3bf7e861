/* test_trace.c: the parts of a trace: lines both ways, loops in streams of lines, addresses as arrays. */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/problem/notation.h"
#include "src/report/trace.h"
#include "src/report/trace_arrays.h"
#include "src/report/trace_fold.h"
#include "src/report/trace_line.h"
#include "tests/unit/dice.h"
#include "tests/unit/suite.h"

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static const char *const lines[] = {
    "malloc a0 bytes=4096",
    "malloc null bytes=9223372036854775807",
    "free a12",
    "free null",
    "free other",
    "array a3 mod=4095 kind=static",
    "join a3 at=a1+800",
    "join a3 at=a1-800",
    "execute p7",
    "execute p7 in=a0 out=a0",
    "execute p7 in=a0-16,a1+4 out=a2,a3+1024",
    "execute p0 in=null out=null",
    "destroy_plan p1",
    "destroy_plan null",
    "copy_plan p1",
    "print_plan p1",
    "flops p1",
    "cost p1",
    "estimate_cost p1",
    "cleanup",
    "cleanup_threads",
    "init_threads result=1",
    "plan_with_nthreads threads=16",
    "planner_nthreads result=16",
    "make_planner_thread_safe",
    "threads_set_callback callback=own",
    "set_timelimit us=-1",
    "alignment_of mod=4088 result=8",
    "forget_wisdom",
    "export_wisdom length=-1 way=file",
    "import_wisdom length=1000 way=string result=1",
    "import_system_wisdom result=0",
    "malloc a0 bytes=4096 precision=double",
    "destroy_plan null precision=double",
    "init_threads result=1 precision=double",
    "import_wisdom length=1000 way=string result=1 precision=double",
    "plan null precision=double by=fftw_plan_dft_1d",
    "plan p0 precision=double problem=ocf64 kind=dft format=interleaved sign=-1 dims=64:2:2 batch=- flags=0x40 threads=1 "
    "in=a0 out=a1 where=host by=fftw_plan_dft_1d",
    "plan null",
    "plan null by=fftwf_plan_dft_1d",
    "plan p0 problem=ocf64 kind=dft format=interleaved sign=-1 dims=64:2:2 batch=- flags=0x40 threads=1 in=a0 out=a1 "
    "where=host by=fftwf_plan_dft_1d",
    "plan p3 problem=icb24x24x24*27 kind=dft format=interleaved sign=1 dims=24:1152:1152,24:48:48,24:2:2 "
    "batch=27:27648:27648 flags=0x200043 threads=8 in=a0+64 out=a0+64 where=cuda",
    "plan null problem=/orf8 kind=r2c format=split sign=-1 dims=8:1:1 batch=- flags=0x0 threads=1 in=a0 out=a1,a1+4",
    "plan p1 problem=ok5e00x6o11 kind=r2r format=interleaved sign=-1 dims=5:6:6,6:1:1 batch=- r2r=3,10 flags=0x40 "
    "threads=1 in=a0 out=a1",
    "plan p2 problem=ocf1*0:0 kind=dft format=interleaved sign=-1 dims=- batch=0:0:0 flags=0x40 threads=1 in=a0 out=a1",
    "plan p2 problem=orb6:-1 kind=c2r format=interleaved sign=1 dims=6:-2:-1 batch=- flags=0x10 threads=1 in=a0 out=a1",
};

START_TEST(lines_print_as_they_were_read) {
  char text[600], why[200] = "";
  fg_trace_line l;
  fg_trace_frame frame;
  snprintf(text, sizeof text, "  +123 t4 %s", lines[_i]);
  ck_assert_msg(fg_trace_line_parse(text, &l, &frame, why, sizeof why), "%s: %s", text, why);
  char *printed = fg_trace_line_print(&l);
  ck_assert_str_eq(printed, lines[_i]);
  ck_assert_uint_eq(frame.start, 123);
  ck_assert_int_eq(frame.thread, 4);
  ck_assert_int_eq(frame.times, 1);
  ck_assert(!frame.timed);
  free(printed);
  fg_trace_line_free(&l);
}
END_TEST

START_TEST(a_frame_has_times_and_steps) {
  char why[200] = "";
  fg_trace_line l;
  fg_trace_frame f;
  const char *text = "+5 t0 execute p1 in=a0 out=a1,a2 x50 step=8,-16,24 ns=700 min=10 max=30 later=word";
  ck_assert(fg_trace_line_parse(text, &l, &f, why, sizeof why));
  ck_assert_int_eq(f.times, 50);
  ck_assert_int_eq(f.step[FG_IN_RE], 8);
  ck_assert_int_eq(f.step[FG_IN_IM], 0);
  ck_assert_int_eq(f.step[FG_OUT_RE], -16);
  ck_assert_int_eq(f.step[FG_OUT_IM], 24);
  ck_assert(f.timed);
  ck_assert_uint_eq(f.ns, 700);
  ck_assert_uint_eq(f.min, 10);
  ck_assert_uint_eq(f.max, 30);
}
END_TEST

static const char *const bad_lines[] = {
    "", "+1", "+1 t0", "+-1 t0 cleanup", "1 t0 cleanup", "+1 0 cleanup", "+1 t0 clean", "+1 t0 free", "+1 t0 free p0",
    "+1 t0 free a", "+1 t0 free a-1", "+1 t0 free a99999999999", "+1 t0 malloc a0 bytes=", "+1 t0 malloc a0 bytes=1x",
    "+1 t0 malloc a0 word", "+1 t0 join a0", "+1 t0 join a0 at=null", "+1 t0 execute p0 in=a0+ out=a0",
    "+1 t0 execute p0 in=a0, out=a0", "+1 t0 execute p0 in=b0 out=a0", "+1 t0 execute p0 x0", "+1 t0 execute p0 ns=-1",
    "+1 t0 execute p0 in=a0 out=a0 step=1", "+1 t0 array a0 mod=0 kind=aaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "+1 t0 cleanup precision=half",
    "+1 t0 plan p0 kind=dft dims=8:2:2 batch=-", "+1 t0 plan p0 kind=dft format=interleaved batch=-",
    "+1 t0 plan p0 kind=dft format=interleaved dims=8:2 batch=-",
    "+1 t0 plan p0 kind=dft format=interleaved dims=8:2:2, batch=-",
    "+1 t0 plan p0 kind=dft format=interleaved dims=-8:2:2 batch=-",
    "+1 t0 plan p0 kind=dft format=interleaved dims=8:2:2 batch=-1:2:2",
    "+1 t0 plan p0 kind=r2r format=interleaved dims=8:1:1 batch=-",
    "+1 t0 plan p0 kind=r2r format=interleaved dims=8:1:1 batch=- r2r=11",
    "+1 t0 plan p0 kind=r2r format=interleaved dims=8:1:1 batch=- r2r=1,1",
};

START_TEST(bad_lines_are_refused_with_a_reason) {
  char why[200] = "";
  fg_trace_line l;
  fg_trace_frame frame;
  ck_assert_msg(!fg_trace_line_parse(bad_lines[_i], &l, &frame, why, sizeof why), "%s", bad_lines[_i]);
  ck_assert_msg(*why, "%s", bad_lines[_i]);
}
END_TEST

/* ---- loops ------------------------------------------------------------------------------------------------------- */

/* A program of lines "A" … and, with a place in an array, "A@". */
typedef struct {
  fg_trace_fold fold;
  char *written; /* lines that were pushed, expanded */
  size_t length;
  FILE *stream;
  uint64_t now;
} program;

static void program_begin(program *p) {
  memset(p, 0, sizeof *p);
  p->stream = open_memstream(&p->written, &p->length);
}

static void call(program *p, const char *text, ptrdiff_t offset) {
  const fg_trace_frame frame = {.start = p->now++, .times = 1, .timed = true, .ns = 10, .min = 10, .max = 10};
  const ptrdiff_t offsets[FG_TRACE_REFS] = {offset};
  ck_assert_int_lt(p->fold.count, FG_FOLD_MOST);
  fg_trace_fold_push(&p->fold, strdup(text), offsets, &frame);
  for (const char *c = text; *c; c++)
    if (*c != '@') fputc(*c, p->stream);
    else fprintf(p->stream, "%td", offset);
  fputc('\n', p->stream);
}

static char *printed(program *p) {
  char *text = NULL;
  size_t length = 0;
  FILE *f = open_memstream(&text, &length);
  fg_trace_fold_print(&p->fold, p->fold.count, f);
  fclose(f);
  return text;
}

static void program_end(program *p) {
  fclose(p->stream);
  free(p->written);
  fg_trace_fold_drop(&p->fold, p->fold.count);
}

/* Run what was printed: each line as often as it says. */
static const char *run(const char *text, FILE *to) {
  while (*text) {
    char line[100], name[40];
    const char *next = strchr(text, '\n') + 1;
    snprintf(line, sizeof line, "%.*s", (int)(next - text - 1), text);
    long times = 1;
    unsigned long long ns;
    if (sscanf(line, " repeat %ld", &times) == 1) {
      const char *behind = NULL;
      for (long i = 0; i < times; i++) behind = run(next, to);
      next = behind;
    } else if (strstr(line, "end")) {
      return next;
    } else {
      ptrdiff_t offset = 0, step = 0;
      ck_assert_int_ge(sscanf(line, " +%llu t0 %39s", &ns, name), 2);
      char *const sign = strpbrk(name, "+-");
      const bool place = name[0] >= 'a';
      if (sign) offset = strtol(sign, NULL, 10), *sign = 0;
      if (strstr(line, " x")) times = strtol(strstr(line, " x") + 2, NULL, 10);
      if (strstr(line, " step=")) step = strtol(strstr(line, " step=") + 6, NULL, 10);
      for (long i = 0; i < times; i++)
        if (place) fprintf(to, "%s%td\n", name, offset + i * step);
        else fprintf(to, "%s\n", name);
    }
    text = next;
  }
  return text;
}

/* What was pushed is what is printed, however it was folded. */
static void expect_nothing_lost(program *p) {
  char *text = printed(p), *again = NULL;
  size_t length = 0;
  FILE *f = open_memstream(&again, &length);
  run(text, f);
  fclose(f);
  fflush(p->stream);
  ck_assert_msg(!strcmp(again, p->written), "pushed\n%s\nfolded\n%s", p->written, text);
  free(text);
  free(again);
}

static void expect_printed(program *p, const char *expected) {
  char *text = printed(p);
  ck_assert_str_eq(text, expected);
  free(text);
}

START_TEST(equal_lines_are_one) {
  program p;
  program_begin(&p);
  for (int i = 0; i < 1000; i++) call(&p, "A", 0);
  expect_printed(&p, "+0 t0 A x1000 ns=10000 min=10 max=10\n");
  program_end(&p);
}
END_TEST

START_TEST(loops_of_loops_are_found) {
  program p;
  program_begin(&p);
  for (int i = 0; i < 7; i++) {
    for (int j = 0; j < 5; j++) {
      for (int k = 0; k < 3; k++) call(&p, "A", 0);
      call(&p, "B", 0);
    }
    call(&p, "C", 0);
  }
  expect_printed(&p, "repeat 7\n  repeat 5\n    +0 t0 A x3 ns=1050 min=10 max=10\n    +3 t0 B ns=350 min=10 max=10\n"
                     "  end\n  +20 t0 C ns=70 min=10 max=10\nend\n");
  expect_nothing_lost(&p);
  program_end(&p);
}
END_TEST

START_TEST(steps_through_an_array_are_one_line) {
  program p;
  program_begin(&p);
  for (int round = 0; round < 3; round++)
    for (int i = 0; i < 100; i++) call(&p, "a@", 64 - 8 * i);
  expect_printed(&p, "repeat 3\n  +0 t0 a+64 x100 step=-8 ns=3000 min=10 max=10\nend\n");
  expect_nothing_lost(&p);
  program_end(&p);
}
END_TEST

/* A loop nest by chance: its lines are few, so that wrong joins would be likely. */
static void nest(program *p, dice *d, int depth) {
  static const char *const names[] = {"A", "B", "a@", "b@"};
  const long rounds = dice_between(d, 1, 4);
  const dice body = *d;
  for (long r = 0; r < rounds && p->fold.count < FG_FOLD_MOST - 40; r++) {
    *d = body;
    const long items = dice_between(d, 1, 4);
    for (long i = 0; i < items && p->fold.count < FG_FOLD_MOST - 40; i++)
      if (depth && dice_one_in(d, 2)) nest(p, d, depth - 1);
      else call(p, names[dice_between(d, 0, 3)], dice_between(d, 0, 3) * (dice_one_in(d, 3) ? r : 1));
  }
}

START_TEST(nothing_is_lost) {
  dice d = {(uint64_t)_i + 1};
  program p;
  program_begin(&p);
  for (int i = 0; i < 6; i++) nest(&p, &d, 3);
  expect_nothing_lost(&p);
  program_end(&p);
}
END_TEST

START_TEST(the_sum_of_times_is_kept) {
  program p;
  program_begin(&p);
  dice d = {77};
  for (int i = 0; i < 400; i++) call(&p, dice_one_in(&d, 2) ? "A" : "B", 0);
  char *text = printed(&p);
  long sum = 0;
  for (const char *at = text; (at = strstr(at, " ns=")); at += 4) sum += strtol(at + 4, NULL, 10);
  ck_assert_int_eq(sum, 4000);
  free(text);
  program_end(&p);
}
END_TEST

START_TEST(the_first_nodes_can_go) {
  program p;
  program_begin(&p);
  call(&p, "A", 0);
  call(&p, "B", 0);
  call(&p, "C", 0);
  fg_trace_fold_drop(&p.fold, 2);
  expect_printed(&p, "+2 t0 C ns=10\n");
  program_end(&p);
}
END_TEST

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

static char memory[65536];

/* Lines that were told, one after the other. */
static char told[1000];

static void tell(const fg_trace_line *l, void *data) {
  (void)data;
  char *text = fg_trace_line_print(l);
  strcat(told, text);
  strcat(told, ";");
  free(text);
}

static fg_trace_ref find(fg_trace_arrays *t, ptrdiff_t at, ptrdiff_t low, ptrdiff_t high) {
  *told = 0;
  return fg_trace_arrays_find(t, memory + at, low, high, tell, NULL);
}

static void expect_ref(fg_trace_ref ref, int array, ptrdiff_t offset) {
  ck_assert_int_eq(ref.array, array);
  ck_assert_int_eq(ref.offset, offset);
}

/* What lies in a block is the block's, also where another array begins before it and goes on behind it, from its first use on or not. */
START_TEST(arrays_around_a_block_are_cut_behind_it) {
  for (int low = -350; low <= -200; low += 50) {
    fg_trace_arrays t = {0};
    ck_assert_int_eq(fg_trace_arrays_malloc(&t, FG_SINGLE, memory + 1000, 100), 0);
    if (low == -350) find(&t, 1200, 0, 100);
    ck_assert_int_eq(find(&t, 1250, low, 50).array, 1);
    for (int at = 1000; at < 1100; at += 10) expect_ref(find(&t, at, 0, 10), 0, at - 1000);
    ck_assert_int_eq(fg_trace_arrays_free(&t, memory + 1000), 0);
    fg_trace_arrays_clear(&t);
  }
}
END_TEST

START_TEST(blocks_have_bounds) {
  fg_trace_arrays t = {0};
  ck_assert_int_eq(fg_trace_arrays_malloc(&t, FG_SINGLE, memory + 1000, 100), 0);
  ck_assert_int_eq(fg_trace_arrays_malloc(&t, FG_SINGLE, memory + 1100, 100), 1);
  expect_ref(find(&t, 1000, 0, 50), 0, 0);
  expect_ref(find(&t, 1099, 0, 50), 0, 99);
  expect_ref(find(&t, 1100, -50, 50), 1, 0);
  ck_assert_str_eq(told, "");
  ck_assert_int_eq(fg_trace_arrays_free(&t, memory + 1050), FG_TRACE_OTHER);
  ck_assert_int_eq(fg_trace_arrays_free(&t, memory + 1000), 0);
  ck_assert_int_eq(fg_trace_arrays_free(&t, memory + 1000), FG_TRACE_OTHER);
  ck_assert_int_eq(fg_trace_arrays_malloc(&t, FG_SINGLE, memory + 5000, 100), 0);
  fg_trace_arrays_clear(&t);
}
END_TEST

START_TEST(ranges_that_meet_are_one_array) {
  fg_trace_arrays t = {0};
  expect_ref(find(&t, 1000, 0, 100), 0, 0);
  ck_assert_msg(!strncmp(told, "array a0 mod=", 13), "%s", told);
  expect_ref(find(&t, 1050, 0, 100), 0, 50);
  expect_ref(find(&t, 1150, 0, 10), 0, 150);
  expect_ref(find(&t, 900, 0, 100), 0, -100);
  ck_assert_str_eq(told, "");
  expect_ref(find(&t, 800, 0, 99), 1, 0);
  ck_assert_msg(!strncmp(told, "array a1 mod=", 13), "%s", told);
  fg_trace_arrays_clear(&t); /* and one may go on behind a block of fftwf_malloc */
  ck_assert_int_eq(fg_trace_arrays_malloc(&t, FG_SINGLE, memory + 300, 100), 0);
  expect_ref(find(&t, 100, 0, 900), 1, 0);
  expect_ref(find(&t, 500, 0, 100), 1, 400);
  fg_trace_arrays_clear(&t);
}
END_TEST

START_TEST(arrays_that_turn_out_to_be_one_are_joined) {
  fg_trace_arrays t = {0};
  expect_ref(find(&t, 3000, 0, 100), 0, 0);
  expect_ref(find(&t, 2000, 0, 100), 1, 0);
  expect_ref(find(&t, 4000, 0, 100), 2, 0);
  expect_ref(find(&t, 2500, -450, 2000), 1, 500);
  ck_assert_str_eq(told, "join a0 at=a1+1000;join a2 at=a1+2000;");
  expect_ref(find(&t, 3000, 0, 100), 1, 1000);
  ck_assert_str_eq(told, "");
  fg_trace_arrays_clear(&t);
}
END_TEST

START_TEST(a_new_block_takes_the_place_of_what_was_there) {
  fg_trace_arrays t = {0};
  expect_ref(find(&t, 1000, 0, 100), 0, 0);
  expect_ref(find(&t, 2000, 0, 100), 1, 0);
  ck_assert_int_eq(fg_trace_arrays_malloc(&t, FG_SINGLE, memory + 900, 300), 0);
  expect_ref(find(&t, 1000, 0, 100), 0, 100);
  ck_assert_int_eq(fg_trace_arrays_malloc(&t, FG_SINGLE, memory + 1000, 1050), 0);
  expect_ref(find(&t, 2000, 0, 100), 0, 1000);
  ck_assert_str_eq(told, "");
  fg_trace_arrays_clear(&t);
}
END_TEST

/* The table against memory coloured byte by byte. */
START_TEST(what_overlaps_has_one_array) {
  enum { SPAN = 2000 };
  fg_trace_arrays t = {0};
  dice d = {(uint64_t)_i + 1};
  bool touched[SPAN + 2] = {false};
  for (int i = 0; i < 200; i++) {
    const ptrdiff_t low = dice_between(&d, 0, SPAN - 30), high = low + dice_between(&d, 1, 30);
    const ptrdiff_t at = dice_between(&d, low, high - 1);
    fg_trace_arrays_find(&t, memory + at, low - at, high - at, tell, (*told = 0, NULL));
    memset(touched + low, true, (size_t)(high - low));
  }
  for (ptrdiff_t at = 0, i = -1; at < SPAN; at++) {
    if (!touched[at]) continue;
    if (at == 0 || !touched[at - 1]) i++; /* runs of touched bytes are the arrays, in order */
    ck_assert_int_lt(i, t.count);
    ck_assert_uint_ge((uintptr_t)(memory + at), t.region[i].low);
    ck_assert_uint_lt((uintptr_t)(memory + at), t.region[i].high);
  }
  fg_trace_arrays_clear(&t);
}
END_TEST

/* A block may begin with the last byte of what was there, or end with its first. */
START_TEST(a_block_meets_what_it_has_one_byte_of) {
  fg_trace_arrays t = {0};
  expect_ref(find(&t, 1000, 0, 100), 0, 0);
  expect_ref(find(&t, 1200, 0, 100), 1, 0);
  ck_assert_int_eq(fg_trace_arrays_malloc(&t, FG_SINGLE, memory + 1099, 102), 0);
  ck_assert_int_eq(t.count, 1);
  expect_ref(find(&t, 1200, 0, 1), 0, 101);
  expect_ref(find(&t, 1201, 0, 1), 1, 0);
  fg_trace_arrays_clear(&t);
}
END_TEST

/* Then those whose end nobody tells are forgotten, blocks are not. */
START_TEST(too_many_arrays_make_room) {
  enum { MOST = 1 << 16 };
  fg_trace_arrays t = {0};
  static char far[2 * MOST + 1];
  ck_assert_int_eq(fg_trace_arrays_malloc(&t, FG_SINGLE, memory, 100), 0);
  for (int i = 1; i < MOST; i++) fg_trace_arrays_find(&t, far + 2 * i, 0, 1, tell, (*told = 0, NULL));
  ck_assert_int_eq(t.count, MOST);
  fg_trace_arrays_find(&t, far + 2 * MOST, 0, 1, tell, (*told = 0, NULL));
  ck_assert_int_eq(t.count, 2);
  expect_ref(find(&t, 50, 0, 10), 0, 50);
  fg_trace_arrays_clear(&t);
}
END_TEST

/* From the pointer: below it where strides are negative, of one plane or of both, of half a row of a spectrum. */
START_TEST(transforms_reach_as_far_as_their_strides) {
  static const struct {
    const char *text;
    bool plane;
    ptrdiff_t in[2], out[2]; /* in floats */
  } cases[] = {{"ocf10", false, {0, 20}, {0, 20}},
               {"ocf10:-1:1", false, {-18, 2}, {0, 20}},
               {"ocf10:1:-2*3:40:-100", false, {0, 180}, {-36 - 400, 2}},
               {"/ocf10:-1:1", true, {-9, 1}, {0, 10}},
               {"ocf10", true, {0, 19}, {0, 19}}, /* every second real */
               {"orf10", false, {0, 10}, {0, 12}},
               {"orb10:-1:1", false, {-10, 2}, {0, 10}}};
  for (int i = 0; i < TEST_COUNT(cases); i++)
    for (int side = FG_INPUT; side <= FG_OUTPUT; side++) {
      char why[200];
      ptrdiff_t low, high;
      fg_problem *p = fg_notation_parse(cases[i].text, FG_SINGLE, why, sizeof why);
      const ptrdiff_t *const right = side == FG_INPUT ? cases[i].in : cases[i].out;
      ck_assert_msg(p != NULL, "%s", why);
      ck_assert(fg_trace_reach(p, side, cases[i].plane, &low, &high));
      ck_assert_msg(low == 4 * right[0] && high == 4 * right[1], "%s: %td to %td", cases[i].text, low / 4, high / 4);
      fg_problem_free(p);
    }
}
END_TEST

START_TEST(a_null_pointer_is_null) {
  fg_trace_arrays t = {0};
  ck_assert_int_eq(fg_trace_arrays_find(&t, NULL, 0, 100, tell, NULL).array, FG_TRACE_NULL);
  ck_assert_int_eq(t.count, 0);
}
END_TEST

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/* In a process of its own, as every test. */
START_TEST(a_trace_ends_at_its_limit) {
  char path[] = "/tmp/test_trace.XXXXXX", text[100000] = "";
  close(mkstemp(path));
  setenv("FFTW3_GPU_TRACE", path, 1);
  fg_trace_set_limit(20000);
  ck_assert(fg_trace_on());
  dice d = {3};
  for (int i = 0; i < 20000; i++)
    fg_trace_note(&(fg_trace_line){.call = FG_CALL_PLAN_WITH_NTHREADS, .value = dice_between(&d, 1, 1000000)});
  ck_assert(!fg_trace_on());
  fg_trace_finish();
  FILE *f = fopen(path, "r");
  const size_t length = fread(text, 1, sizeof text - 1, f);
  fclose(f);
  unlink(path);
  ck_assert_uint_gt(length, 20000);
  ck_assert_uint_lt(length, 60000); /* one tail more */
  ck_assert_str_eq(text + length - 6, " full\n");
}
END_TEST

/* The calls of a trace, without when they came and how long they took. */
static char *calls_in(FILE *f) {
  static char calls[10000];
  char line[1000], thread[20];
  int from;
  for (*calls = 0; fgets(line, sizeof line, f);) {
    char *const end = strstr(line, " ns=");
    if (sscanf(line, "+%*s %19s %n", thread, &from) != 1) continue;
    if (end) *end = 0;
    strcat(strcat(calls, line + from), end ? "\n" : "");
  }
  return calls;
}

static fg_problem *problem_at(const char *text, char *in, char *out) {
  char why[200];
  fg_problem *p = fg_notation_parse(text, FG_SINGLE, why, sizeof why);
  ck_assert_msg(p != NULL, "%s", why);
  p->arrays = (fg_arrays){in, in + sizeof(float), out, out + sizeof(float)};
  return p;
}

/* A plan that was copied is known until its copy is destroyed, too; parts apart are two arrays; what turns out to be one array
 * while a call is looked at is called so by that call. */
START_TEST(plans_and_arrays_have_names_of_their_own) {
  char path[] = "/tmp/test_trace.XXXXXX", handles[2];
  close(mkstemp(path));
  setenv("FFTW3_GPU_TRACE", path, 1);
  ck_assert(fg_trace_on());
  char *const a = memory, *const b = memory + 1000, *const re = memory + 3000, *const im = memory + 4000;
  fg_problem *first = problem_at("ocf16", a, b), *second = problem_at("ocf16:1:8", b, a + 64);
  fg_trace_plan(FG_SINGLE, &handles[0], first, "host", "first", fg_trace_clock());
  fg_trace_of_plan(FG_SINGLE, FG_CALL_COPY, &handles[0]);
  fg_trace_of_plan(FG_SINGLE, FG_CALL_DESTROY, &handles[0]);
  fg_trace_execute(&handles[0], NULL, fg_trace_clock());
  fg_trace_execute(&handles[0], &(fg_arrays){re, im, b, b + sizeof(float)}, fg_trace_clock());
  fg_trace_of_plan(FG_SINGLE, FG_CALL_DESTROY, &handles[0]);
  fg_trace_execute(&handles[0], NULL, fg_trace_clock());
  fg_trace_plan(FG_SINGLE, &handles[1], second, "host", "second", fg_trace_clock());
  fg_trace_finish();
  FILE *f = fopen(path, "r");
  const char *const calls = calls_in(f), *plan = strstr(calls, "copy_plan p0\n"), *joined = strstr(calls, "join a1 at=a0+1000\n");
  ck_assert_msg(plan && joined, "%s", calls);
  ck_assert_msg(strstr(plan, "copy_plan p0\ndestroy_plan p0\nexecute p0 in=a0 out=a1\n") == plan, "%s", plan);
  ck_assert_msg(strstr(plan, "\nexecute p0 in=a2,a3 out=a1\ndestroy_plan p0\njoin ") != NULL, "%s", plan);
  ck_assert_msg(strstr(joined, " in=a0+1000 out=a0+64 ") != NULL, "%s", joined);
  fclose(f);
  unlink(path);
  fg_problem_free(first);
  fg_problem_free(second);
}
END_TEST

int main(void) {
  TCase *tc = tcase_create("trace");
  tcase_add_loop_test(tc, lines_print_as_they_were_read, 0, TEST_COUNT(lines));
  tcase_add_test(tc, a_frame_has_times_and_steps);
  tcase_add_loop_test(tc, bad_lines_are_refused_with_a_reason, 0, TEST_COUNT(bad_lines));
  tcase_add_test(tc, equal_lines_are_one);
  tcase_add_test(tc, loops_of_loops_are_found);
  tcase_add_test(tc, steps_through_an_array_are_one_line);
  tcase_add_loop_test(tc, nothing_is_lost, 0, 200);
  tcase_add_test(tc, the_sum_of_times_is_kept);
  tcase_add_test(tc, the_first_nodes_can_go);
  tcase_add_test(tc, arrays_around_a_block_are_cut_behind_it);
  tcase_add_test(tc, blocks_have_bounds);
  tcase_add_test(tc, ranges_that_meet_are_one_array);
  tcase_add_test(tc, arrays_that_turn_out_to_be_one_are_joined);
  tcase_add_test(tc, a_new_block_takes_the_place_of_what_was_there);
  tcase_add_loop_test(tc, what_overlaps_has_one_array, 0, 50);
  tcase_add_test(tc, a_block_meets_what_it_has_one_byte_of);
  tcase_add_test(tc, too_many_arrays_make_room);
  tcase_add_test(tc, transforms_reach_as_far_as_their_strides);
  tcase_add_test(tc, a_null_pointer_is_null);
  tcase_add_test(tc, a_trace_ends_at_its_limit);
  tcase_add_test(tc, plans_and_arrays_have_names_of_their_own);
  return test_run(tc, "trace");
}
