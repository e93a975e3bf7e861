/* test_nvrtc.c: the kernel sources compile for real architectures, without a GPU; skipped where there is no NVRTC. */
#include "config.h"

#include <dlfcn.h>
#include <elf.h>
#include <glob.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/backend.h"
#include "cuda/cuda_nvrtc.h"
#include "cuda/usage.h"
#include "random_problem.h"
#include "src/pass/choice.h"
#include "src/pass/fit.h"
#include "src/pass/geometry.h"
#include "src/pass/kernel.h"
#include "src/pass/solver.h"
#include "src/pass/tuned.h"
#include "src/plan/planner.h"
#include "src/problem/notation.h"
#include "suite.h"

#define SKIPPED 77 /* as automake understands it */
#ifndef EM_CUDA
#define EM_CUDA 190
#endif

static const int archs[] = {80, 90, 120};
enum { ARCHS = sizeof archs / sizeof *archs };

typedef struct {
  int code;
  void *blob;
  size_t bytes;
} outcome;

static char moved[] = "/tmp/fftw3-gpu-nvrtc-XXXXXX"; /* main */

static outcome compile(const char *name, const char *text, const char *defines, int arch) {
  outcome o = {0};
  o.code = fg_nvrtc_compile(name, text, defines, arch, &o.blob, &o.bytes);
  return o;
}

static bool is_cubin(const outcome *o) {
  const Elf64_Ehdr *header = o->blob;
  return o->bytes > sizeof *header && !memcmp(header->e_ident, ELFMAG, SELFMAG) && header->e_machine == EM_CUDA;
}

static bool is_ptx(const outcome *o) {
  return o->bytes > 0 && ((char *)o->blob)[o->bytes - 1] == '\0' && strstr(o->blob, ".target sm_") != NULL;
}

static const char *embedded(const char *name) {
  const fg_embedded *file = fg_embedded_sources;
  while (file->name && strcmp(file->name, name)) ++file;
  ck_assert_msg(file->name != NULL, "%s is not embedded", name);
  return file->text;
}

#define ADD                                                   \
  "extern \"C\" __global__ void add(float *__restrict__ x) {" \
  " x[blockIdx.x * blockDim.x + threadIdx.x] += FG_VALUE; }\n"

/* ---- the compiler ---- */

START_TEST(text_becomes_a_cubin) {
  outcome o = compile("add.cu", ADD, "#define FG_VALUE 2\n", archs[_i]);
  ck_assert_msg(o.code == 0, "%s", fg_backend_message());
  if (archs[_i] <= 90 || fg_nvrtc_version() >= 12080)
    ck_assert(is_cubin(&o));
  else
    ck_assert(is_ptx(&o)); /* sm_120 came with NVRTC 12.8 */
  ck_assert_ptr_nonnull(memmem(o.blob, o.bytes, "add", 4));
  free(o.blob);
}
END_TEST

static int is_of_moved(struct dl_phdr_info *info, size_t size, void *found) {
  (void)size;
  *(bool *)found |= !strncmp(info->dlpi_name, moved, sizeof moved - 1) && strstr(info->dlpi_name, "builtins");
  return 0;
}

/* ---- the stack of what spills ---- */

/* More numbers than 1024 threads have registers for, each needed with each other. */
#define CROWDED                                                                   \
  "extern \"C\" __global__ void __launch_bounds__(1024) crowded(float *x) {\n"       \
  "  float v[FG_VALUE];\n"                                                         \
  "#pragma unroll\n"                                                               \
  "  for (int i = 0; i < FG_VALUE; i++) v[i] = x[threadIdx.x + i * 1024];\n"       \
  "#pragma unroll\n"                                                               \
  "  for (int d = 1; d < FG_VALUE; d *= 2)\n"                                      \
  "#pragma unroll\n"                                                               \
  "    for (int i = 0; i < FG_VALUE; i++) v[i] += v[i ^ d] * v[(i + d) % FG_VALUE];\n" \
  "#pragma unroll\n"                                                               \
  "  for (int i = 0; i < FG_VALUE; i++) x[threadIdx.x + i * 1024] = v[i];\n"       \
  "}\n"

