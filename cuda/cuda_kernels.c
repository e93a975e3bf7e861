/* cuda_kernels.c: from a kernel request to a loaded kernel: the device's table; the installed archive's cubins; the
 * user's store on disk; the archive's PTX, which the driver compiles; NVRTC. */
#include "config.h"

#include <fenv.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/cuda_device.h"
#include "cuda/cuda_nvrtc.h"
#include "cuda/installed.h"
#include "cuda/store.h"
#include "src/report/log.h"

#define SUFFIX ".cubin"
#define MARK ".ptx"
#define MAX_THREADS 16
#define THREAD_STACK ((size_t)8 << 20) /* the compiler recurses; the program's own threads may have little */
#define SHARED_DEFAULT (48 << 10)      /* more than this must be asked for, on every architecture */

struct fg_kernel {
  fg_kernel *next;
  char *source, *defines, *entry; /* of its request */
  CUmodule module;
  CUfunction function;
  size_t shared; /* dynamic shared memory that launches may use by now */
  bool waits;
};

enum { PORTABLE_CLUSTER = 8 };

enum origin { FROM_ARCHIVE, FROM_STORE, FROM_PTX, FROM_COMPILER };

typedef struct {
  const fg_kernel_request *request;
  char *key;    /* in the user's store; NULL: NVRTC, whose version is in it, was not asked for yet */
  void *cubin;  /* NULL: not needed, or not there yet */
  size_t bytes;
  bool compile; /* to be compiled */
  enum origin origin;
  int code;     /* of its compilation, with message (malloc'd) */
  char *message;
} job;

CUfunction fg_cuda_function(const fg_kernel *kernel) { return kernel->function; }

bool fg_cuda_waits(const fg_kernel *kernel) { return kernel->waits; }

/* ---- what a kernel is made of ---- */

static const char *defines_of(const fg_kernel_request *r) { return r->defines ? r->defines : ""; }

static const char *source_name(const fg_kernel_request *request) {
  return strchr(request->source, '\n') ? "literal.cu" : request->source;
}

/* Everything that a cubin of our own depends on. */
static int make_key(const fg_device *device, const fg_kernel_request *request, char **key) {
  char options[240];
  int version = fg_nvrtc_version();
  int code = version < 0 ? version : fg_nvrtc_options_text(device->info.arch, options, sizeof options);
  if (code) return code;
  if (asprintf(key, "cuda 1\nsources %016llx\nnvrtc %d %s\nsource %s\n%s", (unsigned long long)fg_store_sources_hash(),
               version, options, request->source, defines_of(request)) >= 0)
    return 0;
  *key = NULL;
  return fg_backend_fail(FG_ECOMPILE, "out of memory");
}

/* ---- PTX: what the driver has compiled it keeps itself, and a mark in the user's store says so ---- */

/* malloc'd; NULL on lack of memory. */
static char *mark_of(const fg_device *device, const fg_kernel_request *request) {
  char *mark = NULL, *const ptx = fg_installed_key("ptx", request);
  int version = 0;
  fg_cu.cuDriverGetVersion(&version);
  if (!ptx || asprintf(&mark, "driver %d sm_%d\n%s", version, device->info.arch, ptx) < 0) mark = NULL;
  free(ptx);
  return mark;
}

/* What the driver has been told to keep nothing of it compiles again. */
static bool driver_keeps(void) {
  const char *disabled = secure_getenv("CUDA_CACHE_DISABLE");
  return !disabled || !*disabled || !strcmp(disabled, "0");
}

static void mark(const fg_device *device, const fg_kernel_request *request) {
  if (!driver_keeps()) return;
  char *const key = mark_of(device, request);
  if (key && !fg_store_has(key, MARK)) fg_store_put(key, MARK, "", 1);
  free(key);
}

/* What loads ahead may lose its stack where it spills (usage.h), which cannot be seen in what the driver makes of PTX: it is
 * compiled instead. */
static bool may_be_ptx(const fg_kernel_request *request) { return !strstr(request->defines, "#define FG_AHEAD 1\n"); }

