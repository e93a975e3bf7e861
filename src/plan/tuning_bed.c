/* tuning_bed.c: arrays for measurements, what must come out, how long a pass takes. */
#include "src/plan/tuning_bed.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "src/report/clock.h"
#include "src/run/memory.h"

enum { BLOCKS = 264, THREADS = 128, STAGING = 4 << 20, MOST_COPIES = 64, SAMPLES = 5 };
static const double enough = 0.4e-3; /* seconds of one sample */

/* Each thread: the largest difference, and the largest number, of those it looks at. */
static const char compare_source[] =
    "struct arguments { const FG_REAL *a, *b; FG_REAL *out; long long count; };\n"
    "extern \"C\" __global__ void fg_compare(const arguments g) {\n"
    "  FG_REAL most = 0, size = 0;\n"
    "  const long long me = (long long)blockIdx.x * blockDim.x + threadIdx.x, all = (long long)gridDim.x * blockDim.x;\n"
    "  for (long long i = me; i < g.count; i += all) {\n"
    "    FG_REAL d = g.a[i] - g.b[i], x = g.b[i];\n"
    "    d = d < 0 ? -d : d;\n"
    "    x = x < 0 ? -x : x;\n"
    "    if (!(d <= most)) most = d;\n" /* also what is no number */
    "    if (x > size) size = x;\n"
    "  }\n"
    "  g.out[2 * me] = most;\n"
    "  g.out[2 * me + 1] = size;\n"
    "}\n";

typedef struct {
  const void *a, *b;
  void *out;
  long long count;
} compare_arguments;

static const fg_backend *backend(const fg_tuning_bed *b) { return b->target->backend; }

static size_t real_size(const fg_tuning_bed *b) { return fg_real_size(b->problem->compute); }

/* ---- making ---- */

/* Within what the process may have: a program that measures is not alone on the device. */
static int alloc(fg_tuning_bed *b, size_t bytes, void *memory) {
  return bytes ? fg_memory_alloc(b->target, bytes, memory) : FG_OK;
}

static size_t differences_bytes(const fg_tuning_bed *b) { return (size_t)BLOCKS * THREADS * 2 * real_size(b); }

static int make_stream(fg_tuning_bed *b) {
  fg_device *const d = b->target->device;
  const fg_kernel_request r = {compare_source,
                               real_size(b) == sizeof(float) ? "#define FG_REAL float\n" : "#define FG_REAL double\n",
                               "fg_compare", 0};
  int code = backend(b)->stream_create(d, &b->stream);
  if (code == FG_OK) code = backend(b)->event_create(d, &b->begin);
  if (code == FG_OK) code = backend(b)->event_create(d, &b->end);
  return code == FG_OK ? backend(b)->kernels(d, 1, &r, &b->compare) : code;
}

/* So many that twice the L2 is full. */
static int make_blocks(fg_tuning_bed *b, const fg_program *program) {
  size_t all = 0;
  b->output_bytes = fg_program_bytes(program)[FG_ARRAY_OUT];
  for (int a = 0; a < FG_ARRAYS; a++) all += b->bytes[a] = (fg_program_bytes(program)[a] + 255) / 256 * 256;
  const size_t wanted = 2 * b->target->info->l2 / (all + 1) + 1, limit = fg_memory_limit(b->target) / 2;
  b->copies = wanted < MOST_COPIES ? (int)wanted : MOST_COPIES;
  while (b->copies > 1 && all * (size_t)b->copies > limit) b->copies /= 2;
  if (all + b->bytes[FG_ARRAY_OUT] > 2 * limit) return fg_backend_fail(FG_ENOMEM, "too large for it");
  int code = alloc(b, b->bytes[FG_ARRAY_OUT], &b->right);
  if (code == FG_OK) code = alloc(b, differences_bytes(b), &b->differences);
  for (int a = 0; a < FG_ARRAYS && code == FG_OK; a++) code = alloc(b, b->bytes[a] * (size_t)b->copies, &b->block[a]);
  return code;
}

static int copy(const fg_tuning_bed *b, void *to, const void *from, size_t bytes) {
  return bytes ? backend(b)->copy_within(b->target->device, to, from, bytes, b->stream) : FG_OK;
}