static unsigned char *instructions_of(const outcome *o, size_t *bytes) {
  unsigned char *const file = o->blob;
  Elf64_Ehdr header;
  Elf64_Shdr section;
  memcpy(&header, file, sizeof header);
  for (int i = 1; i < header.e_shnum; i++) {
    memcpy(&section, file + header.e_shoff + (size_t)i * sizeof section, sizeof section);
    if (section.sh_type != SHT_PROGBITS || !(section.sh_flags & SHF_EXECINSTR)) continue;
    *bytes = section.sh_size;
    return file + section.sh_offset;
  }
  ck_abort_msg("no instructions");
}

/* The same, in two loops that are left from the inner one, so that a second barrier is broken. */
#define LEFT_EARLY                                                                \
  "extern \"C\" __global__ void __launch_bounds__(1024) left(float *x, int n) {\n"  \
  "  float v[128];\n"                                                              \
  "#pragma unroll\n"                                                               \
  "  for (int i = 0; i < 128; i++) v[i] = x[threadIdx.x + i * 1024];\n"            \
  "  for (int k = 0; k < n; k++) {\n"                                              \
  "    for (int m = 0;; m++) {\n"                                                  \
  "      if (v[m & 1] > x[m + k]) break;\n"                                        \
  "      if (v[1] < x[m * k + threadIdx.x]) goto out;\n"                           \
  "#pragma unroll\n"                                                               \
  "      for (int i = 0; i < 128; i++) v[i] += v[(i + 37) % 128] * v[(i + 5) % 128];\n" \
  "    }\n"                                                                        \
  "    v[0] += x[k];\n"                                                            \
  "  }\n"                                                                          \
  "out:\n"                                                                         \
  "#pragma unroll\n"                                                               \
  "  for (int i = 0; i < 128; i++) x[threadIdx.x + i * 1024] = v[i];\n"            \
  "}\n"

START_TEST(branches_lose_no_stack) {
  fg_usage u;
  outcome o = compile("left.cu", LEFT_EARLY, NULL, archs[_i]);
  ck_assert_msg(o.code == 0, "%s", fg_backend_message());
  if (is_cubin(&o)) ck_assert(fg_usage_of(o.blob, o.bytes, &u) && u.spilled > 0 && !u.loses_stack);
  free(o.blob);
}
END_TEST

/* A product whose result goes to register 1 is one too many; in a kernel that spills nothing it is as good as another. */
START_TEST(a_lost_stack_is_seen) {
  enum { MULTIPLY_ADD = 0x223, DESTINATION = 2 };
  const bool spills = _i < ARCHS;
  fg_usage u;
  outcome o = compile("crowded.cu", CROWDED, spills ? "#define FG_VALUE 128\n" : "#define FG_VALUE 16\n", archs[_i % ARCHS]);
  ck_assert_msg(o.code == 0, "%s", fg_backend_message());
  size_t bytes = 0, at = 0;
  if (!is_cubin(&o)) {
    free(o.blob);
    return;
  }
  ck_assert(fg_usage_of(o.blob, o.bytes, &u));
  ck_assert_msg((u.spilled > 0) == spills, "%u bytes spilled", u.spilled);
  ck_assert(!u.loses_stack);
  unsigned char *const code = instructions_of(&o, &bytes);
  while (at < bytes && (code[at] | (code[at + 1] & 15) << 8) != MULTIPLY_ADD) at += 16;
  ck_assert_uint_lt(at, bytes);
  code[at + DESTINATION] = 1;
  ck_assert(fg_usage_of(o.blob, o.bytes, &u));
  ck_assert_int_eq(u.loses_stack, spills);
  free(o.blob);
}
END_TEST