static bool is_marked(const fg_device *device, const fg_kernel_request *request) {
  if (!driver_keeps() || !may_be_ptx(request) || !fg_installed_has_ptx(device->info.arch, request)) return false;
  char *const key = mark_of(device, request);
  const bool marked = key && fg_store_has(key, MARK);
  free(key);
  return marked;
}

/* ---- the device's table ---- */

static fg_kernel *find(fg_device *device, const job *j) {
  fg_kernel *kernel;
  for (kernel = device->kernels; kernel; kernel = kernel->next)
    if (!strcmp(kernel->defines, defines_of(j->request)) && !strcmp(kernel->source, j->request->source) &&
        !strcmp(kernel->entry, j->request->entry))
      break;
  return kernel;
}

static bool known(fg_device *device, const job *j) {
  bool there;
  pthread_mutex_lock(&device->lock);
  there = find(device, j) != NULL;
  pthread_mutex_unlock(&device->lock);
  return there;
}

/* ---- compiling, in threads of our own ---- */

typedef struct {
  const fg_device *device;
  job *jobs;
  int count;
  atomic_int next;
} work;

static void compile(const fg_device *device, job *j) {
  const fg_kernel_request *r = j->request;
  const char *text = fg_nvrtc_source(r->source);
  if (text)
    j->code = fg_nvrtc_compile(source_name(r), text, r->defines, device->info.arch, &j->cubin, &j->bytes);
  else
    j->code = fg_backend_fail(FG_ECOMPILE, "there is no kernel source %s", r->source);
  if (j->code)
    j->message = strdup(fg_backend_message());
  else
    fg_store_put(j->key, SUFFIX, j->cubin, j->bytes);
}

static void *compile_some(void *argument) {
  work *w = argument;
  for (int i; (i = atomic_fetch_add(&w->next, 1)) < w->count;)
    if (w->jobs[i].compile) compile(w->device, &w->jobs[i]);
  return NULL;
}

static int cores(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) ? (int)sysconf(_SC_NPROCESSORS_ONLN) : CPU_COUNT(&set);
}

static int threads_for(const work *w) {
  int wanted = 0, available = cores();
  for (int i = 0; i < w->count; ++i) wanted += w->jobs[i].compile;
  if (wanted > available) wanted = available;
  return wanted < MAX_THREADS ? wanted : MAX_THREADS;
}

/* The program's signals are not for our threads: they start with all of them blocked. */
static int start_threads(pthread_t *threads, int wanted, work *w) {
  pthread_attr_t attributes;
  sigset_t all, before;
  int started = 0;
  if (pthread_attr_init(&attributes)) return 0;
  pthread_attr_setstacksize(&attributes, THREAD_STACK);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (started < wanted && !pthread_create(&threads[started], &attributes, compile_some, w)) ++started;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  return started;
}

static void compile_all(const fg_device *device, job *jobs, int count) {
  work w = {.device = device, .jobs = jobs, .count = count};
  pthread_t threads[MAX_THREADS];
  int wanted = threads_for(&w), started = wanted ? start_threads(threads, wanted, &w) : 0;
  if (!started) compile_some(&w);
  for (int i = 0; i < started; ++i) pthread_join(threads[i], NULL);
}

/* ---- loading; with the device's context current and its lock held ---- */

typedef struct {
  CUresult result;
  const char *call;
} outcome;

/* Allow launches with that much dynamic shared memory. */
static outcome permit_shared(fg_kernel *kernel, size_t bytes) {
  outcome o = {CUDA_SUCCESS, "cuFuncSetAttribute (dynamic shared memory)"};
  if (bytes <= kernel->shared) return o;
  o.result = fg_cu.cuFuncSetAttribute(kernel->function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)bytes);
  if (!o.result) kernel->shared = bytes;
  return o;
}

