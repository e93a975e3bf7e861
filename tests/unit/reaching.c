/* reaching.c: passes that reach the program's arrays on the simulated device with the arrays' own strides. */
#include "reaching.h"

#include "on_sim.h"
#include "src/plan/planner.h"
#include "src/run/program.h"
#include "suite.h"

enum { MOST_SPANS = 4 };

bool test_reach_apart;

static const enum fg_reach *reach(void) {
  static const enum fg_reach arrays[] = {FG_REACH_ARRAY, FG_REACH_ARRAY}, planes[] = {FG_REACH_PLANES, FG_REACH_PLANES};
  return test_reach_apart ? planes : arrays;
}

bool test_plan_reaching(const fg_problem *p, bool in_place, const fg_device_info *device, fg_passes *list,
                        const char **why) {
  return fg_planner_plan_reaching(p, reach(), in_place, device, list, why);
}

static void must(int code) {
  if (code != FG_OK) ck_abort_msg("%s", fg_backend_message());
}

/* Where the device has what the host has there. */
static void *there(const test_span *spans, void *const device[], int count, const void *pointer) {
  for (int i = 0; i < count; i++) {
    const char *const first = spans[i].memory;
    if ((const char *)pointer >= first && (const char *)pointer < first + spans[i].bytes)
      return (char *)device[i] + ((const char *)pointer - first);
  }
  return NULL;
}

static void launch(const fg_target *t, const fg_program *g, fg_planes planes[FG_ARRAYS], fg_stream *stream) {
  const fg_passes *passes = fg_program_passes(g);
  const size_t *bytes = fg_program_bytes(g);
  for (int a = FG_ARRAY_SCRATCH0; a <= FG_ARRAY_SCRATCH1; a++)
    if (bytes[a]) must(t->backend->memory_alloc(t->device, bytes[a], &planes[a].re));
  for (int i = 0; i < passes->count; i++) must(fg_program_launch_planes(g, planes, i, stream));
  must(t->backend->stream_wait(t->device, stream));
  for (int a = FG_ARRAY_SCRATCH0; a <= FG_ARRAY_SCRATCH1; a++) t->backend->memory_free(t->device, planes[a].re);
}

void test_run_reaching(const fg_problem *p, const fg_passes *passes, const fg_arrays *a, const test_span *spans,
                       int count) {
  const fg_target *t = test_target();
  const char *why = "";
  void *memory[MOST_SPANS], *device[MOST_SPANS];
  const size_t apart = test_reach_apart ? fg_real_size(p->precision) : 0;
  fg_stream *stream;
  fg_program *g = fg_program_create_reaching(t, p, reach(), passes, &why);
  if (!g) ck_abort_msg("%s", why);
  must(t->backend->stream_create(t->device, &stream));
  for (int i = 0; i < count; i++) {
    must(t->backend->memory_alloc(t->device, spans[i].bytes + apart, &memory[i]));
    device[i] = (char *)memory[i] + apart;
    must(t->backend->copy_in(t->device, device[i], spans[i].memory, spans[i].bytes, stream));
  }
  fg_planes planes[FG_ARRAYS] = {
      [FG_ARRAY_IN] = {there(spans, device, count, a->in_re), there(spans, device, count, a->in_im)},
      [FG_ARRAY_OUT] = {there(spans, device, count, a->out_re), there(spans, device, count, a->out_im)},
  };
  launch(t, g, planes, stream);
  for (int i = 0; i < count; i++) {
    must(t->backend->copy_out(t->device, spans[i].memory, device[i], spans[i].bytes, stream));
    must(t->backend->stream_wait(t->device, stream));
    t->backend->memory_free(t->device, memory[i]);
  }
  t->backend->stream_destroy(t->device, stream);
  fg_program_destroy(g);
}