/* A geometry that `fftw3-gpu tune` tried: an H200 was lost to what ptxas 13.0 makes of it, which spills 8 bytes; with less
 * optimization nothing does. */
START_TEST(a_kernel_with_a_lost_stack_is_compiled_otherwise) {
  fg_passes *const list = test_plan("oc6561*2557", FG_DOUBLE, &fg_reference_device);
  char defines[FG_DEFINES_SIZE];
  fg_choice choice;
  fg_usage u;
  ck_assert(fg_choice_parse(&choice, "n27.27.3.3 1 320 1 0"));
  ck_assert(fg_choice_apply(&choice, &list->pass[0], &fg_reference_device));
  const fg_kernel_request request = fg_kernel_request_of(&list->pass[0], defines);
  outcome o = compile(request.source, embedded(request.source), request.defines, 90);
  if (o.code) ck_assert_msg(strstr(fg_backend_message(), "loses the address"), "%s", fg_backend_message());
  else ck_assert(fg_usage_of(o.blob, o.bytes, &u) && !u.loses_stack);
  if (fg_nvrtc_version() == 13000) ck_assert(o.code == 0 && u.spilled == 0);
  free(o.blob);
  free(list);
}
END_TEST

/* ---- where the compiler is found ---- */

START_TEST(builtins_are_those_beside_it) {
  bool found = false;
  if (strstr(moved, "XXXXXX")) return; /* it was named, or configure found none */
  outcome o = compile("add.cu", ADD, "#define FG_VALUE 1\n", 90);
  ck_assert_int_eq(o.code, 0);
  free(o.blob);
  dl_iterate_phdr(is_of_moved, &found);
  ck_assert(found);
}
END_TEST

START_TEST(defines_and_architecture_count) {
  outcome two = compile("add.cu", ADD, "#define FG_VALUE 2\n", 90);
  outcome three = compile("add.cu", ADD, "#define FG_VALUE 3\n", 90);
  outcome older = compile("add.cu", ADD, "#define FG_VALUE 2\n", 80);
  ck_assert(is_cubin(&two) && is_cubin(&three) && is_cubin(&older));
  ck_assert(two.bytes != three.bytes || memcmp(two.blob, three.blob, two.bytes));
  ck_assert(two.bytes != older.bytes || memcmp(two.blob, older.blob, two.bytes));
  free(two.blob);
  free(three.blob);
  free(older.blob);
}
END_TEST

START_TEST(architecture_of_the_future_gets_ptx) {
  char options[240];
  outcome o = compile("add.cu", ADD, "#define FG_VALUE 2\n", 999);
  ck_assert_msg(o.code == 0, "%s", fg_backend_message());
  ck_assert(is_ptx(&o));
  ck_assert_int_eq(fg_nvrtc_options_text(999, options, sizeof options), 0);
  ck_assert_ptr_nonnull(strstr(options, "=compute_"));
  free(o.blob);
}
END_TEST

START_TEST(architecture_of_the_past_is_refused) {
  outcome o = compile("add.cu", ADD, "#define FG_VALUE 2\n", 10);
  ck_assert_int_eq(o.code, FG_ECOMPILE);
  ck_assert_ptr_nonnull(strstr(fg_backend_message(), "sm_10"));
}
END_TEST

/* The defines in front do not shift the numbers of lines. */
START_TEST(an_error_names_file_and_line) {
  outcome o = compile("broken.cu", "\nthis is no C\n", "#define FG_VALUE 2\n#define FG_N 3\n", 90);
  ck_assert_int_eq(o.code, FG_ECOMPILE);
  ck_assert_msg(strstr(fg_backend_message(), "broken.cu(2)") != NULL, "%s", fg_backend_message());
}
END_TEST

