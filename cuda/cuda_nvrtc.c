/* cuda_nvrtc.c: finds NVRTC and compiles kernels with it. */
#include "config.h"

#include "cuda/cuda_nvrtc.h"

#include <dlfcn.h>
#include <nvrtc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/backend.h"
#include "cuda/usage.h"
#include "src/report/log.h"
#include "src/report/settings.h"

#ifndef FG_NVRTC_DIR
#define FG_NVRTC_DIR ""
#endif

#define NVRTC_FUNCTIONS(FN)     \
  FN(nvrtcVersion)              \
  FN(nvrtcGetErrorString)       \
  FN(nvrtcGetNumSupportedArchs) \
  FN(nvrtcGetSupportedArchs)    \
  FN(nvrtcCreateProgram)        \
  FN(nvrtcCompileProgram)       \
  FN(nvrtcGetProgramLogSize)    \
  FN(nvrtcGetProgramLog)        \
  FN(nvrtcGetCUBINSize)         \
  FN(nvrtcGetCUBIN)             \
  FN(nvrtcGetPTXSize)           \
  FN(nvrtcGetPTX)               \
  FN(nvrtcDestroyProgram)

#define MAX_ARCHS 64
#define MAX_LOG_IN_MESSAGE 1500

static struct {
#define MEMBER(name) __typeof__(name) *name;
  NVRTC_FUNCTIONS(MEMBER)
#undef MEMBER
  int version; /* or FG_ECOMPILE */
  int arch_count, archs[MAX_ARCHS]; /* that it makes cubins for */
} rtc;

/* Every embedded source is offered as a header, under the name that the others include it by. */
static struct {
  int count;
  const char **names, **texts;
} headers;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int driver_version; /* 0: unknown, anything goes */

/* ---- loading ---- */

