/* next.c: finding the real FFTW. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_NEXT, dladdr1, dl_iterate_phdr */
#endif
#include "config.h"

#include "compat/next.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/lock.h"
#include "compat/object.h"
#include "compat/texts.h"
#include "src/lookup/lookup.h"
#include "src/report/log.h"

#define NAME(name) FG_TEXT(X(name))

typedef struct {
  const char *name;
  size_t offset; /* of its pointer in the table */
} entry;

#define ENTRY(function) {NAME(function), offsetof(FG(next_table), function)},
static const entry library_entries[] = {FG_NEXT_EXECUTES(ENTRY) FG_NEXT_FUNCTIONS(ENTRY){NULL, 0}};
static const entry threads_entries[] = {FG_NEXT_THREADS(ENTRY){NULL, 0}};

/* Guards writing what follows.  The loader is never asked under it: who runs a library's constructor has the loader's lock, and may
 * wait for this one.  So several threads may look at once; the first to find something tells it. */
static pthread_mutex_t search = PTHREAD_MUTEX_INITIALIZER;
static bool found, threads_found; /* the entries of the library, of its threads library, are in the table */
static bool complained;
static void *library; /* handle for dlsym; RTLD_NEXT if the library lies behind us in the search order */
static const struct link_map *library_map, *threads_map; /* FFTW itself, whoever wraps functions of its */
static bool is_part; /* of an FFTW, within a library of the program's: there is nothing else */
static void *threads; /* likewise of its threads library */
static char path[PATH_MAX];

/* ---- where a library may be -------------------------------------------------------------------------------------- */

static bool is_this_library(const fg_object *o) {
  fg_object ours;
  return fg_object_at(&search, &ours) && o->base == ours.base;
}

static bool is_a_copy(const fg_object *o) { return fg_object_exports(o->map, "fftw3_gpu_version") != NULL; }

/* dlsym, but never one of our own functions, or another copy's: somebody may have installed this library under FFTW's name, or
 * preloaded it twice. */
static void *symbol(void *handle, const char *name) {
  fg_object theirs;
  void *address = dlsym(handle, name);
  return address && fg_object_at(address, &theirs) && !is_this_library(&theirs) && !is_a_copy(&theirs) ? address : NULL;
}

/* Who others call by those names: where something of the inside of FFTW is that nobody wraps, if most of these functions are there
 * too (they may be a stand-in's, beside which FFTW is loaded), else where the last of them is. */
static const void *place_of_fftw(void *handle, const char *within, const char *const names[3]) {
  const void *const inside = symbol(handle, within);
  fg_object fftw, at;
  const void *address = NULL;
  int there = 0;
  for (int i = 0; i < 3; i++) {
    address = symbol(handle, names[i]);
    there += address && inside && fg_object_at(inside, &fftw) && fg_object_at(address, &at) && fftw.map == at.map;
  }
  return there >= 2 ? inside : address;
}

static const void *place_of_library(void *handle) {
  return place_of_fftw(handle, NAME(mkapiplan), (const char *const[]){NAME(plan_guru64_dft), NAME(plan_guru64_r2r), NAME(destroy_plan)});
}

static const void *place_of_threads(void *handle) {
  return place_of_fftw(handle, NAME(ithreads_init),
                       (const char *const[]){NAME(plan_with_nthreads), NAME(cleanup_threads), NAME(init_threads)});
}

typedef struct {
  const char *stem;
  char *path;
} wanted;

/* file is called "stem.…" or "stem-…". */
static bool called(const char *file, const char *stem) {
  const char *slash = strrchr(file, '/');
  const char *base = slash ? slash + 1 : file;
  const size_t length = strlen(stem);
  return strncmp(base, stem, length) == 0 && base[length] && strchr(".-", base[length]);
}

static int match(struct dl_phdr_info *object, size_t size, void *data) {
  (void)size;
  const wanted *w = data;
  if (!called(object->dlpi_name, w->stem)) return 0;
  return snprintf(w->path, PATH_MAX, "%s", object->dlpi_name) < PATH_MAX;
}