START_TEST(sources_may_include_each_other) {
  static const char text[] =
      "#include \"args.h\"\nextern \"C\" __global__ void k(const fg_tile_args a) { *(float *)a.out_re = a.lines; }\n";
  outcome o = compile("includes.cu", text, "", 90);
  ck_assert_msg(o.code == 0, "%s", fg_backend_message());
  ck_assert(is_cubin(&o));
  free(o.blob);
}
END_TEST

/* ---- the real kernels ---- */

/* A pass over 1000 contiguous lines of n points, in the geometry it would have on an H200. */
static fg_pass pass_of(ptrdiff_t n, enum fg_precision precision) {
  static const fg_device_info device = {.arch = 90, .multiprocessors = 132, .threads_block = 1024, .threads_sm = 2048,
                                        .shared_block = 232448, .shared_sm = 233472, .registers_sm = 65536,
                                        .memory = (size_t)1 << 37, .l2 = 50 << 20};
  fg_pass p = {.precision = precision, .sign = -1, .n = n, .data = n, .in = 1, .out = 1, .loops = 1,
               .cluster = 1};
  p.to.array = FG_ARRAY_OUT;
  p.loop[0] = (fg_loop){.n = 1000, .in = n, .out = n};
  ck_assert(fg_geometry_choose(&p, &device));
  return p;
}

/* Local memory of a thread, in bytes: what does not fit its registers.  An attribute of the cubin: format, kind, size,
 * and of this kind a symbol and the number. */
static int frame_bytes(const outcome *o) {
  enum { WITH_SIZE = 4, FRAME_SIZE = 0x11 };
  const char *const blob = o->blob;
  const Elf64_Ehdr *header = o->blob;
  const Elf64_Shdr *section = (const void *)(blob + header->e_shoff);
  const char *const names = blob + section[header->e_shstrndx].sh_offset;
  for (int i = 0; i < header->e_shnum; i++) {
    if (strcmp(names + section[i].sh_name, ".nv.info")) continue;
    const unsigned char *at = o->blob, *end = at + section[i].sh_offset + section[i].sh_size;
    for (at += section[i].sh_offset; at + 4 <= end; at += 4 + (at[0] == WITH_SIZE ? at[2] + 256 * at[3] : 0)) {
      int bytes;
      if (at[0] != WITH_SIZE || at[1] != FRAME_SIZE) continue;
      memcpy(&bytes, at + 8, sizeof bytes);
      return bytes;
    }
  }
  return -1;
}

static void check_frame(const fg_pass *p, int arch, int most) {
  char defines[FG_DEFINES_SIZE];
  fg_kernel_request request = fg_kernel_request_of(p, defines);
  outcome o = compile(request.source, embedded(request.source), request.defines, arch);
  ck_assert_msg(o.code == 0, "%s\n%s", fg_backend_message(), defines);
  if (is_cubin(&o)) {
    const int bytes = frame_bytes(&o);
    ck_assert_msg(bytes >= 0 && bytes <= most, "%d bytes in local memory\n%s", bytes, defines);
  }
  free(o.blob);
}

static void check_pass(const fg_pass *p, int arch) {
  char defines[FG_DEFINES_SIZE];
  fg_kernel_request request = fg_kernel_request_of(p, defines);
  outcome o = compile(request.source, embedded(request.source), request.defines, arch);
  ck_assert_msg(o.code == 0, "%s\n%s", fg_backend_message(), defines);
  ck_assert(is_cubin(&o) || is_ptx(&o));
  ck_assert_ptr_nonnull(memmem(o.blob, o.bytes, request.entry, strlen(request.entry)));
  free(o.blob);
}

START_TEST(tile_compiles_everywhere) {
  fg_pass p = pass_of(256, FG_SINGLE);
  check_pass(&p, archs[_i]);
}
END_TEST

static const ptrdiff_t lengths[] = {1, 2, 13, 1000, 3003, 4096};

START_TEST(tile_compiles_for_every_length) {
  fg_pass p = pass_of(lengths[_i], FG_SINGLE);
  check_pass(&p, 90);
}
END_TEST

