/* settings.c: the environment variables FFTW3_GPU…, as one table. */
#define _GNU_SOURCE
#include "src/report/settings.h"

#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/report/misspelt.h"
#include "src/report/standard_error.h"

/* ---- words ---- */

static const char *const modes[] = {[FG_MODE_AUTO] = "auto", [FG_MODE_STEADY] = "steady",
                                   [FG_MODE_OFF] = "off", [FG_MODE_FORCE] = "force", NULL};
static const char *const backends[] = {"cuda", "sim", NULL}; /* index: settings.sim */
static const char *const pins[] = {
    [FG_PIN_OWN] = "own", [FG_PIN_REGISTER] = "register", [FG_PIN_NEVER] = "never", NULL};
static const char *const doubles[] = {[FG_DOUBLES_AUTO] = "",
                                      [FG_DOUBLES_HOST] = "host",
                                      [FG_DOUBLES_SINGLE] = "single",
                                      [FG_DOUBLES_DOUBLE] = "double",
                                      NULL};
const char *const fg_level_names[] = {
    [FG_LOG_NONE] = "none", [FG_LOG_ERROR] = "error", [FG_LOG_WARN] = "warn",
    [FG_LOG_INFO] = "info", [FG_LOG_DEBUG] = "debug", NULL};

/* The index of value among words, or -1. */
static int word(const char *value, const char *const *words) {
  for (int i = 0; words[i]; i++)
    if (!strcmp(value, words[i])) return i;
  return -1;
}

static bool parse_mode(const char *value, fg_settings *s) {
  int i = word(value, modes);
  if (i >= 0) s->mode = (enum fg_mode)i;
  return i >= 0;
}

static void show_mode(const fg_settings *s, char *text, size_t size) { snprintf(text, size, "%s", modes[s->mode]); }

static bool parse_backend(const char *value, fg_settings *s) {
  int i = word(value, backends);
  if (i >= 0) s->sim = i;
  return i >= 0;
}

static void show_backend(const fg_settings *s, char *text, size_t size) {
  snprintf(text, size, "%s", backends[s->sim]);
}

static bool parse_pin(const char *value, fg_settings *s) {
  int i = word(value, pins);
  if (i >= 0) s->pin = (enum fg_pin)i;
  return i >= 0;
}

static void show_pin(const fg_settings *s, char *text, size_t size) { snprintf(text, size, "%s", pins[s->pin]); }

static bool parse_doubles(const char *value, fg_settings *s) {
  int i = word(value, doubles);
  if (i > FG_DOUBLES_AUTO) s->doubles = (enum fg_doubles)i;
  return i > FG_DOUBLES_AUTO;
}

static void show_doubles(const fg_settings *s, char *text, size_t size) {
  snprintf(text, size, "%s", doubles[s->doubles]);
}

static bool parse_level(const char *value, fg_settings *s) {
  int i = word(value, fg_level_names);
  if (i <= FG_LOG_NONE) return false;
  s->log_level = (enum fg_level)i;
  return true;
}

static void show_level(const fg_settings *s, char *text, size_t size) {
  snprintf(text, size, "%s", fg_level_names[s->log_level]);
}

/* ---- paths ---- */

/* value as an absolute path, never freed; NULL if it cannot be one. */
static const char *absolute(const char *value) {
  char folder[PATH_MAX], *path;
  if (strlen(value) >= PATH_MAX) return NULL;
  if (*value == '/') return strdup(value);
  if (!getcwd(folder, sizeof folder) || asprintf(&path, "%s/%s", folder, value) < 0) return NULL;
  return path;
}

/* A path that is, or may become, a folder or a file. */
static bool parse_path(const char *value, bool folder, const char **into) {
  struct stat st;
  if (!stat(value, &st) && !S_ISDIR(st.st_mode) == folder) return false;
  const char *path = absolute(value);
  if (path) *into = path;
  return path != NULL;
}

