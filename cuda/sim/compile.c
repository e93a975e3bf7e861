/* compile.c: from kernel requests to loaded kernels.
 *
 * A request's key says everything its object depends on.  Loaded kernels stay in a list for the life of the process;
 * one lock is held from looking there to having loaded, so that no kernel is compiled twice.  What is not there comes
 * from the kernel store, else from the compiler (build.c). */
#include "config.h"

#include "cuda/sim/compile.h"

#include "cuda/sim/build.h"
#include "cuda/store.h"
#include "src/report/log.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char suffix[] = ".so";

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fg_kernel *loaded;
static size_t compiles;

size_t fg_sim_compiles(void) {
  pthread_mutex_lock(&lock);
  size_t n = compiles;
  pthread_mutex_unlock(&lock);
  return n;
}

static char *key_of(const fg_kernel_request *r) {
  char *key;
  int length = asprintf(&key, "sim\nsources %016llx\ncompiler %s\nsource %s\nentry %s\n%s",
                        (unsigned long long)fg_store_sources_hash(), fg_build_command(), r->source, r->entry,
                        r->defines ? r->defines : "");
  return length < 0 ? NULL : key;
}

static fg_kernel *find_loaded(const char *key) {
  fg_kernel *k = loaded;
  while (k && strcmp(k->key, key) != 0)
    k = k->next;
  return k;
}

/* Put a kernel into the list; takes key over. */
static fg_kernel *enlist(const fg_kernel_request *r, char *key, const fg_sim_exports *exports) {
  fg_kernel *k = calloc(1, sizeof *k);
  const char *source = strchr(r->source, '\n') ? "given text" : r->source;
  if (!k || asprintf(&k->name, "%s (%s)", r->entry, source) < 0) {
    free(k);
    free(key);
    return NULL;
  }
  k->key = key;
  k->exports = exports;
  k->next = loaded;
  loaded = k;
  return k;
}

/* Load the object at path, which may be removed afterwards. */
static const fg_sim_exports *load(const char *path) {
  void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  return object ? dlsym(object, "fg_sim_export") : NULL;
}

/* A kernel that is loaded or in the store, or NULL. */
static fg_kernel *find(fg_build *build, const fg_kernel_request *r) {
  char *key = key_of(r);
  fg_kernel *k = key ? find_loaded(key) : NULL;
  void *blob;
  size_t bytes;
  if (!key || k || fg_store_get(key, suffix, &blob, &bytes) < 0) {
    free(key);
    return k;
  }
  const char *path = fg_build_write_object(build, blob, bytes);
  const fg_sim_exports *exports = path ? load(path) : NULL;
  free(blob);
  if (exports)
    return enlist(r, key, exports);
  free(key);
  return NULL;
}

/* Load what the compiler made of job, and keep it. */
static int adopt(fg_build *build, int job, const fg_kernel_request *r, fg_kernel **kernel) {
  const char *path = fg_build_object(build, job);
  char *key = key_of(r);
  if (!key)
    return fg_backend_fail(FG_ECOMPILE, "sim: no host memory");
  const fg_sim_exports *exports = load(path);
  if (!exports) {
    free(key);
    const char *reason = dlerror();
    return fg_backend_fail(FG_ECOMPILE, "sim: %s does not load: %s", r->entry, reason ? reason : "no export");
  }
  void *blob;
  size_t bytes;
  if (fg_build_read_object(path, &blob, &bytes) == 0) {
    fg_store_put(key, suffix, blob, bytes);
    free(blob);
  }
  *kernel = enlist(r, key, exports);
  if (*kernel) fg_log(FG_LOG_DEBUG, "sim: compiled %s", (*kernel)->name);
  return *kernel ? 0 : fg_backend_fail(FG_ECOMPILE, "sim: no host memory");
}

static bool same_kernel(const fg_kernel_request *a, const fg_kernel_request *b) {
  return strcmp(a->source, b->source) == 0 && strcmp(a->entry, b->entry) == 0 &&
         strcmp(a->defines ? a->defines : "", b->defines ? b->defines : "") == 0;
}

/* The first request for the same kernel as request i. */
static int first_alike(const fg_kernel_request *requests, int i) {
  int first = 0;
  while (!same_kernel(&requests[first], &requests[i]))
    first++;
  return first;
}

/* Compile the requests for which kernels[i] is NULL. */
static int compile_missing(fg_build *build, int count, const fg_kernel_request *requests, fg_kernel **kernels) {
  int jobs = 0, result = 0;
  for (int i = 0; i < count && result == 0; i++)
    if (!kernels[i] && first_alike(requests, i) == i) {
      result = fg_build_add(build, &requests[i]);
      jobs++;
    }
  if (result < 0 || jobs == 0)
    return result;
  compiles += (size_t)jobs;
  result = fg_build_run(build);
  for (int i = 0, job = 0; i < count && result == 0; i++) {
    int first = first_alike(requests, i);
    if (!kernels[i] && first == i)
      result = adopt(build, job++, &requests[i], &kernels[i]);
    else if (!kernels[i])
      kernels[i] = kernels[first];
  }
  return result;
}

/* With the lock held. */
static int get_kernels(int count, const fg_kernel_request *requests, fg_kernel **kernels) {
  fg_build *build = fg_build_new(count);
  if (!build)
    return fg_backend_fail(FG_ECOMPILE, "sim: no temporary folder");
  for (int i = 0; i < count; i++)
    kernels[i] = find(build, &requests[i]);
  int result = compile_missing(build, count, requests, kernels);
  for (int i = 0; i < count && result == 0; i++)
    if (kernels[i]->shared < requests[i].shared)
      kernels[i]->shared = requests[i].shared;
  fg_build_free(build);
  return result;
}

bool fg_sim_kernels_kept(int count, const fg_kernel_request *requests) {
  bool kept = true;
  for (int i = 0; i < count && kept; i++) {
    char *key = key_of(&requests[i]);
    pthread_mutex_lock(&lock);
    kept = key && find_loaded(key);
    pthread_mutex_unlock(&lock);
    kept = kept || (key && fg_store_has(key, suffix));
    free(key);
  }
  return kept;
}

int fg_sim_kernels(int count, const fg_kernel_request *requests, fg_kernel **kernels) {
  pthread_mutex_lock(&lock);
  int result = get_kernels(count, requests, kernels);
  pthread_mutex_unlock(&lock);
  return result;
}