/* The reference with the architecture that is compiled for: not all have clusters. */
static fg_device_info reference_of(int arch) {
  fg_device_info device = fg_reference_device;
  device.arch = arch;
  device.cluster = arch >= 90 && arch < 120 ? 16 : 1;
  return device;
}

/* Primes in registers, permuted in the tile, real, and all three passes of a long one. */
static const char *const primes[] = {"oc61*1000",    "oc74*1000",    "oc101*30000", "oc404*9000",
                                     "ocb1009*3000", "orf1009*3000", "oc100003"};

START_TEST(primes_compile_everywhere) {
  static fg_passes list;
  const char *why;
  fg_problem *p = test_problem(primes[_i], FG_SINGLE);
  ck_assert(fg_planner_plan(p, &fg_reference_device, &list, &why));
  for (int i = 0; i < list.count; i++)
    for (int a = 0; a < ARCHS; a++) check_pass(&list.pass[i], archs[a]);
  fg_problem_free(p);
}
END_TEST

/* Double precision: of 16 points of 16 bytes nearly all are in registers. */
static const char *const doubles[] = {"oc16*100000", "oc1000*9000", "oc1024*9000",     "oc4096*4000", "oc37*90000",
                                      "oc101*30000", "oc100003",    "oc128x128x128*8", "oc1048576",   "oc24x24x24*27",
                                      "orf1024*9000", "orb360*9000",    "ok256e10*9000", "oc1048576*32", "ok142e00*9000",
                                      "ok736o00*3000", "ok5hx250e00*900", "ok800e00*3000"};

START_TEST(doubles_compile_everywhere_and_fit_registers) {
  static fg_passes list;
  const char *why;
  fg_problem *p = test_problem(doubles[_i], FG_DOUBLE);
  for (int a = 0; a < ARCHS; a++) {
    const fg_device_info device = reference_of(archs[a]);
    ck_assert(fg_planner_plan(p, &device, &list, &why));
    for (int i = 0; i < list.count; i++) check_frame(&list.pass[i], archs[a], 96);
  }
  fg_problem_free(p);
}
END_TEST

/* Doubles in memory, single precision in registers. */
static const char *const wide[] = {"oc1024*9000", "/oc48x48*99", "orf1024*9000", "ik64e01*9000"};

START_TEST(wide_sides_compile_everywhere) {
  static fg_passes list;
  const char *why;
  fg_problem *p = test_problem(wide[_i], FG_DOUBLE);
  p->compute = FG_SINGLE;
  const enum fg_reach arrays[] = {FG_REACH_ARRAY, FG_REACH_ARRAY};
  ck_assert(fg_planner_plan_reaching(p, arrays, _i == 3, &fg_reference_device, &list, &why));
  for (int i = 0; i < list.count; i++)
    for (int a = 0; a < ARCHS; a++) check_pass(&list.pass[i], archs[a]);
  fg_problem_free(p);
}
END_TEST

/* Parts of a line, across which a thread has a point of each: 32, 16, 5, and of real rows. */
static const char *const in_parts[] = {"oc2272*6516", "oc4112*3092", "ocb505*36959", "orf2272*8000"};

START_TEST(parts_fit_registers) {
  fg_passes *list = test_plan(in_parts[_i], FG_SINGLE, &fg_reference_device);
  ck_assert(list->count == 1 && list->pass[0].parts > 1);
  check_frame(&list->pass[0], 90, 32);
  free(list);
}
END_TEST

/* Blocks that would be alone on a multiprocessor for their registers only: two make do with half, whatever the shipped table says. */
static const char *const paired[] = {"oc8100*4142", "orf20412*1643", "orb17920*1872", "orf18750*1789",   "orb7177*4675",
                                     "oc8353*4017", "oc8841*3795",   "oc168x49*4076", "orf112x162*1849", "oc8385*4001"};

