/* recording.c: executions seen before: all steps were recorded, and are given to the device at once. */
#include "src/report/log.h"
#include "src/run/host/flow.h"

/* The streams of arrivals and departures begin after the passes' stream and end before it. */
static int record_steps(fg_flow *f, int (*steps)(fg_flow *)) {
  int code = fg_flow_order(f, FG_STREAM_PASSES, f->slot->computed, FG_STREAM_IN);
  if (code == FG_OK) code = fg_flow_order(f, FG_STREAM_PASSES, f->slot->computed, FG_STREAM_OUT);
  if (code == FG_OK) code = steps(f);
  if (code == FG_OK) code = fg_flow_order(f, FG_STREAM_IN, f->slot->arrived, FG_STREAM_PASSES);
  if (code == FG_OK) code = fg_flow_order(f, FG_STREAM_OUT, f->slot->computed, FG_STREAM_PASSES);
  return code;
}

static int record(const fg_flow *f, int (*steps)(fg_flow *), fg_graph **graph) {
  const fg_backend *b = f->target->backend;
  fg_stream *const stream = f->slot->stream[FG_STREAM_PASSES];
  fg_flow rehearsal = *f;
  const int begun = b->graph_begin(f->target->device, stream);
  if (begun != FG_OK) return begun;
  const int code = record_steps(&rehearsal, steps), end = b->graph_end(f->target->device, stream, graph);
  return code == FG_OK ? end : code;
}

/* Without a graph the steps are done one by one for ever. */
static void make_recording(const fg_flow *f, int (*steps)(fg_flow *), fg_recording *r) {
  fg_graph *graph = NULL;
  if (record(f, steps, &graph) == FG_OK) {
    r->graph = graph;
    fg_log(FG_LOG_DEBUG, "an execution was recorded");
    return;
  }
  fg_log(FG_LOG_DEBUG, "not recorded: %s", fg_backend_message());
  if (graph) f->target->backend->graph_destroy(f->target->device, graph);
}

int fg_recording_play(const fg_flow *f, fg_graph *graph) {
  return f->target->backend->graph_launch(f->target->device, graph, f->slot->stream[FG_STREAM_PASSES]);
}

/* Recorded when it is seen for the second time. */
fg_graph *fg_recording_of(const fg_flow *f, const fg_recordable *what, int (*steps)(fg_flow *)) {
  if (!f->target->backend->graph_begin) return NULL;
  fg_recording *r = fg_slot_recording(f->target, f->slot, what);
  if (r->seen == 2) make_recording(f, steps, r);
  return r->graph;
}
