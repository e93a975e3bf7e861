/* texts.c: FFTW's data symbols, with the real library's own texts as soon as it is known.
 *
 * Programs hold these arrays in two ways.  Shared objects refer to ours; they see the texts taken over at load.
 * Executables have a copy of their own, filled by the dynamic linker before any of our code runs and with the size that
 * the symbol had at link time; a larger symbol here would make it print a warning.  So the symbols are as large as the
 * texts that they begin with, no longer than the real library's, and the room behind them is known to this file only. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_NEXT */
#endif
#include "config.h"

#include "compat/texts.h"

#include <dlfcn.h>
#include <stdio.h>

#define ROOM 512

/* Define the public symbol, as long as its text, and at the same address a private one of ROOM bytes. */
#define DEFINE(name, text)                                                                                             \
  extern char FG(name)[ROOM] FG_HIDDEN;                                                                                \
  DEFINE_AS(FG_TEXT(X(name)), FG_TEXT(FG(name)), text, FG_TEXT(ROOM))
#define DEFINE_AS(public, private, text, room)                                                                         \
  __asm__(".pushsection .data\n"                                                                                       \
          ".globl " public "\n.type " public ", %object\n"                                                             \
          ".globl " private "\n.type " private ", %object\n.hidden " private "\n"                                      \
          public ":\n" private ":\n"                                                                                   \
          ".asciz \"" text "\"\n.size " public ", . - " public "\n"                                                    \
          ".space " room "\n.size " private ", " room "\n"                                                             \
          ".popsection\n");

DEFINE(version, "fftw-" FFTW_VERSION)
DEFINE(cc, "cc")
DEFINE(codelet_optim, "")

static void adopt(void *handle, const char *name, char room[ROOM]) {
  const char *text = dlsym(handle, name);
  if (text && text != room) snprintf(room, ROOM, "%s", text);
}

void FG(adopt_texts)(void *handle) {
  adopt(handle, FG_TEXT(X(version)), FG(version));
  adopt(handle, FG_TEXT(X(cc)), FG(cc));
  adopt(handle, FG_TEXT(X(codelet_optim)), FG(codelet_optim));
}

__attribute__((constructor)) static void at_load(void) {
  FG(adopt_texts)(RTLD_NEXT);
  dlerror();
}