START_TEST(two_blocks_make_do_with_half_of_the_registers) {
  fg_tuned_ignore_shipped(true);
  fg_passes *list = test_plan(paired[_i], FG_SINGLE, &fg_reference_device);
  fg_pass as_chosen = list->pass[0];
  ck_assert_int_eq(list->count, 1);
  ck_assert_int_eq(list->pass[0].blocks_sm, 2);
  fg_fit_blocks(&as_chosen, &fg_reference_device);
  ck_assert_int_eq(as_chosen.blocks_sm, 1);
  for (int a = 0; a < ARCHS; a++) /* the newest has shared memory for one */
    if (archs[a] <= 90) check_frame(&list->pass[0], archs[a], 40);
  free(list);
}
END_TEST

START_TEST(tile_compiles_with_split_arrays_and_twiddle) {
  fg_pass p = pass_of(512, FG_SINGLE);
  p.from.split = p.to.split = true;
  p.twiddle = 1 << 18;
  p.sign = +1;
  check_pass(&p, 90);
}
END_TEST

START_TEST(tiles_loaded_ahead_compile_where_bulk_copies_are) {
  fg_pass p = pass_of(_i == 1 ? 2197 : 2401, _i == 1 ? FG_DOUBLE : FG_SINGLE);
  char defines[FG_DEFINES_SIZE];
  if (_i == 2) {
    fg_passes *const columns = test_plan("oc1048576*32", FG_SINGLE, &fg_reference_device);
    p = columns->pass[0];
    free(columns);
    ck_assert(p.ahead && p.in != 1);
  }
  p.ahead = 1;
  p.blocks_sm = 1; /* which leaves registers */
  for (int a = 0; a < ARCHS; a++)
    if (archs[a] >= 90) check_frame(&p, archs[a], 0);
  fg_kernel_request request = fg_kernel_request_of(&p, defines);
  outcome o = compile(request.source, embedded(request.source), request.defines, 80);
  ck_assert(o.code == FG_ECOMPILE && strstr(fg_backend_message(), "compute capability 9.0"));
  free(o.blob);
}
END_TEST

/* Both passes of large transforms, and the registers that 1024 threads leave. */
static const char *const boxes[] = {"oc256x256x256", "oc200x200x200", "ocb240x240x240", "oc150x150x150",
                                    "/oc4096x4096"};

START_TEST(boxes_of_large_transforms_compile_everywhere) {
  static fg_passes list; /* too large for a stack */
  const char *why = "";
  char message[200];
  fg_problem *p = fg_notation_parse(boxes[_i / ARCHS], FG_SINGLE, message, sizeof message);
  const fg_device_info device = reference_of(archs[_i % ARCHS]);
  ck_assert(p && fg_planner_plan(p, &device, &list, &why));
  ck_assert_int_eq(list.count, 2);
  for (int i = 0; i < list.count; i++) check_pass(&list.pass[i], archs[_i % ARCHS]);
  fg_problem_free(p);
}
END_TEST

/* What clusters have, without spills: rows and planes that are cut, boxes with large radices, strips and what goes before
 * them. */