static int wait(const fg_tuning_bed *b) { return backend(b)->stream_wait(b->target->device, b->stream); }

static void random_reals(const fg_tuning_bed *b, void *to, size_t bytes) {
  uint64_t state = UINT64_C(88172645463325252); /* xorshift64 (Marsaglia 2003) */
  for (size_t i = 0; i < bytes / real_size(b); i++) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    const double x = (double)(int64_t)state * 0x1p-63;
    if (real_size(b) == sizeof(float)) ((float *)to)[i] = (float)x;
    else ((double *)to)[i] = x;
  }
}

/* The first bytes of a block again and again. */
static int spread(const fg_tuning_bed *b, char *block, size_t have, size_t all) {
  int code = FG_OK;
  for (; have < all && code == FG_OK; have *= 2) code = copy(b, block + have, block, have < all - have ? have : all - have);
  return code;
}

static int fill_input(fg_tuning_bed *b) {
  const size_t all = b->bytes[FG_ARRAY_IN] * (size_t)b->copies, first = all < STAGING ? all : STAGING;
  void *random = malloc(first + 1);
  if (!random) return fg_backend_fail(FG_ENOMEM, "no host memory");
  random_reals(b, random, first);
  int code = backend(b)->copy_in(b->target->device, b->block[FG_ARRAY_IN], random, first, b->stream);
  if (code == FG_OK) code = wait(b);
  free(random);
  return code == FG_OK ? spread(b, b->block[FG_ARRAY_IN], first, all) : code;
}

/* What a pass is to be timed on where it is not the first: nothing has been written there yet. */
static int fill_others(fg_tuning_bed *b) {
  const size_t input = b->bytes[FG_ARRAY_IN] * (size_t)b->copies;
  int code = FG_OK;
  for (int a = FG_ARRAY_IN + 1; a < FG_ARRAYS && code == FG_OK; a++) {
    const size_t all = b->bytes[a] * (size_t)b->copies, have = all < input ? all : input;
    code = copy(b, b->block[a], b->block[FG_ARRAY_IN], have);
    if (code == FG_OK) code = spread(b, b->block[a], have, all);
  }
  return code;
}

static void arrays_of(const fg_tuning_bed *b, int copy, void *arrays[FG_ARRAYS]) {
  for (int a = 0; a < FG_ARRAYS; a++) arrays[a] = b->block[a] ? b->block[a] + (size_t)copy * b->bytes[a] : NULL;
}

/* Something that no transform gives into an array that is written: what of it is not has to be the same each time. */
static int trash(const fg_tuning_bed *b, int array, void *const arrays[FG_ARRAYS]) {
  const size_t bytes = b->bytes[array], have = b->bytes[FG_ARRAY_IN];
  const int code = copy(b, arrays[array], arrays[FG_ARRAY_IN], bytes < have ? bytes : have);
  return code == FG_OK ? spread(b, arrays[array], have, bytes) : code;
}

static int make_right(fg_tuning_bed *b, const fg_program *program) {
  void *arrays[FG_ARRAYS];
  arrays_of(b, 0, arrays);
  int code = trash(b, FG_ARRAY_OUT, arrays);
  if (code == FG_OK) code = fg_program_launch(program, arrays, b->stream);
  if (code == FG_OK) code = copy(b, b->right, arrays[FG_ARRAY_OUT], b->bytes[FG_ARRAY_OUT]);
  return code == FG_OK ? wait(b) : code;
}

const char *fg_tuning_bed_make(fg_tuning_bed *b, const fg_target *target, const fg_problem *p,
                               const fg_program *program) {
  *b = (fg_tuning_bed){.target = target, .problem = p};
  int code = make_stream(b);
  if (code == FG_OK) code = make_blocks(b, program);
  if (code == FG_OK) code = fill_input(b);
  if (code == FG_OK) code = fill_others(b);
  if (code == FG_OK) code = make_right(b, program);
  return code == FG_OK ? NULL : fg_backend_message();
}

