/* test_traffic.c: no pass asks for much more of global memory than it has to move: sectors that the warps of its kernel
 * touch, counted on the simulated device, against the bytes that it touches at all. */
#include "config.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/sim/sim.h"
#include "on_sim.h"
#include "random_problem.h"
#include "small_device.h"
#include "src/pass/solver.h"
#include "src/plan/planner.h"
#include "src/run/program.h"
#include "suite.h"

enum { SECTOR = 32, MOST_LAUNCHES = 8, BYTES = 1 << 22 };

static fg_passes list; /* too large for a stack */

/* Plan and run text; the traffic of each pass. */
static int traffic_of(const char *text, size_t shared_block, fg_sim_traffic traffic[MOST_LAUNCHES]) {
  const fg_device_info small = test_small_device(shared_block);
  const char *why = "";
  fg_problem *p = test_problem(text, FG_SINGLE);
  char *memory = calloc(2, BYTES);
  ck_assert_ptr_nonnull(memory);
  if (!fg_planner_plan(p, shared_block ? &small : &fg_reference_device, &list, &why)) ck_abort_msg("%s: %s", text, why);
  fg_program *g = fg_program_create(test_target(), p, &list, &why);
  if (!g) ck_abort_msg("%s: %s", text, why);
  char *const in = memory, *const out = memory + BYTES;
  const bool split = p->format == FG_SPLIT;
  const fg_arrays at = {in, in + (split ? BYTES / 2 : (int)sizeof(float)), out,
                        out + (split ? BYTES / 2 : (int)sizeof(float))};
  fg_sim_traffic_begin();
  if (fg_program_execute(g, &at) != FG_DONE) ck_abort_msg("%s", fg_backend_message());
  const int launches = fg_sim_traffic_end(traffic, MOST_LAUNCHES);
  fg_program_destroy(g);
  fg_problem_free(p);
  free(memory);
  return launches;
}

/* ---- the count itself ---- */

#define KERNEL(body)                                                                                                   \
  "#include \"memory.h\"\nstruct arguments { float *in, *out; };\n"                                                    \
  "extern \"C\" __global__ void k(const arguments a) {\n  const int t = threadIdx.x;\n" body "\n}\n"

/* Two warps; sectors of 8 floats, arrays at the beginning of one. */
static const struct {
  const char *text;
  fg_sim_traffic is;
} counted[] = {
    {KERNEL("global_store(a.out + t, global_load(a.in + t));"), {8, 8, 0, 256, 256}},
    {KERNEL("global_store(a.out + t, global_load(a.in + t + 1));"), {10, 8, 0, 256, 256}},
    {KERNEL("global_store(a.out + t, global_load(a.in + 8 * t));"), {64, 8, 0, 256, 256}},
    {KERNEL("global_store(a.out + t, global_load(a.in + t % 2));"), {2, 8, 0, 8, 256}},
    {KERNEL("global_store(a.out + t, global_load(a.in + t) + global_load(a.in + 63 - t));"), {16, 8, 0, 256, 256}},
    {KERNEL("for (int i = 0; i < 4; i++) global_store(a.out + t * 4 + i, __ldg(a.in + t));"), {0, 128, 32, 0, 1024}},
    {KERNEL("if (t < 40) global_store(a.out + t, global_load(a.in + t));"), {5, 5, 0, 160, 160}},
    /* what half of the lanes do first is not what the others do then (no site for each: 24) */
    {KERNEL("float x = 0; if (t % 2) x = global_load(a.in + t); global_store(a.out + t, x + global_load(a.in + 64 + t));"),
     {16, 8, 0, 384, 256}},
    /* without a part in the first two of three, and none that would be outside: the third is that of all */
    {KERNEL("for (int i = 0; i < 3; i++) global_store(a.out + (i == 2 ? t : t + (1 << 30)), 1.f, i == 2);"), {0, 8, 0, 0, 256}},
    {KERNEL("for (int i = 0; i < 2; i++) global_store(a.out + 64 * i + t, 1.f, i > t % 2 - 1);"), {0, 16, 0, 0, 384}},
};

START_TEST(sectors_are_counted_for_each_access_of_a_warp) {
  enum { FLOATS = 1024 };
  const fg_target *t = test_target();
  const fg_kernel_request request = {.source = counted[_i].text, .defines = "", .entry = "k"};
  static const float zeros[FLOATS];
  struct {
    void *in, *out;
  } a;
  fg_stream *stream;
  fg_kernel *kernel;
  fg_sim_traffic got[2];
  ck_assert_int_eq(t->backend->memory_alloc(t->device, sizeof zeros, &a.in), 0);
  ck_assert_int_eq(t->backend->memory_alloc(t->device, sizeof zeros, &a.out), 0);
  ck_assert_int_eq(t->backend->stream_create(t->device, &stream), 0);
  ck_assert_int_eq(t->backend->kernels(t->device, 1, &request, &kernel), 0);
  ck_assert_int_eq(t->backend->copy_in(t->device, a.in, zeros, sizeof zeros, stream), 0);
  fg_sim_traffic_begin();
  ck_assert_int_eq(t->backend->launch(t->device, kernel, 1, 64, 0, &a, sizeof a, stream), 0);
  ck_assert_int_eq(fg_sim_traffic_end(got, 2), 1);
  ck_assert_uint_eq(got->read_sectors, counted[_i].is.read_sectors);
  ck_assert_uint_eq(got->written_sectors, counted[_i].is.written_sectors);
  ck_assert_uint_eq(got->table_sectors, counted[_i].is.table_sectors);
  ck_assert_uint_eq(got->read_bytes, counted[_i].is.read_bytes);
  ck_assert_uint_eq(got->written_bytes, counted[_i].is.written_bytes);
  t->backend->stream_destroy(t->device, stream);
  t->backend->memory_free(t->device, a.in);
  t->backend->memory_free(t->device, a.out);
}
END_TEST

