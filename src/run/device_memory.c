/* device_memory.c: memory of devices for the program, and copies between any two kinds of memory. */
#include "src/run/device_memory.h"

#include <string.h>

#include "src/report/settings.h"
#include "src/run/lane.h"
#include "src/run/residence.h"
#include "src/run/slot.h"

enum { OWN = -1 };

static const fg_target *target_for(int ordinal, int *code) {
  const char *why = "switched off";
  const fg_target *t = NULL;
  if (fg_settings_get()->mode != FG_MODE_OFF) t = ordinal == OWN ? fg_target_get(&why) : fg_target_of(ordinal, &why);
  *code = t ? FG_OK : fg_backend_fail(FG_ENODEVICE, "%s", why);
  return t;
}

int fg_device_memory_alloc(void **memory, size_t bytes) {
  int code;
  const fg_target *t = target_for(OWN, &code);
  if (!t) return code;
  if (bytes == 0) bytes = 1; /* an address of its own, as malloc gives */
  code = t->backend->memory_alloc(t->device, bytes, memory);
  if (code == FG_ENOMEM) {
    fg_lane_trim();
    fg_slot_trim(t);
    code = t->backend->memory_alloc(t->device, bytes, memory);
  }
  if (code == FG_OK) fg_residence_expect();
  return code;
}

int fg_device_memory_free(void *memory) {
  int code;
  const fg_pointer where = fg_residence_of(memory);
  const fg_target *t = target_for(where.ordinal, &code);
  return t ? t->backend->memory_free(t->device, memory) : code;
}

static int copy_in_stream(const fg_target *t, void *to, const void *from, size_t bytes, bool to_device,
                          bool from_device) {
  fg_stream *stream;
  const int code = t->backend->stream_of_program(t->device, NULL, &stream);
  if (code != FG_OK) return code;
  if (to_device && from_device) return t->backend->copy_within(t->device, to, from, bytes, stream);
  if (to_device) return t->backend->copy_in(t->device, to, from, bytes, stream);
  return t->backend->copy_out(t->device, to, from, bytes, stream);
}

/* The memory may be of another device than the copy's, or of another context.  (Of its own the copy's stream has the order already;
 * that the host waits for it twice, too, costs some microseconds.) */
static void after_the_program(const fg_pointer *where, const fg_target *copying) {
  const char *why;
  if (!fg_residence_device(where)) return;
  const fg_target *const t = where->ordinal == copying->ordinal ? copying : fg_target_of(where->ordinal, &why);
  if (t) fg_residence_wait_for_program(t, where->owner);
}

int fg_device_memory_copy(void *to, const void *from, size_t bytes) {
  const fg_pointer a = fg_residence_of(to), b = fg_residence_of(from);
  const bool to_device = fg_residence_device(&a), from_device = fg_residence_device(&b);
  int code;
  if (!to_device && !from_device) {
    memmove(to, from, bytes);
    return FG_OK;
  }
  const fg_target *t = target_for(to_device ? a.ordinal : b.ordinal, &code);
  if (!t) return code;
  after_the_program(&a, t);
  after_the_program(&b, t);
  code = copy_in_stream(t, to, from, bytes, to_device, from_device);
  fg_stream *stream;
  const int opened = t->backend->stream_of_program(t->device, NULL, &stream);
  const int waited = opened == FG_OK ? t->backend->stream_wait(t->device, stream) : opened;
  if (code == FG_ELOST || waited == FG_ELOST) fg_target_lost(fg_backend_message());
  return code == FG_OK ? waited : code;
}
