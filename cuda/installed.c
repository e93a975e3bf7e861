/* installed.c: finds the installed kernel archive and looks kernels up in it. */
#include "config.h"

#include "cuda/installed.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "cuda/cuda_nvrtc.h"
#include "cuda/store.h"
#include "src/report/log.h"

#define INSTALLED "fftw3-gpu/kernels.fgk" /* below the library's folder */
#define BUILT "cuda/kernels.fgk"          /* below the build folder */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static fg_archive *archive;
static char archive_path[PATH_MAX]; /* "": there is none */
static atomic_bool refused;

/* ---- where ---- */

/* The file that this code was loaded from; the loader knows a program by how it was called only. */
static bool own_file(char path[PATH_MAX]) {
  Dl_info me;
  if (!dladdr((void *)&fg_installed_refuse, &me) || !me.dli_fname) return false;
  const uintptr_t headers = getauxval(AT_PHDR), base = (uintptr_t)me.dli_fbase;
  const bool program = headers >= base && headers - base < 4096;
  return realpath(program ? "/proc/self/exe" : me.dli_fname, path) != NULL;
}

static bool try_path(const char *folder, const char *below) {
  const int length = snprintf(archive_path, sizeof archive_path, "%s/%s", folder, below);
  if (length > 0 && length < (int)sizeof archive_path && access(archive_path, F_OK) == 0) return true;
  archive_path[0] = 0;
  return false;
}

void fg_installed_beside(char below[PATH_MAX]) {
  const char *from = FG_BINDIR, *to = FG_LIBDIR;
  size_t same = 0;
  for (size_t i = 0; from[i] == to[i] && from[i]; i++)
    if (from[i] == '/') same = i + 1;
  int at = 0;
  for (const char *up = from + same - 1; up && at < PATH_MAX - 4; up = strchr(up + 1, '/'))
    at += snprintf(below + at, PATH_MAX - (size_t)at, "../");
  snprintf(below + at, PATH_MAX - (size_t)at, "%s/", to + same);
}

static bool try_beside(const char *folder) {
  char libraries[PATH_MAX], below[PATH_MAX + sizeof INSTALLED];
  fg_installed_beside(libraries);
  snprintf(below, sizeof below, "%s" INSTALLED, libraries);
  return try_path(folder, below);
}

static bool find_file(void) {
  char folder[PATH_MAX];
  if (!own_file(folder)) return false;
  *strrchr(folder, '/') = 0;
  char *last = strrchr(folder, '/');
  if (last && !strcmp(last, "/.libs")) { /* libtool's, in the build folder */
    *last = 0;
    return try_path(folder, BUILT);
  }
  return try_path(folder, INSTALLED) || try_path(folder, BUILT) || try_beside(folder);
}

static void open_once(void) {
  const char *why;
  const int saved = errno;
  if (*archive_path || find_file()) {
    archive = fg_archive_open(archive_path, fg_store_sources_hash(), &why);
    if (archive)
      fg_log(FG_LOG_DEBUG, "%d kernels in %s, by %s", fg_archive_count(archive), archive_path,
             fg_archive_compiler(archive));
    else
      fg_log(FG_LOG_WARN, "the installed kernels are not used: %s: %s", archive_path, why);
  }
  errno = saved;
}

void fg_installed_at(const char *path) { snprintf(archive_path, sizeof archive_path, "%s", path); }

const fg_archive *fg_installed_archive(const char **path) {
  pthread_once(&once, open_once);
  *path = archive_path;
  return archive;
}

void fg_installed_refuse(void) { atomic_store(&refused, true); }

/* ---- what ---- */

char *fg_installed_key(const char *target, const fg_kernel_request *r) {
  char *key;
  if (asprintf(&key, "%s " FG_NVRTC_OPTIONS "\nsources %016llx\nsource %s\n%s", target,
               (unsigned long long)fg_store_sources_hash(), r->source, r->defines ? r->defines : "") < 0)
    return NULL;
  return key;
}

/* blob NULL: only whether it is there. */
static int look_up(const char *target, const fg_kernel_request *r, void **blob, size_t *bytes) {
  const char *path;
  const fg_archive *a = fg_installed_archive(&path);
  char *key = a && !atomic_load(&refused) ? fg_installed_key(target, r) : NULL;
  const int result = !key ? -1 : blob ? fg_archive_get(a, key, blob, bytes) : fg_archive_has(a, key) ? 0 : -1;
  free(key);
  return result;
}

/* A device runs cubins for its own generation, of its own minor version and of those before. */
static int look_up_cubin(int arch, const fg_kernel_request *r, void **cubin, size_t *bytes) {
  char target[16];
  for (int a = arch; a >= arch / 10 * 10; a--) {
    snprintf(target, sizeof target, "sm_%d", a);
    if (look_up(target, r, cubin, bytes) == 0) return 0;
  }
  return -1;
}

int fg_installed_get(int arch, const fg_kernel_request *r, void **cubin, size_t *bytes) {
  return look_up_cubin(arch, r, cubin, bytes);
}

bool fg_installed_has(int arch, const fg_kernel_request *r) { return look_up_cubin(arch, r, NULL, NULL) == 0; }

int fg_installed_ptx(int arch, const fg_kernel_request *r, void **ptx, size_t *bytes) {
  return arch >= FG_INSTALLED_PTX ? look_up("ptx", r, ptx, bytes) : -1;
}

bool fg_installed_has_ptx(int arch, const fg_kernel_request *r) {
  return arch >= FG_INSTALLED_PTX && look_up("ptx", r, NULL, NULL) == 0;
}
