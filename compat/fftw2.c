/* fftw2.c: programs of FFTW 2.
 *
 * Its libraries are lib[d|s][r]fftw[_threads|_mpi].so.2, by precision, and for real transforms; those of one precision call the
 * functions of that without r, and need not say so (Debian's do not). */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* _r_debug */
#endif
#include "compat/fftw2.h"

#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "compat/object.h"

enum version { NO_FFTW, FFTW_2, FFTW_3 };
enum { NAME = 32 };

static const char *behind(const char *text, const char *word) {
  const size_t length = strlen(word);
  return strncmp(text, word, length) == 0 ? text + length : NULL;
}

/* Of a library's file; of FFTW 2 also the name of that which has the common functions. */
static enum version version_of(const char *file, char common[NAME]) {
  const char *const slash = strrchr(file, '/'), *at = behind(slash ? slash + 1 : file, "lib");
  if (!at) return NO_FFTW;
  const char *const three = behind(at, "fftw3"); /* double precision, this library among it, not fftw3f, fftw3l, fftw3q */
  if (three) return *three && strchr(".-_", *three) ? FFTW_3 : NO_FFTW;
  const char precision = *at == 'd' || *at == 's' ? *at++ : '\0';
  if (*at == 'r') at++;
  at = behind(at, "fftw");
  if (at && behind(at, "_threads")) at = behind(at, "_threads");
  else if (at && behind(at, "_mpi")) at = behind(at, "_mpi");
  at = at ? behind(at, ".so.2") : NULL;
  if (!at || (*at && *at != '.')) return NO_FFTW;
  snprintf(common, NAME, "lib%.1sfftw.so.2", precision ? &precision : "");
  return FFTW_2;
}

/* What the object is linked to, the first of both as the loader would take it. */
static enum version version_needed(const struct link_map *map, char common[NAME]) {
  const char *strings = NULL;
  for (const ElfW(Dyn) *d = map->l_ld; d && d->d_tag != DT_NULL; d++)
    if (d->d_tag == DT_STRTAB) strings = fg_object_address(map, d);
  enum version version = NO_FFTW;
  for (const ElfW(Dyn) *d = map->l_ld; strings && d && d->d_tag != DT_NULL && !version; d++)
    if (d->d_tag == DT_NEEDED) version = version_of(strings + d->d_un.d_val, common);
  return version;
}

/* ---- among all that is loaded ---- */

typedef struct {
  const char *name, *common; /* the function, the library that has it; NULL: of any precision */
  void *function;
  bool three; /* an object is linked to FFTW 3, which we may have opened ourselves */
} search;

static bool object_of(const struct dl_phdr_info *info, fg_object *object) {
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_LOAD)
      return fg_object_at((const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr), object);
  return false;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  search *const s = data;
  fg_object object;
  char common[NAME];
  if (!object_of(info, &object)) return 0;
  const enum version version = version_of(info->dlpi_name, common);
  const bool wanted = version == FFTW_2 && (!s->common || strcmp(common, s->common) == 0);
  if (wanted && !s->function && fg_object_exports(object.map, "fftw_create_plan"))
    s->function = fg_object_exports(object.map, s->name);
  if (version != FFTW_3) s->three |= version_needed(object.map, common) == FFTW_3;
  return 0;
}

/* dl_iterate_phdr's lock is not that of constructors, dlopen and dlsym, whose owner may wait for the caller. */
static search searched(const char *name, const char *common) {
  search s = {.name = name, .common = common};
  dl_iterate_phdr(look_at, &s);
  return s;
}

void *fg_fftw2(const char *name, const void *caller) {
  fg_object object;
  char common[NAME];
  if (fg_object_at(caller, &object)) {
    if (fg_object_exports(object.map, "fftw_plan_guru64_dft")) return NULL; /* FFTW 3 */
    if (fg_object_exports(object.map, "fftw_create_plan")) return fg_object_exports(object.map, name);
    enum version version = version_of(object.map->l_name, common);
    if (!version) version = version_needed(object.map, common);
    if (version) return version == FFTW_2 ? searched(name, common).function : NULL;
  }
  /* It says nothing: it was linked by what the program has, or was given the function's address, or is who called the caller,
   * which ended in a jump to us. */
  const enum version program = version_needed(_r_debug.r_map, common);
  if (program) return program == FFTW_2 ? searched(name, common).function : NULL;
  const search any = searched(name, NULL);
  return any.three ? NULL : any.function;
}
