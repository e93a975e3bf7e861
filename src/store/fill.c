/* fill.c: the program that fills the kernel archive when the library is built.
 *
 *   fill FOLDER part I N              compile the kernels of part I of N of the common problems into FOLDER
 *   fill FOLDER pack FILE [PROBLEM…]  write those of all common problems (of these, single) into an archive
 *
 * Packing names the kernels that keep some of what they need in local memory, since there were too few registers.
 *
 * The folder is a kernel store, from which nothing is compiled twice, so that parts may run at the same time, and a
 * build after a change of other sources than the kernels' only packs.  No GPU is needed. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/archive.h"
#include "cuda/cuda_nvrtc.h"
#include "cuda/installed.h"
#include "cuda/store.h"
#include "cuda/usage.h"
#include "src/store/common.h"

enum { MOST_ITEMS = 20000, BUCKETS = 1 << 15 };

/* What is made of the passes: items of the archive; keys and blobs are malloc'd, blobs NULL but while packing. */
typedef struct {
  const fg_device_info *device;
  bool pack;
  int count, failed;
  int tried, compiled; /* kernels that are in the folder now */
  fg_archive_item item[MOST_ITEMS];
  int bucket[BUCKETS]; /* item + 1 by the hash of its key; 0: free */
} filling;

static filling all;

/* ---- one kernel ---- */

/* Room for a key that is not known yet; NULL if it is. */
static int *bucket_of(const char *key) {
  uint64_t at = fg_hash(0, key, strlen(key));
  for (;; at++) {
    int *const bucket = &all.bucket[at % BUCKETS];
    if (!*bucket) return bucket;
    if (!strcmp(all.item[*bucket - 1].key, key)) return NULL;
  }
}

/* In the folder entries belong to one version of the compiler, too. */
static char *folder_key(const char *key) {
  char *text;
  return asprintf(&text, "nvrtc %d %s", fg_nvrtc_version(), key) < 0 ? NULL : text;
}

static bool compile(const fg_kernel_request *r, const char *cubin_key, const char *ptx_key) {
  fg_nvrtc_output o;
  if (fg_nvrtc_compile_both(r->source, fg_nvrtc_source(r->source), r->defines, all.device->arch, &o)) {
    fprintf(stderr, "%s\n", fg_backend_message());
    return false;
  }
  fg_store_put(cubin_key, ".cubin", o.cubin, o.cubin_bytes);
  if (ptx_key) fg_store_put(ptx_key, ".cubin", o.ptx, o.ptx_bytes);
  free(o.cubin);
  free(o.ptx);
  return true;
}

/* What a packed cubin spills is told by the problem and the pass that it is for. */
static void tell_spills(const fg_archive_item *item, const char *problem, const fg_pass *p) {
  char pass[512];
  fg_usage u;
  if (!item->blob || !fg_usage_of(item->blob, item->bytes, &u) || !u.spilled) return;
  fg_pass_print(p, pass, sizeof pass);
  fprintf(stderr, "sm_%d: %u bytes spilled, %u registers: %s: %s\n", all.device->arch, u.spilled, u.registers, problem,
          pass);
}

static void add(char *key, int kind, const char *in_folder) {
  int *const bucket = bucket_of(key);
  void *blob = NULL;
  size_t bytes = 0;
  if (!bucket || all.count == MOST_ITEMS || (all.pack && fg_store_get(in_folder, ".cubin", &blob, &bytes))) {
    all.failed += bucket != NULL;
    free(key);
    return;
  }
  all.item[all.count] = (fg_archive_item){key, blob, bytes, kind};
  *bucket = ++all.count;
}

/* Cubins of one architecture are of a kind, whichever device they are for; PTX is behind the last. */
static int kind_of(const fg_device_info *device) {
  int kind = 0;
  for (const fg_device_info *d = fg_common_devices; d < device; d++) kind += d[0].arch != d[1].arch;
  return kind;
}