/* Clusters of more than eight blocks are not portable, and launched only where that is said. */
static outcome permit_cluster(const fg_device *device, fg_kernel *kernel) {
  int blocks = 0;
  outcome o = {CUDA_SUCCESS, "cuFuncSetAttribute (clusters)"};
  if (device->info.cluster <= PORTABLE_CLUSTER) return o;
  o.result = fg_cu.cuFuncGetAttribute(&blocks, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, kernel->function);
  if (!o.result && blocks > PORTABLE_CLUSTER)
    o.result = fg_cu.cuFuncSetAttribute(kernel->function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
  return o;
}

/* Literal ones do not, nor does what an NVRTC that knows no newer architecture has compiled for an older one than sm_90. */
static outcome find_whether_it_waits(fg_kernel *kernel) {
  enum { LEAST = 90 };
  int compiled_for = 0;
  const outcome o = {fg_cu.cuFuncGetAttribute(&compiled_for, CU_FUNC_ATTRIBUTE_PTX_VERSION, kernel->function),
                     "cuFuncGetAttribute"};
  kernel->waits = !o.result && compiled_for >= LEAST && !strchr(kernel->source, '\n');
  return o;
}

static outcome load_module(const fg_device *device, fg_kernel *kernel, const void *cubin) {
  int fixed = 0;
  outcome o = {fg_cu.cuModuleLoadData(&kernel->module, cubin), "cuModuleLoadData"};
  if (o.result) return o;
  o = (outcome){fg_cu.cuModuleGetFunction(&kernel->function, kernel->module, kernel->entry), "cuModuleGetFunction"};
  if (o.result) return o;
  o = (outcome){fg_cu.cuFuncGetAttribute(&fixed, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel->function),
                "cuFuncGetAttribute"};
  kernel->shared = fixed < SHARED_DEFAULT ? (size_t)(SHARED_DEFAULT - fixed) : 0;
  if (!o.result) o = find_whether_it_waits(kernel);
  return o.result ? o : permit_cluster(device, kernel);
}

static void discard(fg_kernel *kernel) {
  if (!kernel) return;
  if (kernel->module) fg_cu.cuModuleUnload(kernel->module);
  free(kernel->source);
  free(kernel->defines);
  free(kernel->entry);
  free(kernel);
}

static outcome load_new(fg_device *device, const job *j, fg_kernel **loaded) {
  outcome o = {CUDA_ERROR_OUT_OF_MEMORY, "loading a kernel"};
  fg_kernel *kernel = calloc(1, sizeof *kernel);
  if (kernel) {
    kernel->source = strdup(j->request->source);
    kernel->defines = strdup(defines_of(j->request));
    kernel->entry = strdup(j->request->entry);
    if (kernel->source && kernel->defines && kernel->entry) o = load_module(device, kernel, j->cubin);
  }
  if (o.result) {
    discard(kernel);
    return o;
  }
  kernel->next = device->kernels;
  device->kernels = *loaded = kernel;
  return o;
}

static outcome find_or_load(fg_device *device, const job *j, fg_kernel **kernel) {
  outcome o = {CUDA_SUCCESS, ""};
  *kernel = find(device, j); /* another thread, or an equal request before this one, may have loaded it meanwhile */
  if (!*kernel) o = load_new(device, j, kernel);
  return o.result ? o : permit_shared(*kernel, j->request->shared);
}

/* ---- one request ---- */

static int load(fg_device *device, const job *j, fg_kernel **kernel) {
  fg_cuda_scope scope;
  outcome o;
  int code = fg_cuda_enter(device, &scope);
  if (code) return code;
  pthread_mutex_lock(&device->lock);
  o = find_or_load(device, j, kernel);
  pthread_mutex_unlock(&device->lock);
  code = fg_cuda_leave(device, &scope, o.result, o.call);
  if (code != FG_ELAUNCH && code != FG_ECOMPILE) return code;
  return fg_backend_fail(FG_ECOMPILE, "%s of %s: %s", j->request->entry, source_name(j->request), fg_backend_message());
}

/* The user's own, else what the driver can compile, else to be compiled. */
static int look_further(const fg_device *device, job *j) {
  const int code = make_key(device, j->request, &j->key);
  j->origin = FROM_STORE;
  if (!code && fg_store_get(j->key, SUFFIX, &j->cubin, &j->bytes) == 0) return 0;
  j->origin = FROM_PTX;
  if (may_be_ptx(j->request) && fg_installed_ptx(device->info.arch, j->request, &j->cubin, &j->bytes) == 0) return 0;
  j->origin = FROM_COMPILER;
  j->compile = !code;
  return code;
}

static int look(const fg_device *device, job *j) {
  j->origin = FROM_ARCHIVE;
  return fg_installed_get(device->info.arch, j->request, &j->cubin, &j->bytes) == 0 ? 0 : look_further(device, j);
}

/* What this driver refuses is looked for elsewhere: beside the archive, from which it will take nothing else either, or
 * compiled anew.  Cubins and PTX of a newer NVRTC are refused by drivers of an older major version. */
static int replace(const fg_device *device, job *j) {
  fg_log(FG_LOG_DEBUG, "cuda: a stored kernel is refused: %s", fg_backend_message());
  free(j->cubin);
  j->cubin = NULL;
  int code = 0;
  if (j->origin == FROM_ARCHIVE || j->origin == FROM_PTX) {
    fg_installed_refuse();
    free(j->key);
    j->key = NULL;
    code = look_further(device, j);
  } else {
    j->origin = FROM_COMPILER;
    j->compile = true;
  }
  if (!code && j->compile) compile_all(device, j, 1);
  return code;
}

static int finish(fg_device *device, job *j, fg_kernel **kernel) {
  int code = j->code;
  if (code) return fg_backend_fail(code, "%s", j->message ? j->message : "out of memory");
  code = load(device, j, kernel);
  if (!code && j->cubin && j->origin == FROM_PTX) mark(device, j->request);
  if (code != FG_ECOMPILE || j->origin == FROM_COMPILER) return code;
  code = replace(device, j);
  return code ? code : finish(device, j, kernel);
}

static bool equal(const fg_kernel_request *a, const fg_kernel_request *b) {
  return !strcmp(defines_of(a), defines_of(b)) && !strcmp(a->source, b->source) && !strcmp(a->entry, b->entry);
}

/* Decide where job i's cubin comes from.  Of equal requests only the first brings one. */
static int prepare(fg_device *device, job *jobs, int i) {
  job *j = &jobs[i];
  if (known(device, j)) return 0;
  for (int k = 0; k < i; ++k)
    if (equal(jobs[k].request, j->request)) return 0;
  return look(device, j);
}

static int all_kernels(fg_device *device, job *jobs, int count, fg_kernel **kernels) {
  int code = 0;
  for (int i = 0; i < count && !code; ++i) code = prepare(device, jobs, i);
  if (code) return code;
  compile_all(device, jobs, count);
  for (int i = 0; i < count && !code; ++i) code = finish(device, &jobs[i], &kernels[i]);
  return code;
}

static void free_jobs(job *jobs, int count) {
  for (int i = 0; i < count; ++i) {
    free(jobs[i].key);
    free(jobs[i].cubin);
    free(jobs[i].message);
  }
  free(jobs);
}

bool fg_cuda_kernels_kept(fg_device *device, int count, const fg_kernel_request *requests) {
  bool kept = !fg_driver_usable();
  for (int i = 0; i < count && kept; ++i) {
    job j = {.request = &requests[i]};
    kept = known(device, &j) || fg_installed_has(device->info.arch, j.request) || is_marked(device, j.request) ||
           (!make_key(device, j.request, &j.key) && fg_store_has(j.key, SUFFIX));
    free(j.key);
  }
  return kept;
}

int fg_cuda_kernels(fg_device *device, int count, const fg_kernel_request *requests, fg_kernel **kernels) {
  job *jobs;
  fenv_t environment;
  int code = fg_driver_usable(); /* before the first lock: a forked child may find it held for ever */
  if (code) return code;
  jobs = calloc((size_t)count + 1, sizeof *jobs);
  if (!jobs) return fg_backend_fail(FG_ENOMEM, "out of host memory");
  for (int i = 0; i < count; ++i) jobs[i].request = &requests[i];
  /* The compiler must not inherit the program's rounding mode or traps, nor leave exceptions behind. */
  fegetenv(&environment);
  fesetenv(FE_DFL_ENV);
  code = all_kernels(device, jobs, count, kernels);
  fesetenv(&environment);
  free_jobs(jobs, count);
  return code;
}