static bool parse_cache(const char *value, fg_settings *s) { return parse_path(value, true, &s->cache); }
static bool parse_log_file(const char *value, fg_settings *s) { return parse_path(value, false, &s->log_file); }
static bool parse_trace(const char *value, fg_settings *s) { return parse_path(value, false, &s->trace); }

/* A name without a slash is for the loader. */
static bool parse_nvrtc(const char *value, fg_settings *s) {
  if (strchr(value, '/')) return parse_path(value, false, &s->nvrtc);
  const char *name = strdup(value);
  if (name) s->nvrtc = name;
  return name != NULL;
}

static bool parse_report(const char *value, fg_settings *s) {
  if (strcmp(value, "-")) return parse_path(value, false, &s->report);
  s->report = "-";
  return true;
}

static void show_path(const char *path, char *text, size_t size) { snprintf(text, size, "%s", path ? path : ""); }
static void show_cache(const fg_settings *s, char *text, size_t size) { show_path(s->cache, text, size); }
static void show_log_file(const fg_settings *s, char *text, size_t size) { show_path(s->log_file, text, size); }
static void show_nvrtc(const fg_settings *s, char *text, size_t size) { show_path(s->nvrtc, text, size); }
static void show_report(const fg_settings *s, char *text, size_t size) { show_path(s->report, text, size); }
static void show_trace(const fg_settings *s, char *text, size_t size) { show_path(s->trace, text, size); }

/* ---- numbers ---- */

static bool parse_copy_threads(const char *value, fg_settings *s) {
  char *end;
  long n = *value >= '1' && *value <= '9' ? strtol(value, &end, 10) : 0;
  if (n < 1 || n > 64 || *end) return false;
  s->copy_threads = (int)n;
  return true;
}

static void show_copy_threads(const fg_settings *s, char *text, size_t size) {
  *text = '\0';
  if (s->copy_threads) snprintf(text, size, "%d", s->copy_threads);
}

static bool parse_device(const char *value, fg_settings *s) {
  char *end;
  const long n = *value >= '0' && *value <= '9' ? strtol(value, &end, 10) : -1;
  if (n < 0 || n > INT_MAX || *end) return false;
  s->device = (int)n;
  return true;
}

static void show_device(const fg_settings *s, char *text, size_t size) {
  *text = '\0';
  if (s->device >= 0) snprintf(text, size, "%d", s->device);
}

/* The powers of 1024 that a letter stands for; -1: none. */
static int powers(char letter) {
  static const char letters[] = "KMGT";
  const char *at = letter ? strchr(letters, letter) : NULL;
  return at ? 1 + (int)(at - letters) : -1;
}

static bool parse_memory(const char *value, fg_settings *s) {
  char *end;
  errno = 0;
  const unsigned long long n = *value >= '1' && *value <= '9' ? strtoull(value, &end, 10) : 0;
  if (n == 0 || errno) return false;
  if (!strcmp(end, "%")) {
    if (n > 100) return false;
    s->memory_percent = (double)n;
    return true;
  }
  const int shift = *end ? 10 * powers(*end) : 0;
  if (shift < 0 || (*end && end[1]) || n > SIZE_MAX >> shift) return false;
  s->memory = (size_t)n << shift;
  return true;
}

static void show_memory(const fg_settings *s, char *text, size_t size) {
  *text = '\0';
  if (s->memory) snprintf(text, size, "%zu", s->memory);
  else if (s->memory_percent > 0) snprintf(text, size, "%g%%", s->memory_percent);
}

/* In the C locale: a program may have set another before its first plan. */
static bool parse_verify(const char *value, fg_settings *s) {
  if (!strcmp(value, "auto")) return s->verify = FG_VERIFY_AUTO, true;
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (!c) return false;
  char *end;
  double tolerance = strtod_l(value, &end, c);
  freelocale(c);
  if (end == value || *end || !isfinite(tolerance) || tolerance < 0) return false;
  s->verify = tolerance;
  return true;
}

static void show_verify(const fg_settings *s, char *text, size_t size) {
  *text = '\0';
  if (s->verify == FG_VERIFY_AUTO) snprintf(text, size, "auto");
  else if (s->verify > 0) snprintf(text, size, "%g", s->verify);
}

