/* test_common.c: the kernels of the common problems compile for sm_80, sm_90 and sm_120, and hardly any of them spills
 * registers.  Those of the archive that was built are looked at where there is one, and sm_120's compiled; without an
 * archive a part of them all. */
#include "config.h"

#include <check.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/archive.h"
#include "cuda/cuda_nvrtc.h"
#include "cuda/installed.h"
#include "cuda/store.h"
#include "cuda/usage.h"
#include "src/store/common.h"
#include "suite.h"

/* PARTS: the list alternates by two and three, so that every twelfth problem would be of one kind. */
enum { SKIPPED = 77, MOST = 4000, THREADS = 4, PARTS = 11, DEVICES = 3 };

/* What a kernel may keep in local memory, and how many of a hundred may keep anything there: a few geometries that were
 * measured ask for more blocks than even sparing code has registers for (cuda/cuda_nvrtc.c, compile_fitting). */
enum { MOST_BYTES = 128, MOST_PERCENT = 6 };

/* In double precision, whose points are two pairs of registers each, the bounds leave 32 registers beside them
 * (src/pass/geometry.c, blocks_by_need), and a third of the kernels keeps one or two numbers elsewhere: so much is not
 * counted. */
enum { LITTLE_DOUBLE = 32 };

/* As sm_120 has it, with the shared memory and threads of a multiprocessor that are less than an H200's. */
static const fg_device_info blackwell = {
    .name = "sm_120", .arch = 120, .double_ratio = 64, .multiprocessors = 170, .threads_block = 1024, .threads_sm = 1536,
    .shared_block = 99 * 1024, .shared_sm = 100 * 1024, .registers_sm = 65536, .memory = (size_t)32 << 30,
    .l2 = (size_t)96 << 20, .reads_host = true};

/* ---- counting ---- */

typedef struct {
  int kernels, spilling;
  unsigned worst;
} spills;

/* A constant that is a variable of the kernel, too, costs space in each of thousands of files, and memory and time where it is
 * loaded. */
static bool has_variables(const void *cubin, size_t bytes) {
  static const char section[] = ".nv.global";
  return memmem(cubin, bytes, section, strlen(section)) != NULL;
}

/* defines: those of the kernel, perhaps among others. */
static void count(spills *s, const fg_usage *u, const char *what, const char *defines) {
  const unsigned little = strstr(defines, "#define FG_REAL double\n") ? LITTLE_DOUBLE : 0;
  s->kernels++;
  if (u->spilled <= little) return;
  s->spilling++;
  if (u->spilled > s->worst) s->worst = u->spilled;
  printf("  %u bytes, %u registers: %s\n", u->spilled, u->registers, what);
}

static void assert_few(const spills *s, const char *target) {
  printf("%s: %d kernels, %d spill, %u bytes at most\n", target, s->kernels, s->spilling, s->worst);
  ck_assert_int_gt(s->kernels, 50);
  ck_assert_uint_le(s->worst, MOST_BYTES);
  ck_assert_int_le(100 * s->spilling, MOST_PERCENT * s->kernels);
}

/* ---- compiling what is not there ---- */

typedef struct {
  char *source, *defines, *text; /* text: for people */
  fg_usage usage;
} kernel;

static kernel kernels[MOST];
static int kernel_count, arch_now;
static atomic_int next_kernel, failures;

/* Not in double precision for devices that are slow at it: they are given no such transform unasked. */
static void collect(void *what, const char *problem, const fg_pass *p, const fg_kernel_request *r) {
  const fg_device_info *const device = what;
  char pass[512], text[700];
  if (p->precision == FG_DOUBLE && device->double_ratio > 4) return;
  for (int i = 0; i < kernel_count; i++)
    if (!strcmp(kernels[i].defines, r->defines) && !strcmp(kernels[i].source, r->source)) return;
  ck_assert_int_lt(kernel_count, MOST);
  fg_pass_print(p, pass, sizeof pass);
  snprintf(text, sizeof text, "%s: %s", problem, pass);
  kernels[kernel_count++] = (kernel){strdup(r->source), strdup(r->defines), strdup(text), {0}};
}

/* From the tests' store, or into it. */
static bool cubin_of(const kernel *k, void **cubin, size_t *bytes) {
  char target[32];
  const fg_kernel_request r = {k->source, k->defines, NULL, 0};
  snprintf(target, sizeof target, "nvrtc %d sm_%d", fg_nvrtc_version(), arch_now);
  char *key = fg_installed_key(target, &r);
  bool there = fg_store_get(key, ".cubin", cubin, bytes) == 0;
  if (!there) {
    there = !fg_nvrtc_compile(k->source, fg_nvrtc_source(k->source), k->defines, arch_now, cubin, bytes);
    if (there) fg_store_put(key, ".cubin", *cubin, *bytes);
  }
  free(key);
  return there;
}