void fg_tuning_bed_free(fg_tuning_bed *b) {
  fg_device *const d = b->target->device;
  if (b->stream) wait(b);
  for (int a = 0; a < FG_ARRAYS; a++)
    fg_memory_free(b->target, b->block[a], b->bytes[a] * (size_t)b->copies);
  fg_memory_free(b->target, b->right, b->bytes[FG_ARRAY_OUT]);
  fg_memory_free(b->target, b->differences, differences_bytes(b));
  if (b->begin) backend(b)->event_destroy(d, b->begin);
  if (b->end) backend(b)->event_destroy(d, b->end);
  if (b->stream) backend(b)->stream_destroy(d, b->stream);
}

/* ---- right or wrong ---- */

static int run_all(const fg_tuning_bed *b, const fg_program *program, int pass) {
  const fg_passes *passes = fg_program_passes(program);
  void *arrays[FG_ARRAYS];
  int code = FG_OK;
  arrays_of(b, 0, arrays);
  for (int i = 0; i < passes->count && code == FG_OK; i++) {
    const fg_pass *const p = &passes->pass[i];
    if (i == pass && p->from.array != p->to.array) code = trash(b, p->to.array, arrays);
    if (code == FG_OK) code = fg_program_launch_part(program, arrays, i, -1, 0, 0, b->stream);
  }
  return code;
}

static double largest(const fg_tuning_bed *b, const void *numbers, int first) {
  double most = 0;
  for (int i = first; i < 2 * BLOCKS * THREADS; i += 2) {
    const double x = real_size(b) == sizeof(float) ? ((const float *)numbers)[i] : ((const double *)numbers)[i];
    if (!(x <= most)) most = x;
  }
  return most;
}

static int compare(const fg_tuning_bed *b, void *numbers) {
  const compare_arguments g = {b->block[FG_ARRAY_OUT], b->right, b->differences,
                               (long long)(b->output_bytes / real_size(b))};
  int code = backend(b)->launch(b->target->device, b->compare, BLOCKS, THREADS, 0, &g, sizeof g, b->stream);
  if (code == FG_OK)
    code = backend(b)->copy_out(b->target->device, numbers, b->differences, differences_bytes(b), b->stream);
  return code == FG_OK ? wait(b) : code;
}

bool fg_tuning_right(fg_tuning_bed *b, const fg_program *program, int pass) {
  const double rounding = real_size(b) == sizeof(float) ? 1e-5 : 1e-13;
  void *numbers = malloc(differences_bytes(b));
  const bool done = numbers && run_all(b, program, pass) == FG_OK && compare(b, numbers) == FG_OK;
  const bool right = done && largest(b, numbers, 0) <= rounding * largest(b, numbers, 1);
  free(numbers);
  return right;
}

/* ---- time ---- */

static int repeat(fg_tuning_bed *b, const fg_program *program, int pass, int times) {
  void *arrays[FG_ARRAYS];
  int code = FG_OK;
  for (int i = 0; i < times && code == FG_OK; i++) {
    arrays_of(b, b->next++ % b->copies, arrays);
    code = pass < 0 ? fg_program_launch(program, arrays, b->stream)
                    : fg_program_launch_part(program, arrays, pass, -1, 0, 0, b->stream);
  }
  return code;
}

/* Seconds of one launch out of so many.  By the device's clock, or by the one that a test has set. */
static double time_once(fg_tuning_bed *b, const fg_program *program, int pass, int times) {
  double seconds;
  const double start = fg_clock_seconds();
  int code = backend(b)->event_record(b->target->device, b->begin, b->stream);
  if (code == FG_OK) code = repeat(b, program, pass, times);
  if (code == FG_OK) code = backend(b)->event_record(b->target->device, b->end, b->stream);
  if (code == FG_OK) code = backend(b)->event_elapsed(b->target->device, b->begin, b->end, &seconds);
  if (fg_clock_test) seconds = fg_clock_seconds() - start;
  return code == FG_OK ? seconds / times : -1;
}

double fg_tuning_seconds(fg_tuning_bed *b, const fg_program *program, int pass) {
  const double first = time_once(b, program, pass, 1), second = first < 0 ? first : time_once(b, program, pass, 1);
  if (second < 0) return second;
  const int times = second < enough ? second > enough / 100 ? (int)ceil(enough / second) : 100 : 1;
  double least = INFINITY;
  for (int i = 0; i < SAMPLES; i++) {
    const double now = time_once(b, program, pass, times);
    if (now < 0) return now;
    if (now < least) least = now;
  }
  return least;
}
