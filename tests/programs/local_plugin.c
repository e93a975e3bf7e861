/* local_plugin.c: a program without FFTW that loads a module linked to FFTW with RTLD_LOCAL, as an interpreter
 * loads its extensions; then a second time, after unloading it. Argument: the module. */
#include <dlfcn.h>
#include <stdio.h>

#include "tests/programs/show.h"

static int use(const char *path) {
  void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!module) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  void (*transform)(void) = (void (*)(void))dlsym(module, "plugin_transform");
  if (!transform) return 1;
  transform();
  return dlclose(module);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  show_text("before", "%s", "loading");
  return use(argv[1]) || use(argv[1]);
}
