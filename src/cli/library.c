/* library.c: where the preloadable library is, from where this program is. */
#include "src/cli/cli.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/installed.h"

/* The folder of this program; "" if it cannot be told. */
static void program_folder(char folder[PATH_MAX]) {
  ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);
  folder[length < 0 ? 0 : length] = 0;
  char *slash = strrchr(folder, '/');
  if (slash) *slash = 0;
}

static bool try_path(char *path, size_t size, const char *folder, const char *below, const char *file) {
  int n = snprintf(path, size, "%s/%s%s", folder, below, file);
  return n > 0 && (size_t)n < size && !access(path, R_OK);
}

/* Where it was installed, also if all of that was moved since. */
static bool try_beside(char *path, size_t size, const char *folder, const char *file) {
  char below[PATH_MAX], joined[2 * PATH_MAX];
  fg_installed_beside(below);
  snprintf(joined, sizeof joined, "%s/%s", folder, below);
  char *const libraries = *folder ? realpath(joined, NULL) : NULL; /* without "..", as people know it */
  const bool there = libraries && try_path(path, size, libraries, "", file);
  free(libraries);
  return there;
}

static bool find(const char *file, char *path, size_t size) {
  char folder[PATH_MAX];
  program_folder(folder);
  const char *last = strrchr(folder, '/');
  const bool libtools = last && !strcmp(last, "/.libs"); /* libtool's real program */
  if (libtools && try_path(path, size, folder, "", file)) return true;
  if (*folder && try_path(path, size, folder, ".libs/", file)) return true; /* the build folder */
  return try_beside(path, size, folder, file) || try_path(path, size, FG_LIBDIR, "", file);
}

bool fg_cli_library(char *path, size_t size) { return find("libfftw3_gpu.so", path, size); }

/* Another library of the same build: in the same folder. */
static bool find_beside_library(const char *file, char *path, size_t size) {
  fg_cli_library(path, size);
  char *const folder = strdup(path), *const slash = folder ? strrchr(folder, '/') : NULL;
  if (slash) *slash = 0;
  const bool found = slash && try_path(path, size, folder, "", file);
  free(folder);
  return found;
}

bool fg_cli_lookup_library(char *path, size_t size) { return find_beside_library("libfftw3_gpu_lookup.so", path, size); }

bool fg_cli_watch_library(char *path, size_t size) { return find_beside_library("libfftw3_gpu_watch.so", path, size); }