/* ---- the table ---- */

const fg_setting fg_setting_table[] = {
    {"FFTW3_GPU", "auto|steady|off|force",
     "the GPU where it is faster; the same, but no plan changes sides later; never; wherever it can", parse_mode,
     show_mode},
    {"FFTW3_GPU_BACKEND", "cuda|sim", "run kernels on the GPU, or the same kernels on the CPU", parse_backend,
     show_backend},
    {"FFTW3_GPU_CACHE", "FOLDER", "where compiled kernels and the calibration are kept", parse_cache, show_cache},
    {"FFTW3_GPU_COPY_THREADS", "1-64", "threads that copy between arrays and staging; default by the machine",
     parse_copy_threads, show_copy_threads},
    {"FFTW3_GPU_DEVICE", "a number from 0", "which of the visible GPUs; default by the local MPI rank", parse_device,
     show_device},
    {"FFTW3_GPU_DOUBLE", "host|single|double",
     "double precision: real FFTW; computed in single, arrays stay double; computed in double; default: double on GPUs "
     "made for it and with FFTW3_GPU=force, else host",
     parse_doubles, show_doubles},
    {"FFTW3_GPU_LOG", "error|warn|info|debug", "how much to tell", parse_level, show_level},
    {"FFTW3_GPU_LOG_FILE", "FILE", "append the log there, at level info if no other is set; else to stderr",
     parse_log_file, show_log_file},
    {"FFTW3_GPU_MEMORY", "BYTES, with K, M, G or T behind, or PERCENT%",
     "device memory that this process may have; default: 90 % of what is free, shared among MPI ranks", parse_memory,
     show_memory},
    {"FFTW3_GPU_NVRTC", "FILE", "the NVRTC that compiles kernels; else the loader's, the build's or CUDA_HOME's",
     parse_nvrtc, show_nvrtc},
    {"FFTW3_GPU_PIN", "own|register|never",
     "pin memory that GPU plans use: of fftwf_malloc, any (with libfftw3_gpu_watch.so preloaded), or none", parse_pin,
     show_pin},
    {"FFTW3_GPU_REPORT", "-|FILE",
     "at exit, tell of each problem where it ran and why; - is stderr, %p in a name the process's number",
     parse_report, show_report},
    {"FFTW3_GPU_TRACE", "FILE", "write every FFTW call there, for 'fftw3-gpu replay'; %p is the process's number",
     parse_trace, show_trace},
    {"FFTW3_GPU_VERIFY", "TOLERANCE, a number above 0, or auto",
     "compare every GPU result with FFTW's, which is taken where the relative L2 error is larger; auto: 1e-5 in "
     "single, 1e-13 in double precision; 0 is off",
     parse_verify, show_verify},
    {NULL, NULL, NULL, NULL, NULL}};

const fg_setting *fg_setting_named(const char *name) {
  const fg_setting *s = fg_setting_table;
  while (strcmp(s->name, name)) s++;
  return s;
}

/* Not by the log, whose own settings may be the bad ones. */
static void complain(const fg_setting *setting, const char *value) {
  char line[512];
  int n = snprintf(line, sizeof line, "fftw3-gpu: error: %s=%.200s: it takes %s; the default stands\n", setting->name,
                   value, setting->takes);
  if (n > 0) fg_standard_error_write(line, (size_t)n);
}

static fg_settings settings = {.device = -1};

static void read_all(void) {
  const int saved = errno;
  for (const fg_setting *s = fg_setting_table; s->name; s++) {
    const char *value = secure_getenv(s->name);
    if (value && *value && !s->parse(value, &settings)) complain(s, value);
  }
  fg_misspelt_tell();
  if (settings.log_file && settings.log_level == FG_LOG_NONE) settings.log_level = FG_LOG_INFO;
  errno = saved;
}

const fg_settings *fg_settings_get(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, read_all);
  return &settings;
}