/* A loaded library by SONAME, or by a file name "stem.*" or "stem-*": Python wheels rename the libraries they bring.  (Paths are not
 * on the stack, here and below: of a thread with the least that there is the loader needs nearly all.) */
static void *loaded(const char *stem) {
  char *const file = malloc(PATH_MAX);
  if (!file) return NULL;
  snprintf(file, PATH_MAX, "%s.so.3", stem);
  void *handle = dlopen(file, RTLD_LAZY | RTLD_NOLOAD);
  if (!handle && dl_iterate_phdr(match, &(wanted){stem, file})) handle = dlopen(file, RTLD_LAZY | RTLD_NOLOAD);
  free(file);
  return handle;
}

/* handle, if it has that function of the real FFTW; else NULL. */
static void *having(const char *function, void *handle) { return handle && symbol(handle, function) ? handle : NULL; }

static void *open_file(const char *file) { return *file ? dlopen(file, RTLD_LAZY | RTLD_LOCAL) : NULL; }

/* FFTW or some of it, by what only FFTW has: not what stands for it (MKL, cuFFTW), nor what wraps its functions.  A library that
 * FFTW's archive was linked into has as much of it as it needs itself. */
static bool has_a_part(const struct link_map *map) {
  return fg_object_exports(map, NAME(mkapiplan)) && fg_object_exports(map, NAME(destroy_plan));
}

bool FG(real_is_fftw)(void) { return library_map && has_a_part(library_map); }

static bool is_whole(const struct link_map *map) {
  return fg_object_exports(map, NAME(plan_guru64_dft)) && fg_object_exports(map, NAME(plan_guru64_r2r));
}

/* What is behind us in the search order: an FFTW, or what stands for one, which plans. */
static bool is_library(const void *execute) {
  fg_object at;
  if (!execute) return false;
  if (fg_object_at(execute, &at) && has_a_part(at.map)) return is_whole(at.map);
  return symbol(RTLD_NEXT, NAME(plan_many_dft)) != NULL;
}