/* ---- passes ---- */

static void check_share(const char *text, int pass, const char *what, size_t sectors, size_t bytes, double most) {
  const double share = (double)sectors * SECTOR / (double)bytes;
  if (getenv("SHOW")) fprintf(stderr, "%-20s pass %d: %s %.3f of %.3f\n", text, pass + 1, what, share, most);
  ck_assert_msg(share <= most, "%s, pass %d: %s %.3f times what it has to", text, pass + 1, what, share);
  ck_assert_msg(share >= 0.999, "%s, pass %d: %s only %.3f of what it has to", text, pass + 1, what, share);
}

/* One for each kind of pass: lines along and across, transposed, split, boxes, primes, a chirp, real data, alone and in
 * pairs, kinds of r2r, several passes.  Rows of a Hermitian spectrum begin within sectors, and with some kinds the
 * threads of a warp reach every second element: these have more than 1.  shared_block 0: the reference device's. */
static const struct {
  const char *text;
  size_t shared_block;
  int passes;
  double read, written; /* at most so many times the bytes that are touched */
} cases[] = {
    {"oc2*258", 0, 1, 1, 1}, {"oc1024*4", 0, 1, 1, 1}, {"oc64v64", 0, 1, 1, 1}, {"oc64:40:1*40:1:64", 0, 1, 1, 1},
    {"/oc360*4", 0, 1, 1.25, 1.45}, {"oc16x16x16*4", 0, 1, 1, 1}, {"oc67*32", 0, 1, 1.15, 1.15},
    {"oc1009*4", 0, 1, 1.1, 1.1}, {"orb12*256", 0, 1, 1, 1}, {"orb37*128", 0, 1, 1, 1}, {"orf17*128", 0, 1, 1, 1},
    {"orf64", 0, 1, 1, 1.35}, {"orb64*64", 0, 1, 1.3, 1}, {"orf1000*12", 0, 1, 1.1, 1.2}, {"orf1024*8", 0, 1, 1, 1.15},
    {"orb1024*8", 0, 1, 1.15, 1}, {"orb1024", 0, 1, 1.1, 1}, {"orb64v64", 0, 1, 1, 1},
    {"orb6x1009", 0, 2, 1.15, 1.25}, {"orf16x16*32", 0, 1, 1, 1}, {"orb16x16x16*4", 227 * 1024, 1, 1, 1},
    {"orf15x9*32", 0, 1, 1.45, 1}, {"orb15x9*32", 0, 1, 1.05, 1.35}, {"ok128f*32", 0, 1, 1, 1.25},
    {"ok128b*32", 0, 1, 1.4, 1}, {"ok129e00*32", 0, 1, 2.4, 1}, {"ok128e01*32", 0, 1, 1.4, 2},
    {"ok128e10*32", 0, 1, 2, 1.25}, {"ok128e11*32", 0, 1, 1, 1}, {"ok127o00*32", 0, 1, 2.75, 1},
    {"ok33e00*64", 0, 1, 1, 1}, {"ok1025e00*4", 0, 1, 2.25, 1.3}, {"ok1023o00*4", 0, 1, 2.3, 1.35},
    {"ok129e00v64", 0, 1, 1.5, 1},
    {"oc4096*2", 4096, 2, 1, 1}, {"orf8192*2", 4096, 3, 1, 1.4}, {"orb8192*2", 4096, 3, 1.55, 1.3},
    {"orb1155", 4096, 2, 1.55, 2.1}, {"orb130x301*3", 0, 2, 1.25, 1.15},
    {"orf64*64", 0, 1, 1, 1.46},    /* as four runs of half a row and the bin in the middle */
    {"orf63*64", 0, 1, 1, 1},       /* not in pairs, as all below */
    {"orb1009*6", 0, 1, 1.1, 1.25}, /* a warp begins within a sector */
    /* in clusters: spectra are loaded twice, short rows within sectors; of a long row one or two bins are neighbours */
    {"orf16x16x16*4", 0, 1, 1, 2.1}, {"orb16x16x16*4", 0, 1, 4.1, 1}, {"orf128x128", 0, 1, 1, 1.2},
    {"orb128x128", 0, 1, 2.4, 1}, {"orf16384", 0, 1, 1, 4.1}, {"orb16384", 0, 1, 2.3, 1},
    {"orb1155*4", 4096, 2, 1.7, 2.2}, /* columns, eight side by side, are loaded from within sectors and stored real by real */
};

