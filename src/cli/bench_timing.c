/* bench_timing.c: how long an execution takes: on the device, between two events, with input that is not in the L2; or
 * (--waited) until it is done, always with the same arrays. */
#include <math.h>

#include "src/cli/bench_device.h"
#include "src/run/host/transfer.h"

/* ---- what is timed ---- */

/* As fftwf_execute does it, questions where the arrays are included. */
static int ours_to_the_end(const fg_bench_subject *s, void *in, void *out) {
  const size_t real = fg_real_size(s->p->precision);
  const char *why = NULL;
  fg_arrays a = {in, (char *)in + real, out, (char *)out + real};
  if (s->in.split) a.in_im = fg_transfer_plane(&s->in, in, 1);
  if (s->out.split) a.out_im = fg_transfer_plane(&s->out, out, 1);
  return fg_resident_execute(s->residents, s->p, &a, &why) == FG_DONE ? FG_OK : fg_backend_fail(FG_ELAUNCH, "%s", why);
}

static int ours(fg_bench_subject *s, void *in, void *out) {
  return s->residents ? ours_to_the_end(s, in, out) : fg_bench_runner_launch(s->b, &s->forward, in, out);
}

static int ours_in_place(fg_bench_subject *s, void *in, void *out) {
  (void)in;
  return ours(s, out, out);
}

static int copy(fg_bench_subject *s, void *in, void *out) {
  const fg_target *t = s->b->target;
  return t->backend->copy_within(t->device, out, in, (s->in_bytes + s->out_bytes) / 2, s->b->stream);
}

static int peer_out_of_place(fg_bench_subject *s, void *in, void *out) {
  return s->peer->execute(s->peer, in, out) ? FG_OK : fg_backend_fail(FG_ELAUNCH, "it failed");
}

static int peer_in_place(fg_bench_subject *s, void *in, void *out) {
  (void)in;
  return peer_out_of_place(s, out, out);
}

/* ---- repeating it ---- */

/* Input that is not as it was; and the block that executions read. */
static int refresh(fg_bench_subject *s, const fg_bench_work *w, char **from) {
  const fg_target *t = s->b->target;
  const size_t all = (size_t)s->pairs * s->stride;
  *from = s->in_block;
  if (w->input == FG_BENCH_KEEPS) return FG_OK;
  if (w->input == FG_BENCH_IN_PLACE)
    return t->backend->copy_within(t->device, s->out_block, s->in_block, all, s->b->stream);
  if (!s->spare_block) {
    const int code = t->backend->memory_alloc(t->device, all, (void **)&s->spare_block);
    if (code != FG_OK) return code;
  }
  *from = s->spare_block;
  return t->backend->copy_within(t->device, s->spare_block, s->in_block, all, s->b->stream);
}

static int repeat(fg_bench_subject *s, const fg_bench_work *w, char *from, int times) {
  int code = FG_OK;
  for (int i = 0; i < times && code == FG_OK; i++) {
    const size_t pair = (size_t)(s->next++ % s->pairs);
    code = w->run(s, from + pair * s->stride, s->out_block + pair * s->stride);
  }
  return code;
}

/* Seconds of one execution out of so many, one after the other; each to its end, by the processor's clock. */
static int time_waited(fg_bench_subject *s, const fg_bench_work *w, int times, double *seconds) {
  const fg_target *t = s->b->target;
  char *from;
  int code = refresh(s, w, &from);
  if (code == FG_OK) code = t->backend->stream_wait(t->device, s->b->stream);
  const double start = fg_clock_seconds();
  for (int i = 0; i < times && code == FG_OK; i++) {
    code = w->run(s, from, s->out_block);
    if (code == FG_OK && !w->waits) code = t->backend->stream_wait(t->device, s->b->stream);
  }
  *seconds = (fg_clock_seconds() - start) / times;
  return code;
}

/* And without waiting in between, by the device's. */
static int time_once(fg_bench_subject *s, const fg_bench_work *w, int times, double *seconds) {
  const fg_target *t = s->b->target;
  char *from;
  if (s->residents) return time_waited(s, w, times, seconds);
  int code = refresh(s, w, &from);
  if (code == FG_OK) code = t->backend->event_record(t->device, s->b->begin, s->b->stream);
  if (code == FG_OK) code = repeat(s, w, from, times);
  if (code == FG_OK) code = t->backend->event_record(t->device, s->b->end, s->b->stream);
  if (code == FG_OK) code = t->backend->event_elapsed(t->device, s->b->begin, s->b->end, seconds);
  *seconds /= times;
  return code;
}

/* Enough executions that the launch of the first and the events do not count. */
static int times_for(const fg_bench_subject *s, const fg_bench_work *w, double seconds) {
  const double enough = 1e-3, most = 1000;
  double times = seconds > enough / most ? ceil(enough / seconds) : most;
  if (w->input != FG_BENCH_KEEPS) {
    const ptrdiff_t sides = s->p->kind == FG_R2R ? (ptrdiff_t)1 << s->p->transform.rank : 1; /* a kind is twice as long, or so */
    const double limit = (double)fg_bench_in_place_limit(fg_tensor_size(&s->p->transform) * sides) * (double)s->pairs;
    if (times > limit) times = limit;
  }
  return (int)times;
}

static int warm_up(fg_bench_subject *s, const fg_bench_work *w, double *seconds) {
  const double start = fg_clock_seconds();
  int code = FG_OK;
  for (int i = 0; code == FG_OK && (i < 2 || fg_clock_seconds() - start < 0.02); i++)
    code = time_once(s, w, 1, seconds);
  return code;
}

const char *fg_bench_measure(fg_bench_subject *s, const fg_bench_work *w, double *median) {
  fg_bench_times times;
  double seconds = 0;
  int code = warm_up(s, w, &seconds);
  const int each = code == FG_OK ? times_for(s, w, seconds) : 1;
  if (code != FG_OK) return fg_backend_message();
  if (!fg_bench_times_begin(&times, s->b->options, INFINITY)) return "out of memory";
  while (code == FG_OK && fg_bench_times_more(&times)) {
    code = time_once(s, w, each, &seconds);
    fg_bench_times_add(&times, seconds * 1e6);
  }
  *median = fg_bench_times_median(&times);
  return code == FG_OK ? NULL : fg_backend_message();
}

const char *fg_bench_measure_ours(fg_bench_subject *s, double *median) {
  const fg_bench_work in = {ours_in_place, FG_BENCH_IN_PLACE, s->residents}, out = {ours, FG_BENCH_KEEPS, s->residents};
  return fg_bench_measure(s, s->in_place ? &in : &out, median);
}

const char *fg_bench_measure_copy(fg_bench_subject *s, double *median) {
  return fg_bench_measure(s, &(fg_bench_work){copy, FG_BENCH_KEEPS, false}, median);
}

const char *fg_bench_measure_peer(fg_bench_subject *s, bool in_place, double *median) {
  const fg_bench_work in = {peer_in_place, FG_BENCH_IN_PLACE, false};
  const fg_bench_work out = {peer_out_of_place, s->p->kind == FG_C2R ? FG_BENCH_DESTROYS : FG_BENCH_KEEPS, false};
  return fg_bench_measure(s, in_place ? &in : &out, median);
}
