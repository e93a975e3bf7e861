/* calibration_file.c: this machine's calibration: which it is, where it is kept, which is in force. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined __x86_64__ || defined __i386__
#include <cpuid.h>
#endif

#include "cuda/store.h"
#include "src/cost/calibration.h"
#include "src/report/log.h"

/* ---- which machine ---- */

#if defined __x86_64__ || defined __i386__
/* The processor says its name in three times sixteen characters. */
static bool cpu_brand(char text[49]) {
  unsigned words[12];
  for (unsigned i = 0; i < 3; i++) {
    unsigned *const w = &words[4 * i];
    if (!__get_cpuid(0x80000002u + i, &w[0], &w[1], &w[2], &w[3])) return false;
  }
  memcpy(text, words, 48);
  text[48] = '\0';
  return *text;
}
#else
/* AArch64: implementer, part and revision. */
static bool cpu_brand(char text[49]) {
  FILE *f = fopen("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "re");
  const bool read = f && fgets(text, 49, f);
  if (f) fclose(f);
  return read && *text;
}
#endif

/* One line, single blanks, nothing unprintable, never empty. */
static void tidy(char *to, size_t size, const char *from) {
  size_t at = 0;
  for (; *from && at + 1 < size; from++) {
    const char c = *from > ' ' && *from < 127 ? *from : ' ';
    if (c != ' ' || (at && to[at - 1] != ' ')) to[at++] = c;
  }
  while (at && to[at - 1] == ' ') at--;
  to[at] = '\0';
  if (!at) snprintf(to, size, "unknown");
}

void fg_calibration_machine(fg_machine *m) {
  char name[sizeof m->host] = "", brand[49] = "";
  gethostname(name, sizeof name - 1);
  cpu_brand(brand);
  tidy(m->host, sizeof m->host, name);
  tidy(m->cpu, sizeof m->cpu, brand);
  snprintf(m->device, sizeof m->device, "none");
}

void fg_calibration_name_device(fg_machine *m, const char *name) { tidy(m->device, sizeof m->device, name); }

/* ---- the file ---- */

/* Of what tune has measured, and of what programs have learned. */
static const char measured[] = "calibration", learned[] = "learned";
typedef char file_name[sizeof((fg_machine *)0)->host + 16];

static void name_file(const char *kind, const fg_machine *m, file_name name) {
  snprintf(name, sizeof(file_name), "%s-%s", kind, m->host);
  for (char *c = name; *c; c++)
    if (*c == '/') *c = '_';
}

static char *path_of(const char *name) {
  char *path;
  const char *folder = fg_store_folder();
  return folder && asprintf(&path, "%s/%s", folder, name) >= 0 ? path : NULL;
}

static const char *save(const char *kind, const fg_calibration *c, const fg_machine *m, char **path) {
  file_name name;
  char *text = NULL;
  size_t size = 0;
  name_file(kind, m, name);
  *path = path_of(name);
  if (!*path) return "there is no folder for it: neither FFTW3_GPU_CACHE nor a home";
  FILE *f = open_memstream(&text, &size);
  if (!f) return "out of memory";
  fg_calibration_print(f, c, m);
  fclose(f);
  const int error = text ? fg_store_write(name, text, size) : ENOMEM;
  free(text);
  return error ? fg_error_text(error) : NULL;
}

const char *fg_calibration_save(const fg_calibration *c, const fg_machine *m, char **path) {
  return save(measured, c, m, path);
}

/* ---- in force ---- */

static fg_calibration current; /* the file's, or the defaults */
static fg_calibration host_only; /* the same without the GPU's figures */
static _Atomic(const fg_calibration *) in_force;
static fg_machine measured_on;
static const char *source = "defaults";
static bool tuned;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool same_machine(const fg_machine *a, const fg_machine *b) {
  return !strcmp(a->host, b->host) && !strcmp(a->cpu, b->cpu);
}

static void damaged(const char *kind, const char *path) {
  if (kind == measured)
    fg_log_setting("calibration", path, "damaged; the defaults stand (fftw3-gpu tune makes it anew)");
  else fg_log(FG_LOG_WARN, "%s is damaged: the defaults stand", path); /* it will be written anew */
}

static void take_text(const char *kind, const char *path, const char *text, const fg_machine *here) {
  fg_calibration read;
  fg_machine of;
  if (!fg_calibration_parse(text, &read, &of)) {
    damaged(kind, path);
    return;
  }
  if (!same_machine(&of, here)) {
    fg_log(FG_LOG_WARN, "%s is of another machine (%s, %s): the defaults stand", path, of.host, of.cpu);
    return;
  }
  current = read;
  measured_on = of;
  source = path;
}

static void forget_device(void) {
  for (const fg_coefficient *k = fg_coefficients; k->name; k++)
    if (k->gpu)
      memcpy((char *)&host_only + k->offset, (const char *)&fg_calibration_defaults + k->offset, sizeof(double));
}

/* Whether there is a file of that kind, good or not. */
static bool take_file(const char *kind, const fg_machine *here) {
  file_name name;
  name_file(kind, here, name);
  char *const text = fg_store_read(name), *const path = text ? path_of(name) : NULL;
  if (path) take_text(kind, path, text, here);
  if (path && source != path) free(path);
  free(text);
  return path != NULL;
}

static void load(void) {
  const int saved = errno;
  fg_machine here;
  fg_calibration_machine(&here);
  current = fg_calibration_defaults;
  tuned = take_file(measured, &here);
  /* What is learned may send a plan elsewhere in the next run: not what steady promises. */
  if (!tuned && fg_settings_get()->mode != FG_MODE_STEADY) take_file(learned, &here);
  host_only = current;
  forget_device();
  const fg_calibration *none = NULL;
  atomic_compare_exchange_strong(&in_force, &none, &current);
  errno = saved;
}

const fg_calibration *fg_calibration_get(void) {
  const fg_calibration *c = atomic_load_explicit(&in_force, memory_order_acquire);
  if (c) return c;
  pthread_once(&once, load);
  return atomic_load(&in_force);
}

const char *fg_calibration_source(void) {
  fg_calibration_get();
  return source;
}

/* A tune that came meanwhile is left alone too: its file has another name. */
const char *fg_calibration_keep_learned(const fg_calibration *c, const char *device) {
  fg_machine m;
  char *path;
  if (tuned) return "this machine was tuned";
  fg_calibration_machine(&m);
  if (device) fg_calibration_name_device(&m, device);
  else if (*measured_on.device) snprintf(m.device, sizeof m.device, "%s", measured_on.device);
  const char *why = save(learned, c, &m, &path);
  free(path);
  return why;
}

void fg_calibration_device(const char *name) {
  char tidied[sizeof measured_on.device];
  const fg_calibration *from_file = &current;
  fg_calibration_get();
  tidy(tidied, sizeof tidied, name);
  const bool of_any = !*measured_on.device || !strcmp(measured_on.device, "none");
  if (of_any || !strcmp(measured_on.device, tidied)) return;
  if (atomic_compare_exchange_strong(&in_force, &from_file, &host_only))
    fg_log(FG_LOG_WARN, "%s is of another device (%s): its figures of the GPU are not used, the defaults are", source, measured_on.device);
}

void fg_calibration_use(const fg_calibration *c) { atomic_store(&in_force, c); }