/* The loader has locks here, and is asked nothing. */
static int match_part(struct dl_phdr_info *object, size_t size, void *file) {
  (void)size;
  struct link_map map = {.l_addr = object->dlpi_addr};
  for (int i = 0; i < object->dlpi_phnum; i++)
    if (object->dlpi_phdr[i].p_type == PT_DYNAMIC) map.l_ld = (void *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
  if (!*object->dlpi_name || is_a_copy(&(fg_object){.map = &map}) || !has_a_part(&map)) return 0;
  return snprintf(file, PATH_MAX, "%s", object->dlpi_name) < PATH_MAX;
}

/* Where no FFTW can be found but within libraries that have a part of one: the first of these, for what is not done by the
 * caller's own. */
static void *find_part(void) {
  char *const file = malloc(PATH_MAX);
  void *const handle = file && dl_iterate_phdr(match_part, file) ? dlopen(file, RTLD_LAZY | RTLD_NOLOAD) : NULL;
  free(file);
  return handle;
}

static void *find_library(bool *part) {
  const char *probe = NAME(execute);
  if (is_library(symbol(RTLD_NEXT, probe))) return RTLD_NEXT;
  void *handle = having(probe, loaded(FG_LIBRARY));
  if (!handle) handle = having(probe, open_file(FG_LIBRARY ".so.3"));
  if (!handle) handle = having(probe, open_file(FG_CONFIGURED_PATH));
  *part = !handle;
  return handle ? handle : find_part();
}

/* The threads library of that kind ("_threads", "_omp") beside the library found, else by SONAME. */
static void *open_threads(const char *kind) {
  enum { SIZE = PATH_MAX + 64 };
  char *const file = malloc(SIZE);
  if (!file) return NULL;
  const char *slash = strrchr(path, '/');
  const int folder = slash ? (int)(slash + 1 - path) : 0;
  snprintf(file, SIZE, "%.*s" FG_LIBRARY "%s.so.3", folder, path, kind);
  void *handle = open_file(file);
  if (!handle) handle = open_file(file + folder);
  free(file);
  return handle;
}

static void *find_threads(bool open) {
  const char *probe = NAME(init_threads);
  if (library == RTLD_NEXT && symbol(RTLD_NEXT, probe)) return RTLD_NEXT;
  void *handle = having(probe, library);
  if (!handle) handle = having(probe, loaded(FG_LIBRARY "_threads"));
  if (!handle) handle = having(probe, loaded(FG_LIBRARY "_omp"));
  if (!handle && open) handle = having(probe, open_threads("_threads"));
  if (!handle && open) handle = having(probe, open_threads("_omp"));
  return handle;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static void **place_of(FG(next_table) *table, const entry *e) { return (void **)((char *)table + e->offset); }

static void gather(const entry *e, void *handle, FG(next_table) *into) {
  for (; e->name; e++) *place_of(into, e) = symbol(handle, e->name);
}

static void publish(const entry *e, FG(next_table) *from) {
  for (; e->name; e++)
    if (*place_of(from, e)) __atomic_store_n(place_of(&FG(next), e), *place_of(from, e), __ATOMIC_RELAXED);
}

/* All that the table leads to is kept loaded, whatever the program closes: the library, who wraps some of it, and the threads library,
 * which FFTW's planner has hooks to. */
static void keep(const entry *e, FG(next_table) *theirs) {
  const struct link_map *last = NULL;
  for (; e->name; e++) {
    fg_object at;
    const void *const address = *place_of(theirs, e);
    if (!address || !fg_object_at(address, &at) || at.map == last) continue;
    fg_object_keep(address);
    last = at.map;
  }
}

/* The library's file. */
static void tell_file(void *handle, char *file, const struct link_map **map) {
  Dl_info info;
  fg_object at;
  const void *address = place_of_library(handle);
  if (!address || !dladdr(address, &info) || !info.dli_fname) return;
  if (fg_object_at(address, &at)) *map = at.map;
  snprintf(file, PATH_MAX, "%s", info.dli_fname);
}

static void complain(void) {
  if (!__atomic_exchange_n(&complained, true, __ATOMIC_RELAXED))
    fg_log(FG_LOG_ERROR, "no real FFTW: %s.so.3 is neither loaded nor found by name%s%s; plans are NULL", FG_LIBRARY,
           *FG_CONFIGURED_PATH ? " nor at " : "", FG_CONFIGURED_PATH);
}

static bool is_found(void) { return __atomic_load_n(&found, __ATOMIC_ACQUIRE); }

static void look(void) {
  const int saved = errno;
  FG(next_table) theirs;
  char *const file = calloc(1, PATH_MAX);
  const struct link_map *map = NULL;
  bool part = false;
  void *const handle = file ? find_library(&part) : NULL;
  if (handle) {
    tell_file(handle, file, &map);
    gather(library_entries, handle, &theirs);
    keep(library_entries, &theirs);
    pthread_mutex_lock(&search);
    const bool first = !found;
    if (first) {
      library = handle;
      library_map = map;
      is_part = part;
      memcpy(path, file, sizeof path);
      publish(library_entries, &theirs);
      __atomic_store_n(&found, true, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&search);
    if (first) FG(adopt_texts)(handle);
  }
  free(file);
  dlerror(); /* our misses are not the program's errors */
  errno = saved;
}

static void look_for_threads(bool open) {
  if (!is_found() || __atomic_load_n(&threads_found, __ATOMIC_ACQUIRE)) return;
  FG(next_table) theirs;
  void *const handle = find_threads(open);
  if (handle) {
    gather(threads_entries, handle, &theirs);
    keep(threads_entries, &theirs);
    fg_object at;
    const void *const address = place_of_threads(handle);
    const struct link_map *const map = address && fg_object_at(address, &at) ? at.map : NULL;
    pthread_mutex_lock(&search);
    if (!threads_found) {
      threads = handle;
      threads_map = map;
      publish(threads_entries, &theirs);
      __atomic_store_n(&threads_found, true, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&search);
  }
  dlerror();
}

const FG(next_table) *FG(real)(void) {
  if (!is_found()) {
    look();
    look_for_threads(false);
    if (!is_found()) complain();
  }
  return &FG(next);
}

const FG(next_table) *FG(real_threads)(bool open) {
  const FG(next_table) *table = FG(real)();
  look_for_threads(open);
  return table;
}

bool FG(real_found)(void) {
  FG(real)();
  return is_found();
}

const char *FG(real_path)(void) { return FG(real_found)() ? path : NULL; }

const char *FG(real_version)(void) { return FG(real_found)() ? symbol(library, NAME(version)) : NULL; }

/* Within one of FFTW's public functions, as far as its object exports them. */
static bool is_in_function_of_fftw(const void *address) {
  Dl_info at;
  fg_object ours;
  return dladdr(address, &at) && at.dli_sname && fg_object_at(&search, &ours) && fg_object_exports(ours.map, at.dli_sname);
}

/* The object is linked to a library whose name is one of those. */
static bool is_linked_to(const struct link_map *map, bool (*one)(const char *name, const void *what), const void *what) {
  const char *strings = NULL;
  for (const ElfW(Dyn) *d = map->l_ld; d && d->d_tag != DT_NULL; d++)
    if (d->d_tag == DT_STRTAB) strings = fg_object_address(map, d);
  for (const ElfW(Dyn) *d = map->l_ld; strings && d->d_tag != DT_NULL; d++)
    if (d->d_tag == DT_NEEDED && one(strings + d->d_un.d_val, what)) return true;
  return false;
}

/* The FFTW that is looked for, or this library. */
static bool is_fftw(const char *name, const void *unused) {
  (void)unused;
  return called(name, FG_LIBRARY) || called(name, "libfftw3_gpu");
}

static bool is_file_of(const char *name, const void *library) {
  const char *const file = ((const struct link_map *)library)->l_name, *const slash = strrchr(file, '/');
  return !strcmp(name, slash ? slash + 1 : file);
}

/* FFTW within the program, of which functions that take plans are exported, since a library of its own asks for them: they stand
 * before ours for all that is loaded, and would be given plans of ours.  (A program that is linked to FFTW and has such functions of
 * its own calls on.) */
static bool stands_before_us(void) {
  static const entry takes_plans[] = {FG_NEXT_EXECUTES(ENTRY) FG_NEXT_OF_PLANS(ENTRY){NULL, 0}};
  static _Atomic int known; /* 1: no, 2: yes */
  if (!known) {
    const struct link_map *const program = _r_debug.r_map; /* is the first */
    int answer = 1;
    if (program && (has_a_part(program) || !is_linked_to(program, is_fftw, NULL)))
      for (const entry *e = takes_plans; e->name; e++)
        if (fg_object_exports(program, e->name)) answer = 2;
    if (answer == 2) fg_log(FG_LOG_INFO, "the program has an FFTW of its own: all plans are that one's, on the host");
    known = answer;
  }
  return known == 2;
}

/* Who calls on by RTLD_NEXT, and comes to us, wraps FFTW's functions. */
static bool is_ahead(const struct link_map *map) {
  fg_object ours;
  if (!fg_object_at(&search, &ours)) return false;
  while (map && map != ours.map) map = map->l_next;
  return map != NULL;
}

static bool has_planners(const struct link_map *map) {
  return has_a_part(map) || (fg_object_exports(map, NAME(execute)) && !is_ahead(map));
}

/* The FFTW of another name, or within a library, whose planner has called one of ours, on this thread. */
static _Thread_local const struct link_map *copy;

enum fg_caller FG(caller)(const void *address) {
  fg_object caller;
  const bool known = fg_object_at(address, &caller);
  if (known && is_this_library(&caller)) return FG_CALLER_US;
  copy = NULL;
  if (stands_before_us()) return FG_CALLER_REAL;
  if (!known) return FG_CALLER_PROGRAM;
  const bool there = FG(real_found)();
  if (there && is_part) {
    if (has_a_part(caller.map)) copy = caller.map;
    return FG_CALLER_REAL;
  }
  if (!*caller.map->l_name || is_a_copy(&caller)) return FG_CALLER_PROGRAM;
  const bool known_library = there && caller.map == library_map;
  if (!(known_library || has_planners(caller.map)) || /* whatever its name is: a wrapper's may be like FFTW's */
      !(called(caller.map->l_name, FG_LIBRARY) || is_in_function_of_fftw(address)))
    return FG_CALLER_PROGRAM;
  if (!known_library) copy = caller.map;
  return FG_CALLER_REAL;
}

void *FG(straight)(const char *name) { return copy && fg_compat_inside() ? fg_object_exports(copy, name) : NULL; }

/* Behind us, and wraps that function, or does so for who is called as FFTW by us: wants what is behind itself. */
static bool wraps(const struct link_map *caller, const char *name, const void *next) {
  fg_object at;
  if (fg_object_exports(caller, name) && !is_ahead(caller)) return true;
  if (!next || !fg_object_at(next, &at)) return false;
  const bool fftw = at.map == library_map || at.map == threads_map;
  return at.map == caller || (!fftw && is_linked_to(at.map, is_file_of, caller));
}

/* Told by objects, since others may wrap some of the functions, in front of us or behind, and a program that is not PIE stands for
 * those whose address it takes: who gets one of ours gets all of them. */
void *GPU(instead_of)(const char *name, const void *address, const void *caller) {
  fg_object ours, at, asking;
  if (!FG(real_found)() || !fg_object_at(&search, &ours) || !fg_object_at(address, &at)) return NULL;
  look_for_threads(false);
  pthread_mutex_lock(&search);
  void *const handles[] = {library, threads};
  const struct link_map *const maps[] = {library_map, threads_map};
  pthread_mutex_unlock(&search);
  const void *next = symbol(handles[0], name);
  if (!next && handles[1]) next = symbol(handles[1], name);
  dlerror();
  if (next != address && at.map != maps[0] && at.map != maps[1]) return NULL;
  return fg_object_at(caller, &asking) && wraps(asking.map, name, next) ? NULL : fg_object_exports(ours.map, name);
}

static void renew(void) {
  const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
  search = fresh;
}

__attribute__((constructor)) static void watch_fork(void) { pthread_atfork(NULL, NULL, renew); }

/* ---- executes before the first search ---------------------------------------------------------------------------- */

/* A plan that we did not make came from a real FFTW, so there is one. */
static void need(void) {
  if (!FG(real_found)()) fg_die("a plan that is not ours is to be executed, but %s.so.3 was not found", FG_LIBRARY);
}

static void lacks(const char *function) {
  fg_die("a plan that is not ours is to be executed, but %s has no %s", FG(real_path)(), function);
}

#define FIRST(name, parameters, ...)                                                                                   \
  static void first_##name parameters {                                                                                \
    need();                                                                                                            \
    if (FG_NEXT_EXECUTE(name) == first_##name) lacks(NAME(name));                                                      \
    FG_NEXT_EXECUTE(name)(__VA_ARGS__);                                                                                \
  }

FIRST(execute, (const X(plan) p), p)
FIRST(execute_dft, (const X(plan) p, C *in, C *out), p, in, out)
FIRST(execute_split_dft, (const X(plan) p, R *ri, R *ii, R *ro, R *io), p, ri, ii, ro, io)
FIRST(execute_dft_r2c, (const X(plan) p, R *in, C *out), p, in, out)
FIRST(execute_split_dft_r2c, (const X(plan) p, R *in, R *ro, R *io), p, in, ro, io)
FIRST(execute_dft_c2r, (const X(plan) p, C *in, R *out), p, in, out)
FIRST(execute_split_dft_c2r, (const X(plan) p, R *ri, R *ii, R *out), p, ri, ii, out)
FIRST(execute_r2r, (const X(plan) p, R *in, R *out), p, in, out)

#define FIRST_ENTRY(name) .name = first_##name,
FG(next_table) FG(next) = {FG_NEXT_EXECUTES(FIRST_ENTRY)};
