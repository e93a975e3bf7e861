/* watch.c: between the watching library and the arena. */
#define _GNU_SOURCE
#include "src/run/arena/watch.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "src/report/log.h"
#include "src/report/settings.h"
#include "src/run/arena/arena.h"
#include "src/watch/watch.h"

_Static_assert(FG_WATCH_SMALLEST <= FG_ARENA_SMALLEST, "what the arena takes is told of");

static const char *trouble = "libfftw3_gpu_watch.so is not preloaded, as by 'fftw3-gpu run --pin=register'";

static void block_came(void *base, size_t bytes) { fg_arena_came(FG_REGION_BLOCK, base, bytes); }

static void mapping_came(void *base, size_t bytes) { fg_arena_came(FG_REGION_MAPPING, base, bytes); }

/* Libraries for networks put functions of their own in the place of munmap while the program runs, with no mind to
 * those that stood there. */
static __thread volatile bool told;
static char nowhere;

static void range_goes(void *from, size_t bytes) {
  if (from == &nowhere) told = true;
  else fg_arena_range_goes(from, bytes);
}

static bool still_told(void) {
  const int saved = errno;
  told = false;
  munmap(&nowhere, 0); /* refused by all */
  errno = saved;
  return told;
}

static fg_watcher watcher = {0 /* by the page, below */, block_came, fg_arena_block_goes,   mapping_came,
                                   fg_arena_range_came, range_goes, fg_arena_range_renewed};

/* Of the program itself, which comes first and is never unmapped: the part of its writable segment that no file is
 * behind. */
static int static_variables(struct dl_phdr_info *program, size_t size, void *unused) {
  (void)size, (void)unused;
  for (int i = 0; i < program->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &program->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_W) || part->p_memsz <= part->p_filesz) continue;
    const uintptr_t from = program->dlpi_addr + part->p_vaddr + part->p_filesz;
    const size_t bytes = part->p_memsz - part->p_filesz;
    if (bytes >= FG_ARENA_SMALLEST) fg_arena_came(FG_REGION_STATIC, (void *)from, bytes);
  }
  return 1;
}

/* Not through the settings: what is wrong with them is told when they are first needed, not in every process that the
 * library is preloaded into. */
void fg_watch_begin(void) {
  const char *setting = secure_getenv("FFTW3_GPU_PIN");
  if (!setting || strcmp(setting, "register")) return;
  fg_watch_function *watch = (fg_watch_function *)dlsym(RTLD_DEFAULT, FG_WATCH_NAME);
  if (!watch) return;
  watcher.pad = FG_ARENA_PAD;
  trouble = watch(&watcher);
  fg_arena_watch(trouble ? NULL : still_told);
  if (!trouble) dl_iterate_phdr(static_variables, NULL);
}

static void say(void) {
  char text[200];
  if (!trouble || fg_settings_get()->pin != FG_PIN_REGISTER) return;
  snprintf(text, sizeof text, "%s; the default stands", trouble);
  fg_log_setting("FFTW3_GPU_PIN", "register", text);
}

void fg_watch_complain(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, say);
}