START_TEST(no_pass_moves_much_more_than_it_must) {
  fg_sim_traffic traffic[MOST_LAUNCHES];
  const int launches = traffic_of(cases[_i].text, cases[_i].shared_block, traffic);
  ck_assert_int_eq(launches, list.count);
  ck_assert_int_eq(launches, cases[_i].passes);
  for (int i = 0; i < launches; i++) {
    check_share(cases[_i].text, i, "reads", traffic[i].read_sectors, traffic[i].read_bytes, cases[_i].read);
    check_share(cases[_i].text, i, "writes", traffic[i].written_sectors, traffic[i].written_bytes, cases[_i].written);
  }
}
END_TEST

/* ---- rows of two points ---- */

enum { ROWS = 258, REALS = 4 * ROWS };

/* Transform in, whose copy on the device begins shift reals behind a whole access, to out; what is asked for. */
static fg_sim_traffic of_rows_of_two(bool backward, int shift, const float *in, float *out) {
  static const enum fg_reach arrays[] = {FG_REACH_ARRAY, FG_REACH_ARRAY};
  const fg_target *t = test_target();
  const char *why = "";
  fg_problem *p = test_problem(backward ? "ocb2*258" : "oc2*258", FG_SINGLE);
  ck_assert(fg_planner_plan_reaching(p, arrays, false, &fg_reference_device, &list, &why));
  fg_program *g = fg_program_create_reaching(t, p, arrays, &list, &why);
  fg_stream *stream;
  void *memory[2];
  ck_assert(g && list.count == 1 && t->backend->stream_create(t->device, &stream) == FG_OK);
  for (int i = 0; i < 2; i++)
    ck_assert_int_eq(t->backend->memory_alloc(t->device, (REALS + (size_t)shift) * sizeof(float), &memory[i]), FG_OK);
  float *const from = (float *)memory[0] + shift, *const to = (float *)memory[1] + shift;
  const fg_planes planes[FG_ARRAYS] = {[FG_ARRAY_IN] = {from, NULL}, [FG_ARRAY_OUT] = {to, NULL}};
  fg_sim_traffic traffic;
  fg_sim_traffic_begin();
  ck_assert_int_eq(t->backend->copy_in(t->device, from, in, REALS * sizeof(float), stream), FG_OK);
  ck_assert_int_eq(fg_program_launch_planes(g, planes, 0, stream), FG_OK);
  ck_assert_int_eq(t->backend->copy_out(t->device, out, to, REALS * sizeof(float), stream), FG_OK);
  ck_assert_int_eq(t->backend->stream_wait(t->device, stream), FG_OK);
  ck_assert_int_eq(fg_sim_traffic_end(&traffic, 1), 1);
  for (int i = 0; i < 2; i++) t->backend->memory_free(t->device, memory[i]);
  t->backend->stream_destroy(t->device, stream);
  fg_program_destroy(g);
  fg_problem_free(p);
  return traffic;
}

/* Each is one access where the array begins at a multiple of it, else two. */
START_TEST(rows_of_two_points_are_right_wherever_they_begin) {
  static float in[REALS], out[2][REALS];
  for (int i = 0; i < REALS; i++) in[i] = (float)(i * 7 % 31);
  const fg_sim_traffic even = of_rows_of_two(_i, 0, in, out[0]), odd = of_rows_of_two(_i, 2, in, out[1]);
  for (int i = 0; i < REALS; i += 4)
    for (int c = i; c < i + 2; c++) {
      ck_assert(out[0][c] == in[c] + in[c + 2] && out[0][c + 2] == in[c] - in[c + 2]);
      ck_assert(out[1][c] == out[0][c] && out[1][c + 2] == out[0][c + 2]);
    }
  ck_assert_uint_eq(even.read_sectors * SECTOR, sizeof in);
  ck_assert_uint_eq(even.written_sectors * SECTOR, sizeof in);
  ck_assert(odd.read_sectors > even.read_sectors && odd.written_sectors > even.written_sectors);
}
END_TEST

/* A site for each access (cuda/sim/traffic.c), whichever the compiler. */
static void keep_sites(void) {
  const char *const compiler = getenv("FFTW3_GPU_CXX");
  char command[1024];
  snprintf(command, sizeof command, "%s -DFG_SIM_SITES", compiler && *compiler ? compiler : FG_CXX);
  setenv("FFTW3_GPU_CXX", command, 1);
}

int main(void) {
  keep_sites();
  test_choose_sim();
  fg_padded_from = 0;
  TCase *t = tcase_create("traffic");
  tcase_set_timeout(t, 120);
  tcase_add_loop_test(t, sectors_are_counted_for_each_access_of_a_warp, 0, TEST_COUNT(counted));
  tcase_add_loop_test(t, no_pass_moves_much_more_than_it_must, 0, TEST_COUNT(cases));
  tcase_add_loop_test(t, rows_of_two_points_are_right_wherever_they_begin, 0, 2);
  return test_run(t, "traffic");
}
