/* residence.c: whose memory a pointer leads to. */
#define _GNU_SOURCE
#include "src/run/residence.h"

#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "src/report/clock.h"
#include "src/report/settings.h"
#include "src/run/arena/arena.h"
#include "src/run/target.h"

/* In the child of a process that used the device no memory of it can be reached, and a lock that another thread had when
 * the process forked stays held. */
static const fg_backend *may_be_asked(void) { return fg_target_inherited() ? NULL : fg_target_backend(); }

bool fg_residence_possible(void) {
  const fg_backend *backend = may_be_asked();
  return backend && backend->pointers();
}

static atomic_bool seen; /* memory of a device, that is not ours */

bool fg_residence_expected(void) {
  const fg_backend *backend = may_be_asked();
  return atomic_load(&seen) || (backend && backend->used_by_program());
}

void fg_residence_expect(void) { atomic_store(&seen, true); }

/* ---- the program's image and its heap: of nobody but the host, and most small arrays are there ---- */

static uintptr_t image_start, image_end;

/* The first object is the program itself. */
static int first_object(struct dl_phdr_info *program, size_t size, void *unused) {
  (void)size, (void)unused;
  for (int i = 0; i < program->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &program->dlpi_phdr[i];
    if (part->p_type != PT_LOAD) continue;
    const uintptr_t from = program->dlpi_addr + part->p_vaddr, to = from + part->p_memsz;
    if (!image_start || from < image_start) image_start = from;
    if (to > image_end) image_end = to;
  }
  return 1;
}

static void find_image(void) { dl_iterate_phdr(first_object, NULL); }

/* The heap follows the image, and nothing is mapped between them: farther away it is another kind of process.  (The
 * devices of sim have their memory from there.) */
static bool in_heap(const void *p) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  const uintptr_t at = (uintptr_t)p, heap_end = (uintptr_t)sbrk(0), farthest = (uintptr_t)1 << 36;
  pthread_once(&once, find_image);
  return at >= image_start && at < heap_end && heap_end - image_end < farthest && !fg_settings_get()->sim;
}

/* ---- the rest ---- */

fg_pointer fg_residence_of(const void *p) {
  fg_pointer where = {.kind = FG_POINTER_HOST};
  if (!p) return where;
  if (fg_arena_holds(p, 1)) where.kind = FG_POINTER_OWN;
  else if (fg_residence_possible()) fg_target_backend()->pointer(p, &where);
  return where;
}

bool fg_residence_device(const fg_pointer *where) {
  return where->kind == FG_POINTER_DEVICE || where->kind == FG_POINTER_MANAGED || where->kind == FG_POINTER_APART;
}

void fg_residence_await_captures(const fg_target *t) {
  static const double patience = 0.1; /* seconds */
  const struct timespec nap = {0, 100000};
  const double start = fg_clock_seconds();
  fg_stream *theirs;
  while (t->backend->stream_of_program(t->device, NULL, &theirs) == FG_ELAUNCH && fg_clock_seconds() - start < patience)
    nanosleep(&nap, NULL);
}

void fg_residence_wait_for_program(const fg_target *t, void *owner) {
  fg_stream *theirs;
  if (t->backend->stream_of_program(t->device, NULL, &theirs) == FG_OK)
    t->backend->stream_wait(t->device, theirs);
  if (owner && t->backend->owner_wait) t->backend->owner_wait(t->device, owner);
}

bool fg_residence_on_device(const void *p) {
  if (!p || !fg_residence_possible() || in_heap(p) || fg_arena_holds(p, 1)) return false;
  fg_pointer where;
  fg_target_backend()->pointer(p, &where);
  if (!fg_residence_device(&where)) return false;
  atomic_store(&seen, true);
  return true;
}

/* A range over two registrations is not one that copies take. */
bool fg_residence_pinned(const void *from, size_t bytes) {
  const fg_pointer where = fg_residence_of(from);
  if (where.kind != FG_POINTER_PINNED || !where.base) return false;
  const size_t offset = (size_t)((const char *)from - (const char *)where.base);
  return offset <= where.bytes && bytes <= where.bytes - offset;
}

unsigned long fg_residence_hold(const fg_target *t, const void *from, size_t bytes) {
  /* The arena pins for the process's own device. */
  const char *why;
  const fg_target *own = fg_target_get(&why);
  const unsigned long number = own && t->ordinal == own->ordinal ? fg_arena_hold(t, from, bytes) : 0;
  return !number && fg_residence_possible() && fg_residence_pinned(from, bytes) ? FG_PINNED_BY_PROGRAM : number;
}

void fg_residence_let_go(unsigned long number) {
  if (number != FG_PINNED_BY_PROGRAM) fg_arena_let_go(number);
}
