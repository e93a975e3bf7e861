/* info.c: `fftw3-gpu info` tells what the library finds on this machine, with or without a GPU. */
#define _GNU_SOURCE
#include "config.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cuda/backend.h"
#include "cuda/installed.h"
#include "cuda/store.h"
#include "src/cli/cli.h"
#include "src/cost/calibration.h"
#include "src/plan/doubles.h"
#include "src/report/settings.h"
#include "src/run/target.h"

static void print_library(void) {
  char path[PATH_MAX];
  bool found = fg_cli_library(path, sizeof path);
  printf("library        %s%s\n", path, found ? "" : " (missing)");
}

/* The program itself is not preloaded, so that this is what a program would find. */
static void print_fftw(const char *precision, const char *file, const char *path, const char *symbol) {
  void *fftw = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
  if (!fftw && *path) fftw = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  const char *version = fftw ? dlsym(fftw, symbol) : NULL;
  Dl_info where;
  if (!version) printf("FFTW %-9s none: %s was not found\n", precision, file);
  else printf("FFTW %-9s %s, %s\n", precision, version, dladdr(version, &where) ? where.dli_fname : file);
}

/* What becomes of double precision on a device if nobody says. */
static const char *doubles_there(const fg_device_info *i) {
  const fg_problem p = {.precision = FG_DOUBLE, .compute = FG_DOUBLE};
  return fg_doubles_object(&p, i) ? "slow" : "fast";
}

static void print_device(const fg_backend *b, int ordinal) {
  fg_device *device;
  if (b->open(ordinal, &device)) {
    printf("%-14s device %d: %s\n", b->name, ordinal, fg_backend_message());
    return;
  }
  const fg_device_info *i = b->info(device);
  printf("%-14s device %d: %s, compute capability %d.%d, %d multiprocessors, %.1f GiB", b->name, ordinal, i->name,
         i->arch / 10, i->arch % 10, i->multiprocessors, (double)i->memory / (1 << 30));
  printf(", %s in double precision", doubles_there(i));
  printf(*i->driver ? ", driver %s\n" : "%s\n", i->driver);
}

static void print_backend(const fg_backend *b) {
  int count = b->count();
  if (count < 0) printf("%-14s none: %s\n", b->name, fg_backend_message());
  if (count == 0) printf("%-14s none: no device\n", b->name);
  for (int d = 0; d < count; d++)
    print_device(b, d);
}

/* As programs do it: a wrong choice is told of, and figures of another device are not those in force. */
static void choose(void) {
  const fg_backend *b = fg_target_backend();
  const char *why;
  const fg_target *t = b && b->count() > 0 ? fg_target_get(&why) : NULL;
  if (t) fg_calibration_device(t->info->name);
}

static void print_backends(void) {
#ifdef HAVE_CUDA
  print_backend(&fg_backend_cuda);
#else
  printf("cuda           none: built without CUDA\n");
#endif
  print_backend(&fg_backend_sim);
  choose();
}

static void print_kernels(void) {
  const char *folder = fg_store_folder(), *trouble = fg_store_trouble(), *path;
  const fg_archive *a = fg_installed_archive(&path);
  if (folder) printf(trouble ? "kernels        not kept: %s: %s\n" : "kernels        %s\n", folder, trouble);
  else printf("kernels        not kept: no folder for them\n");
  if (a) printf("               and %d of %s, by %s\n", fg_archive_count(a), path, fg_archive_compiler(a));
  else printf("               none came with the library%s%s\n", *path ? " that can be used: " : "", path);
}

static void print_calibration(void) {
  const fg_calibration *c = fg_calibration_get();
  const char *source = fg_calibration_source();
  fg_machine m;
  fg_calibration_machine(&m);
  printf("machine        %s, %s\n", m.host, m.cpu);
  const bool tuned = strstr(source, "/calibration-") != NULL;
  printf("calibration    %s%s\n", source, tuned ? "" : " (fftw3-gpu tune measures this machine)");
  for (const fg_coefficient *k = fg_coefficients; k->name; k++)
    printf("  %-16s %8.4g %-8s %s\n", k->name, *(const double *)((const char *)c + k->offset) / k->scale, k->unit,
           k->meaning);
}

static void print_settings(void) {
  const fg_settings *s = fg_settings_get();
  printf("\n%-22s %-22s %s\n", "setting", "in force", "takes");
  for (const fg_setting *t = fg_setting_table; t->name; t++) {
    char value[PATH_MAX];
    t->show(s, value, sizeof value);
    printf("%-22s %-22s %s\n", t->name, *value ? value : "default", t->takes);
  }
}

static int info_main(int argc, char **argv) {
  int status;
  if (!fg_cli_no_options(&fg_command_info, argc, argv, &status)) return status;
  printf("version        %s\n", PACKAGE_VERSION);
  print_library();
  print_fftw("single", "libfftw3f.so.3", FFTW3F_PATH, "fftwf_version");
  print_fftw("double", "libfftw3.so.3", FFTW3_PATH, "fftw_version");
  print_backends();
  print_kernels();
  print_calibration();
  print_settings();
  return 0;
}

const fg_command fg_command_info = {
    .name = "info",
    .synopsis = "",
    .summary = "Tell what is found here: devices, driver, FFTW, settings",
    .help = "",
    .main = info_main,
};