static bool resolve(void *library) {
#define RESOLVE(name) \
  if (!(*(void **)&rtc.name = dlsym(library, #name))) return false;
  NVRTC_FUNCTIONS(RESOLVE)
#undef RESOLVE
  return true;
}

static bool query(void) {
  int major = 0, minor = 0, count = 0;
  if (rtc.nvrtcVersion(&major, &minor) || rtc.nvrtcGetNumSupportedArchs(&count)) return false;
  if (count < 1 || count > MAX_ARCHS || rtc.nvrtcGetSupportedArchs(rtc.archs)) return false;
  rtc.version = 1000 * major + 10 * minor;
  rtc.arch_count = count;
  return true;
}

/* NVRTC opens these by their plain name, and there are builds of it (of CUDA 13.0) that do not look in their own folder: then
 * they have to be loaded before. */
static void load_builtins(void) {
  char path[4096];
  Dl_info nvrtc;
  const char *const slash = dladdr((void *)rtc.nvrtcVersion, &nvrtc) ? strrchr(nvrtc.dli_fname, '/') : NULL;
  if (!slash) return;
  const int length = snprintf(path, sizeof path, "%.*s/libnvrtc-builtins.so.%d.%d", (int)(slash - nvrtc.dli_fname),
                              nvrtc.dli_fname, rtc.version / 1000, rtc.version % 1000 / 10);
  if (length < (int)sizeof path) dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* newer: take it even if its major version is above the driver's. */
static bool try_file(const char *path, bool newer) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return false;
  if (resolve(library) && query() && (newer || !driver_version || rtc.version / 1000 <= driver_version / 1000)) {
    fg_log(FG_LOG_DEBUG, "cuda: NVRTC %d.%d from %s", rtc.version / 1000, rtc.version % 1000 / 10, path);
    load_builtins();
    return true;
  }
  dlclose(library);
  return false;
}

static const char *const file_names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
enum { FILE_NAMES = sizeof file_names / sizeof *file_names };

static bool try_folder(const char *folder, const char *below, bool newer) {
  char path[4096];
  if (!folder || !*folder) return false;
  for (int i = 0; i < FILE_NAMES; ++i) {
    int length = snprintf(path, sizeof path, "%s%s/%s", folder, below, file_names[i]);
    if (length < (int)sizeof path && try_file(path, newer)) return true;
  }
  return false;
}

static bool try_all(bool newer) {
  for (int i = 0; i < FILE_NAMES; ++i)
    if (try_file(file_names[i], newer)) return true;
  return try_folder(FG_NVRTC_DIR, "", newer) || try_folder(secure_getenv("CUDA_HOME"), "/lib64", newer) ||
         try_folder(secure_getenv("CUDA_PATH"), "/lib64", newer);
}

static bool list_headers(void) {
  int count = 0;
  while (fg_embedded_sources[count].name) ++count;
  headers.names = calloc((size_t)count + 1, sizeof *headers.names);
  headers.texts = calloc((size_t)count + 1, sizeof *headers.texts);
  if (!headers.names || !headers.texts) return false;
  for (int i = 0; i < count; ++i) {
    headers.names[i] = fg_embedded_sources[i].name;
    headers.texts[i] = fg_embedded_sources[i].text;
  }
  headers.count = count;
  return true;
}

static void load(void) {
  const char *named = fg_settings_get()->nvrtc;
  bool found = named ? try_file(named, true) : try_all(false) || try_all(true);
  if (!found || !list_headers()) rtc.version = FG_ECOMPILE;
}

static int missing(void) {
  const char *named = fg_settings_get()->nvrtc;
  if (named) return fg_backend_fail(FG_ECOMPILE, "FFTW3_GPU_NVRTC=%s cannot be loaded as NVRTC", named);
  return fg_backend_fail(FG_ECOMPILE,
                         "NVRTC (libnvrtc.so.13 or .12) was found neither by the loader nor in \"%s\", CUDA_HOME or "
                         "CUDA_PATH; FFTW3_GPU_NVRTC=file names it",
                         FG_NVRTC_DIR);
}

int fg_nvrtc_version(void) {
  pthread_once(&once, load);
  return rtc.version > 0 ? rtc.version : missing();
}

void fg_nvrtc_for_driver(int version) { driver_version = version; }

/* ---- target and options ---- */

/* The newest architecture up to arch that this NVRTC knows; 0 if there is none. */
static int nearest_arch(int arch) {
  int nearest = 0;
  for (int i = 0; i < rtc.arch_count; ++i)
    if (rtc.archs[i] <= arch && rtc.archs[i] > nearest) nearest = rtc.archs[i];
  return nearest;
}

typedef struct {
  bool ptx; /* for the driver to finish: arch is newer than this NVRTC */
  int arch; /* that it is compiled for */
  char architecture[40];
} target;

static int target_of(int arch, target *t) {
  int nearest;
  if (fg_nvrtc_version() < 0) return FG_ECOMPILE;
  nearest = nearest_arch(arch);
  if (!nearest)
    return fg_backend_fail(FG_ECOMPILE, "NVRTC %d.%d no longer compiles for sm_%d", rtc.version / 1000,
                           rtc.version % 1000 / 10, arch);
  t->ptx = nearest != arch;
  t->arch = nearest;
  snprintf(t->architecture, sizeof t->architecture, "--gpu-architecture=%s_%d", t->ptx ? "compute" : "sm", nearest);
  return 0;
}

static const char *const fixed_options[] = {FG_NVRTC_STANDARD, FG_NVRTC_FUSED};
enum { FIXED_OPTIONS = sizeof fixed_options / sizeof *fixed_options };

int fg_nvrtc_options_text(int arch, char *text, size_t size) {
  target t;
  int code = target_of(arch, &t);
  if (!code) snprintf(text, size, "%s %s", t.architecture, FG_NVRTC_OPTIONS);
  return code;
}

/* ---- compiling ---- */

static int out_of_memory(void) { return fg_backend_fail(FG_ECOMPILE, "out of memory while compiling a kernel"); }

/* Defines, then the source, numbered from 1 again so that messages point into the file. */
static char *whole_text(const char *name, const char *text, const char *defines) {
  char *whole;
  return asprintf(&whole, "%s\n#line 1 \"%s\"\n%s", defines ? defines : "", name, text) < 0 ? NULL : whole;
}

/* The compiler's log, malloc'd; NULL if it said nothing. */
static char *log_of(nvrtcProgram program) {
  size_t size = 0;
  char *log;
  if (rtc.nvrtcGetProgramLogSize(program, &size) || size <= 1) return NULL;
  log = calloc(1, size + 1);
  if (log && rtc.nvrtcGetProgramLog(program, log) == NVRTC_SUCCESS) return log;
  free(log);
  return NULL;
}

/* further: an option, or NULL. */
static int compile(nvrtcProgram program, const char *name, const target *t, const char *further) {
  const char *options[2 + FIXED_OPTIONS] = {t->architecture};
  nvrtcResult result;
  char *log;
  memcpy(options + 1, fixed_options, sizeof fixed_options);
  options[1 + FIXED_OPTIONS] = further;
  result = rtc.nvrtcCompileProgram(program, 1 + FIXED_OPTIONS + (further != NULL), options);
  log = log_of(program);
  fg_log(FG_LOG_DEBUG, "cuda: compiled %s for %s%s%s", name, t->architecture, log && *log ? ": " : "", log ? log : "");
  if (result)
    fg_backend_fail(FG_ECOMPILE, "%s, %s: %s: %.*s", name, t->architecture, rtc.nvrtcGetErrorString(result),
                    MAX_LOG_IN_MESSAGE, log ? log : "no log");
  free(log);
  return result ? FG_ECOMPILE : 0;
}

static int fetch(nvrtcProgram program, bool ptx, void **cubin, size_t *bytes) {
  size_t size = 0;
  char *blob = NULL;
  nvrtcResult result = ptx ? rtc.nvrtcGetPTXSize(program, &size) : rtc.nvrtcGetCUBINSize(program, &size);
  if (!result && size && (blob = malloc(size)))
    result = ptx ? rtc.nvrtcGetPTX(program, blob) : rtc.nvrtcGetCUBIN(program, blob);
  if (result || !blob) {
    free(blob);
    return fg_backend_fail(FG_ECOMPILE, "NVRTC gave no code: %s", rtc.nvrtcGetErrorString(result));
  }
  *cubin = blob;
  *bytes = size;
  return 0;
}

/* A compiled program, to be destroyed, or FG_ECOMPILE. */
static int compile_text(const char *source_name, const char *text, const char *defines, const target *t,
                        const char *further, nvrtcProgram *program) {
  char *whole = whole_text(source_name, text, defines);
  if (!whole) return out_of_memory();
  nvrtcResult result =
      rtc.nvrtcCreateProgram(program, whole, source_name, headers.count, headers.texts, headers.names);
  free(whole);
  if (result) return fg_backend_fail(FG_ECOMPILE, "nvrtcCreateProgram: %s", rtc.nvrtcGetErrorString(result));
  const int code = compile(*program, source_name, t, further);
  if (code) rtc.nvrtcDestroyProgram(program);
  return code;
}

/* False if that is not known. */
static bool usage_of(nvrtcProgram program, int arch, fg_usage *u) {
  void *cubin;
  size_t bytes;
  if (fetch(program, false, &cubin, &bytes)) return false;
  const bool known = fg_usage_of(cubin, bytes, u);
  free(cubin);
  u->loses_stack = u->loses_stack && arch >= 70;
  return known;
}

static bool is_better(const fg_usage *a, const fg_usage *b) {
  return a->loses_stack == b->loses_stack ? a->spilled < b->spilled : b->loses_stack;
}

/* Compile it again with a further option, and take that if it is better. */
static void try_option(const char *source_name, const char *text, const char *defines, const target *t,
                       const char *further, nvrtcProgram *program, fg_usage *u) {
  nvrtcProgram other;
  fg_usage others;
  if (compile_text(source_name, text, defines, t, further, &other)) return; /* an old compiler: no such option */
  if (usage_of(other, t->arch, &others) && is_better(&others, u)) {
    nvrtcProgram first = *program;
    *program = other;
    *u = others;
    other = first;
  }
  rtc.nvrtcDestroyProgram(&other);
}

/* The same; what does not fit the registers is compiled sparingly, if that helps; what loses its stack with less
 * optimization, and refused if that does not help. */
static int compile_fitting(const char *source_name, const char *text, const char *defines, const target *t,
                           nvrtcProgram *program) {
  const int code = compile_text(source_name, text, defines, t, NULL, program);
  fg_usage u;
  if (code || t->ptx || !usage_of(*program, t->arch, &u)) return code;
  if (u.spilled) try_option(source_name, text, defines, t, FG_NVRTC_SPARING, program, &u);
  if (u.loses_stack) try_option(source_name, text, defines, t, FG_NVRTC_CAREFUL, program, &u);
  if (!u.loses_stack) return 0;
  rtc.nvrtcDestroyProgram(program);
  return fg_backend_fail(FG_ECOMPILE, "%s, %s: the compiler loses the address of what it spills", source_name, t->architecture);
}

int fg_nvrtc_compile(const char *source_name, const char *text, const char *defines, int arch, void **cubin,
                     size_t *bytes) {
  nvrtcProgram program;
  target t;
  int code = target_of(arch, &t);
  if (!code) code = compile_fitting(source_name, text, defines, &t, &program);
  if (code) return code;
  code = fetch(program, t.ptx, cubin, bytes);
  rtc.nvrtcDestroyProgram(&program);
  return code;
}

int fg_nvrtc_compile_both(const char *source_name, const char *text, const char *defines, int arch,
                          fg_nvrtc_output *o) {
  nvrtcProgram program;
  target t;
  int code = target_of(arch, &t);
  if (!code && t.ptx) code = fg_backend_fail(FG_ECOMPILE, "this NVRTC does not know sm_%d", arch);
  if (!code) code = compile_fitting(source_name, text, defines, &t, &program);
  if (code) return code;
  *o = (fg_nvrtc_output){0};
  code = fetch(program, false, &o->cubin, &o->cubin_bytes);
  if (!code) code = fetch(program, true, &o->ptx, &o->ptx_bytes);
  if (code) free(o->cubin);
  rtc.nvrtcDestroyProgram(&program);
  return code;
}

const char *fg_nvrtc_source(const char *source) {
  if (strchr(source, '\n')) return source;
  for (const fg_embedded *file = fg_embedded_sources; file->name; ++file)
    if (!strcmp(file->name, source)) return file->text;
  return NULL;
}
