/* gated.c: recordings of executions through staging. All of the array lies in the ring, piece by piece; gates keep what
 * was recorded in step with the threads that gather and scatter, so that no piece costs a call of the driver. */
#include <stdatomic.h>
#include <string.h>

#include "src/run/host/flow.h"
#include "src/run/host/transfer.h"

enum { LINE = 64, BETWEEN_QUESTIONS = 64 };

size_t fg_pipeline_gated = 0;

static size_t gate_offset(const fg_end *e) { return (e->piece + LINE - 1) / LINE * LINE; }

size_t fg_gated_staging(const fg_end *e) { return e->direct ? 0 : gate_offset(e) + LINE; }

unsigned *fg_gated_gate(const fg_flow *f, enum fg_side side, size_t piece) {
  const fg_end *e = side == FG_INPUT ? &f->in : &f->out;
  return (unsigned *)((char *)f->slot->ring[side].piece[piece] + gate_offset(e));
}

/* The other side of a gate is the device. */
static void set(unsigned *gate, unsigned value) { __atomic_store_n(gate, value, __ATOMIC_RELEASE); }
static bool is_open(const unsigned *gate) { return __atomic_load_n(gate, __ATOMIC_ACQUIRE) != 0; }

/* What overlaps has to be gathered as it is: from staging a failure can be undone. */
bool fg_gated_applies(const fg_flow *f) {
  return fg_end_plane_size(&f->in) <= fg_pipeline_gated                        /* taste; mostly none, and soon asked */
         && f->target->backend->gate_wait && (!f->in.direct || !f->out.direct) /* must */
         && !(f->overlap && (f->in.direct || f->out.direct))                  /* must */
         && !fg_flow_is_final(f)                                              /* must */
         && (f->in.direct || fg_staging_pieces(f, FG_INPUT) <= FG_RING)       /* must */
         && (f->out.direct || fg_staging_pieces(f, FG_OUTPUT) <= FG_RING);    /* must */
}

/* ---- while the recording plays ---- */

static void close_gates(const fg_flow *f) {
  for (size_t piece = 0; piece < FG_RING; piece++) {
    if (!f->in.direct) set(fg_gated_gate(f, FG_INPUT, piece), 0);
    if (!f->out.direct) set(fg_gated_gate(f, FG_OUTPUT, piece), 0);
  }
}

/* So that the recording comes to its end, whatever it then does with staging. */
static void open_all(const fg_flow *f) {
  for (size_t piece = 0; piece < FG_RING && !f->in.direct; piece++) set(fg_gated_gate(f, FG_INPUT, piece), 1);
}

static void send_gathered(fg_flow *f) {
  fg_staged *const s = &f->staged[FG_INPUT];
  for (; s->belt && s->sent < s->opened && fg_belt_done(s->belt, s->sent); s->sent++) {
    fg_staging_measure(f, s->sent);
    set(fg_gated_gate(f, FG_INPUT, s->sent), 1);
  }
}

static bool open_come(fg_flow *f) {
  fg_staged *const s = &f->staged[FG_OUTPUT];
  bool some = false;
  for (; s->opened < s->sent && is_open(fg_gated_gate(f, FG_OUTPUT, s->opened)); some = true) {
    f->writing = true;
    s->opened++;
    fg_belt_open(s->belt);
  }
  return some;
}

static bool help(const fg_flow *f) {
  fg_belt *const in = f->staged[FG_INPUT].belt, *const out = f->staged[FG_OUTPUT].belt;
  return (out && fg_belt_help(out)) || (in && fg_belt_help(in));
}

/* 1: the device is done, 0: not yet, or how it failed. */
static int ask(fg_flow *f) {
  const fg_staged *s = &f->staged[FG_OUTPUT];
  const int reached = f->target->backend->event_reached(f->target->device, f->slot->computed);
  if (reached == 1 && !open_come(f) && s->opened < s->sent)
    return fg_backend_fail(FG_ELAUNCH, "a recording ended before its results had come");
  return reached;
}

static bool all_scattered(const fg_flow *f, size_t *done) {
  const fg_staged *s = &f->staged[FG_OUTPUT];
  while (*done < s->sent && fg_belt_done(s->belt, *done)) ++*done;
  return *done == s->sent;
}

static int keep_in_step(fg_flow *f) {
  size_t done = 0;
  int reached = 0;
  for (unsigned turns = 0; reached == 0;) {
    send_gathered(f);
    open_come(f);
    if (!f->out.direct && all_scattered(f, &done)) return FG_OK;
    if (help(f)) continue;
    fg_belt_pause(turns++);
    if (turns % BETWEEN_QUESTIONS == 0) reached = ask(f);
    if (reached == 1 && !f->out.direct) reached = 0; /* its last results are still being scattered */
  }
  return reached < 0 ? reached : FG_OK;
}

int fg_gated_play(fg_flow *f, fg_graph *graph) {
  f->gated = true;
  close_gates(f);
  if (!f->out.direct) fg_staging_expect(f);
  int code = fg_recording_play(f, graph);
  if (code != FG_OK) return code;
  code = f->target->backend->event_record(f->target->device, f->slot->computed, f->slot->stream[FG_STREAM_PASSES]);
  if (code == FG_OK) code = keep_in_step(f);
  if (code != FG_OK) open_all(f);
  if (code == FG_OK) code = fg_flow_wait_stream(f, FG_STREAM_PASSES);
  f->come = f->in.layout->elements; /* the recording brought it, without arriving steps */
  return code == FG_OK ? fg_flow_judge(f) : code;
}

void fg_gated_undo(const fg_flow *f) {
  const fg_staged *s = &f->staged[FG_INPUT];
  for (size_t piece = 0; piece < s->opened; piece++) {
    const fg_parcel *p = &s->parcel[piece];
    if (fg_belt_done(s->belt, piece))
      fg_transfer_scatter(f->in.layout, f->in.array[p->plane], p->first, p->count, f->slot->ring[FG_INPUT].piece[piece],
                          true);
  }
}