static const struct {
  const char *text;
  enum fg_precision precision;
} clusters[] = {{"oc32768*1024", FG_SINGLE},   {"icb50000*671", FG_SINGLE},  {"/oc131072*256", FG_SINGLE},
                {"oc16384", FG_SINGLE},        {"ocb128x128*2048", FG_SINGLE}, {"oc256x256*512", FG_SINGLE},
                {"oc36x36x36*512", FG_SINGLE}, {"ocb40x40x40*512", FG_SINGLE}, {"oc48x48x48*512", FG_SINGLE},
                {"oc16384*1024", FG_DOUBLE},   {"oc128x128*1024", FG_DOUBLE}, {"oc29x29x29*512", FG_SINGLE},
                {"oc23x29x31*512", FG_DOUBLE}, {"oc116x116*2000", FG_SINGLE},
                {"orf256x256*512", FG_SINGLE}, {"orb256x256*512", FG_SINGLE}, {"orf200x200*838", FG_SINGLE},
                {"orb192x192*910", FG_SINGLE}, {"orf36x36x36*512", FG_SINGLE}, {"orb36x36x36*512", FG_SINGLE},
                {"orf16384", FG_SINGLE},       {"orb65536*512", FG_SINGLE},   {"orb16384", FG_SINGLE},
                {"orf256x256*256", FG_DOUBLE}, {"orb128x128*1024", FG_DOUBLE},
                {"oc32749*1024", FG_SINGLE},
                {"ocb65521*512", FG_SINGLE},   {"/oc65521*8", FG_SINGLE},
                {"oc8191", FG_SINGLE},         {"oc10007", FG_SINGLE},       {"icb20011*6", FG_SINGLE},
                {"oc16777216*2", FG_SINGLE},   {"icb8388608*4", FG_SINGLE},   {"oc2097152*16", FG_SINGLE},
                {"oc8192x8192", FG_SINGLE},    {"icb16384x16384", FG_SINGLE}, {"oc4000x6000", FG_SINGLE},
                {"orf4096x4096*4", FG_SINGLE}, {"oc512x512x512", FG_SINGLE},  {"oc480x480x480", FG_SINGLE},
                {"ocb640x640x640", FG_SINGLE}, {"oc700x700x700", FG_SINGLE},  {"/oc768x768x768", FG_SINGLE},
                {"oc4096x4096", FG_DOUBLE},    {"ocb320x320x320", FG_DOUBLE}, {"oc256x256x512", FG_DOUBLE}};

START_TEST(what_clusters_have_fits_registers) {
  fg_passes *list = test_plan(clusters[_i].text, clusters[_i].precision, &fg_reference_device);
  int checked = 0;
  for (int i = 0; i < list->count; i++) {
    if (list->pass[i].cluster == 1) continue;
    check_frame(&list->pass[i], 90, 0);
    checked++;
  }
  ck_assert_int_gt(checked, 0);
  free(list);
}
END_TEST

/* Three passes of one size, but for a few numbers (16 bytes of r2c of 1000^3, timed so). */
START_TEST(shared_digits_fit_registers) {
  static const struct {
    const char *text;
    enum fg_precision precision;
  } some[] = {{"oc1024x1024x1024", FG_SINGLE}, {"ocb960x960x960", FG_SINGLE},  {"icb800x800x800", FG_SINGLE},
              {"oc900x900x900", FG_SINGLE},    {"or1024x1024x1024", FG_SINGLE}, {"or1000x1000x1000", FG_SINGLE},
              {"oc640x640x640", FG_DOUBLE},    {"or768x768x768", FG_DOUBLE},   {"oc1024x1024x1024", FG_DOUBLE}};
  for (int t = 0; t < TEST_COUNT(some); t++) {
    fg_passes *list = test_plan(some[t].text, some[t].precision, &fg_reference_device);
    ck_assert_msg(list->count == 3 && list->pass[1].to.array == FG_ARRAY_SCRATCH0, "%s", some[t].text);
    for (int i = 0; i < list->count; i++) check_frame(&list->pass[i], 90, 32);
    free(list);
  }
}
END_TEST

/* And an H100's planes with a twiddle. */
START_TEST(planes_with_a_twiddle_fit_registers) {
  fg_device_info device = fg_reference_device;
  snprintf(device.name, sizeof device.name, "NVIDIA H100 80GB HBM3");
  fg_passes *list = test_plan("oc1000x1000x1000", FG_SINGLE, &device);
  ck_assert(list->count == 2 && list->pass[0].four_step && list->pass[0].twiddle);
  for (int i = 0; i < list->count; i++) check_frame(&list->pass[i], 90, 0);
  free(list);
}
END_TEST