static bool is_newest(const fg_device_info *device) {
  const fg_device_info *last = device;
  while (last[1].arch) last++;
  return device->arch == last->arch;
}

/* Cubins for each device; PTX for what is newer than all of them, from those of the last architecture. */
static void take(void *unused, const char *problem, const fg_pass *p, const fg_kernel_request *r) {
  char target[16];
  const int arch = all.device->arch, kind = kind_of(all.device);
  const bool last = is_newest(all.device);
  (void)unused;
  snprintf(target, sizeof target, "sm_%d", arch);
  char *key = fg_installed_key(target, r), *ptx = last ? fg_installed_key("ptx", r) : NULL;
  if (!key || (last && !ptx)) abort();
  char *in_folder = folder_key(key), *ptx_in_folder = last ? folder_key(ptx) : NULL;
  if (!in_folder || (last && !ptx_in_folder)) abort();
  if (!bucket_of(key)) { /* an equal pass was there before */
    free(key);
    free(ptx);
  } else {
    const bool there = fg_store_has(in_folder, ".cubin") && (!last || fg_store_has(ptx_in_folder, ".cubin"));
    const bool compiled = there || (compile(r, in_folder, ptx_in_folder) && fg_store_has(in_folder, ".cubin"));
    if (!compiled) fprintf(stderr, "a kernel of %s is left out\n", problem);
    all.tried++;
    all.compiled += compiled;
    const int before = all.count;
    add(key, kind, in_folder);
    if (all.count > before) tell_spills(&all.item[before], problem, p);
    if (last) add(ptx, kind + 1, ptx_in_folder);
  }
  free(in_folder);
  free(ptx_in_folder);
}

/* ---- all of them ---- */

static int walk(int i, int parts) {
  int failed = 0;
  for (all.device = fg_common_devices; all.device->arch; all.device++)
    failed += fg_common_walk(all.device, i, parts, take, NULL);
  return failed;
}

static int walk_problems(int count, char **problems) {
  int failed = 0;
  for (all.device = fg_common_devices; all.device->arch; all.device++)
    for (int i = 0; i < count; i++) failed += !fg_common_problem(problems[i], FG_SINGLE, all.device, take, NULL);
  return failed;
}

static int write_archive(const char *path) {
  char compiler[64];
  const int version = fg_nvrtc_version();
  snprintf(compiler, sizeof compiler, "NVRTC %d.%d", version / 1000, version % 1000 / 10);
  const int error = fg_archive_write(path, fg_store_sources_hash(), compiler, all.item, all.count);
  if (error) fprintf(stderr, "%s: %s\n", path, strerror(error));
  return error;
}

/* A kernel or another may be too much for a compiler.  If all are, there is something wrong with it. */
static bool compiles(void) {
  const bool none = all.tried > 0 && all.compiled == 0;
  if (none) fprintf(stderr, "no kernel could be compiled and kept (see above); configure --with-kernels=no builds without them\n");
  return !none;
}

static int usage(void) {
  fprintf(stderr, "usage: fill FOLDER part I N | fill FOLDER pack FILE [PROBLEM...]\n");
  return 2;
}

int main(int argc, char **argv) {
  if (argc < 4) return usage();
  setenv("FFTW3_GPU_CACHE", argv[1], 1);
  if (fg_nvrtc_version() < 0) {
    fprintf(stderr, "%s\n", fg_backend_message());
    return 1;
  }
  all.pack = !strcmp(argv[2], "pack");
  if (all.pack) {
    const int failed = argc > 4 ? walk_problems(argc - 4, argv + 4) : walk(0, 1);
    if (all.failed) fprintf(stderr, "%d kernels are left out of the archive\n", all.failed);
    return !compiles() || write_archive(argv[3]) || failed ? 1 : 0;
  }
  if (strcmp(argv[2], "part") || argc != 5) return usage();
  const int failed = walk(atoi(argv[3]), atoi(argv[4]));
  return !compiles() || failed ? 1 : 0;
}