static void *compile_some(void *unused) {
  (void)unused;
  for (int i; (i = atomic_fetch_add(&next_kernel, 1)) < kernel_count;) {
    void *cubin;
    size_t bytes;
    if (!cubin_of(&kernels[i], &cubin, &bytes)) {
      printf("%s: %s\n", kernels[i].text, fg_backend_message());
      atomic_fetch_add(&failures, 1);
      continue;
    }
    if (!fg_usage_of(cubin, bytes, &kernels[i].usage)) {
      printf("%s: no number of registers in the cubin\n", kernels[i].text);
      atomic_fetch_add(&failures, 1);
    }
    if (has_variables(cubin, bytes)) {
      printf("%s: variables in the cubin\n", kernels[i].text);
      atomic_fetch_add(&failures, 1);
    }
    free(cubin);
  }
  return NULL;
}

static void compile_list(const fg_device_info *device, int parts) {
  pthread_t thread[THREADS];
  spills s = {0};
  ck_assert_int_eq(fg_common_walk(device, 0, parts, collect, (void *)device), 0);
  arch_now = device->arch;
  for (int i = 0; i < THREADS; i++) ck_assert_int_eq(pthread_create(&thread[i], NULL, compile_some, NULL), 0);
  for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
  ck_assert_int_eq(atomic_load(&failures), 0);
  for (int i = 0; i < kernel_count; i++) count(&s, &kernels[i].usage, kernels[i].text, kernels[i].defines);
  assert_few(&s, device->name);
}

/* ---- the archive ---- */

static fg_archive *built_archive(void) {
  const char *build = getenv("FG_BUILD"), *why;
  char path[4096];
  snprintf(path, sizeof path, "%s/cuda/kernels.fgk", build ? build : ".");
  return fg_archive_open(path, fg_store_sources_hash(), &why);
}

static void look_at_archive(const fg_archive *a, const char *target) {
  spills s = {0};
  for (int i = 0; i < fg_archive_count(a); i++) {
    void *blob;
    size_t bytes;
    char *key = fg_archive_entry(a, i, &blob, &bytes);
    ck_assert_ptr_nonnull(key);
    if (!strncmp(key, target, strlen(target)) && key[strlen(target)] == ' ') {
      fg_usage u;
      ck_assert_msg(fg_usage_of(blob, bytes, &u), "no number of registers in the cubin of %s", key);
      ck_assert_msg(!has_variables(blob, bytes), "variables in the cubin of %s", key);
      const char *line = strstr(key, "#define FG_RADICES"); /* to its end */
      char radices[200];
      ck_assert_ptr_nonnull(line);
      snprintf(radices, sizeof radices, "%.*s", (int)strcspn(line, "\n"), line);
      count(&s, &u, radices, key);
    }
    free(key);
  }
  assert_few(&s, target);
}

/* Every pass of the list is in the archive, of the last architecture as PTX, too. */
static void is_there(void *archive, const char *problem, const fg_pass *p, const fg_kernel_request *r) {
  (void)p;
  if (arch_now == fg_common_devices[DEVICES - 1].arch) {
    char *key = fg_installed_key("ptx", r);
    ck_assert_msg(fg_archive_has(archive, key), "%s, PTX", problem);
    free(key);
  }
  for (const fg_device_info *d = fg_common_devices; d->arch; d++) {
    if (d->arch != arch_now) continue;
    char target[16];
    snprintf(target, sizeof target, "sm_%d", d->arch);
    char *key = fg_installed_key(target, r);
    ck_assert_msg(fg_archive_has(archive, key), "%s, %s", problem, target);
    free(key);
  }
}

START_TEST(common_kernels_hardly_spill) {
  fg_archive *a = built_archive();
  const fg_device_info *device = &fg_common_devices[_i];
  ck_assert_int_eq(fg_common_devices[DEVICES].arch, 0);
  char target[16];
  snprintf(target, sizeof target, "sm_%d", device->arch);
  if (!a) {
    compile_list(device, PARTS);
    return;
  }
  arch_now = device->arch;
  ck_assert_int_eq(fg_common_walk(device, 0, 1, is_there, a), 0);
  look_at_archive(a, target);
  fg_archive_close(a);
}
END_TEST

START_TEST(later_devices_compile_them_too) {
  fg_archive *a = built_archive();
  compile_list(&blackwell, a ? 1 : PARTS);
  fg_archive_close(a);
}
END_TEST

int main(void) {
  if (fg_nvrtc_version() < 0) {
    printf("skipped: %s\n", fg_backend_message());
    return SKIPPED;
  }
  setbuf(stdout, NULL);
  TCase *tc = tcase_create("common");
  tcase_set_timeout(tc, 600);
  tcase_add_loop_test(tc, common_kernels_hardly_spill, 0, DEVICES);
  tcase_add_test(tc, later_devices_compile_them_too);
  return test_run(tc, "common");
}