static Suite *suite(void) {
  Suite *s = suite_create("nvrtc");
  TCase *c = tcase_create("nvrtc");
  tcase_set_timeout(c, 120);
  tcase_add_loop_test(c, text_becomes_a_cubin, 0, ARCHS);
  tcase_add_test(c, builtins_are_those_beside_it);
  tcase_add_loop_test(c, a_lost_stack_is_seen, 0, 2 * ARCHS);
  tcase_add_loop_test(c, branches_lose_no_stack, 0, ARCHS);
  tcase_add_test(c, a_kernel_with_a_lost_stack_is_compiled_otherwise);
  tcase_add_test(c, defines_and_architecture_count);
  tcase_add_test(c, architecture_of_the_future_gets_ptx);
  tcase_add_test(c, architecture_of_the_past_is_refused);
  tcase_add_test(c, an_error_names_file_and_line);
  tcase_add_test(c, sources_may_include_each_other);
  tcase_add_loop_test(c, tile_compiles_everywhere, 0, ARCHS);
  tcase_add_loop_test(c, tile_compiles_for_every_length, 0, sizeof lengths / sizeof *lengths);
  tcase_add_loop_test(c, primes_compile_everywhere, 0, sizeof primes / sizeof *primes);
  tcase_add_loop_test(c, doubles_compile_everywhere_and_fit_registers, 0, sizeof doubles / sizeof *doubles);
  tcase_add_loop_test(c, wide_sides_compile_everywhere, 0, sizeof wide / sizeof *wide);
  tcase_add_loop_test(c, two_blocks_make_do_with_half_of_the_registers, 0, sizeof paired / sizeof *paired);
  tcase_add_loop_test(c, parts_fit_registers, 0, sizeof in_parts / sizeof *in_parts);
  tcase_add_test(c, tile_compiles_with_split_arrays_and_twiddle);
  tcase_add_loop_test(c, tiles_loaded_ahead_compile_where_bulk_copies_are, 0, 3);
  tcase_add_loop_test(c, boxes_of_large_transforms_compile_everywhere, 0, ARCHS * (int)(sizeof boxes / sizeof *boxes));
  tcase_add_loop_test(c, what_clusters_have_fits_registers, 0, sizeof clusters / sizeof *clusters);
  tcase_add_test(c, shared_digits_fit_registers);
  tcase_add_test(c, planes_with_a_twiddle_fit_registers);
  suite_add_tcase(s, c);
  return s;
}

/* Its files by links from a folder that the loader does not look into. */
static void move_nvrtc(void) {
  char file[256];
  glob_t found;
  if (getenv("FFTW3_GPU_NVRTC") || glob(FG_NVRTC_DIR "/libnvrtc*.so*", 0, NULL, &found) || !mkdtemp(moved)) return;
  for (size_t i = 0; i < found.gl_pathc; i++) {
    snprintf(file, sizeof file, "%s%s", moved, strrchr(found.gl_pathv[i], '/'));
    if (symlink(found.gl_pathv[i], file)) continue;
    if (!strstr(file, "builtins") && !strstr(file, ".alt.")) setenv("FFTW3_GPU_NVRTC", file, 1);
  }
  globfree(&found);
}

static void remove_links(void) {
  char all[64];
  glob_t found;
  snprintf(all, sizeof all, "%s/*", moved);
  if (!glob(all, 0, NULL, &found)) {
    for (size_t i = 0; i < found.gl_pathc; i++) unlink(found.gl_pathv[i]);
    globfree(&found);
  }
  rmdir(moved);
}

int main(void) {
  SRunner *runner;
  int failed;
  fg_overlap_caches = 0;
  move_nvrtc();
  if (fg_nvrtc_version() < 0) {
    printf("skipped: %s\n", fg_backend_message());
    remove_links();
    return SKIPPED;
  }
  runner = srunner_create(suite());
  srunner_run_all(runner, CK_NORMAL);
  failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  remove_links();
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
