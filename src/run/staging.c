/* staging.c: arrays that DMA does not reach: through a ring of pinned pieces for each direction. */
#include "src/run/flow.h"
#include "src/run/transfer.h"

size_t fg_pipeline_piece = 0;

/* Staging pieces, in bytes. Each costs about 25 us of waiting and waking (measured on the reference H200), so they are
 * as large as their number allows; what is shorter than SHORT goes in one. */
static const size_t largest_piece = 8 << 20, large_piece = 4 << 20, short_piece = 1 << 20;
static const size_t many = 8; /* pieces there have to be before one is larger than large_piece */

/* As few shares as possible, all about equal. */
ptrdiff_t fg_staging_share(const fg_end *e, ptrdiff_t count) {
  const ptrdiff_t limit = (ptrdiff_t)(e->piece / fg_layout_element_size(e->layout));
  const ptrdiff_t shares = (count + limit - 1) / limit;
  return shares ? (count + shares - 1) / shares : 1;
}

int fg_staging_in(fg_flow *f, int plane, ptrdiff_t first, ptrdiff_t count) {
  fg_ring *const ring = &f->slot->ring[FG_INPUT];
  const size_t side = f->gathered % FG_RING;
  int code = f->gathered < FG_RING ? FG_OK : fg_flow_wait_event(f, ring->copied[side]);
  if (code != FG_OK) return code;
  f->gathered++;
  fg_transfer_gather(f->in.layout, f->in.array[plane], first, count, ring->piece[side]);
  code = fg_flow_copy_in(f, plane, first, count, ring->piece[side]);
  return code == FG_OK ? fg_flow_record(f, ring->copied[side], FG_STREAM_IN) : code;
}

/* Fetch a parcel anew when waiting for its copy failed and there is no way back. */
static int await_parcel(fg_flow *f, size_t side) {
  fg_ring *const ring = &f->slot->ring[FG_OUTPUT];
  const fg_parcel *p = &f->parcel[side];
  int code = f->target->backend->event_wait(f->target->device, ring->copied[side]);
  if (!fg_flow_again(f, code)) return code;
  code = fg_flow_copy_out(f, p->plane, p->first, p->count, ring->piece[side]);
  if (code == FG_OK) code = fg_flow_record(f, ring->copied[side], FG_STREAM_OUT);
  return code == FG_OK ? fg_flow_wait_event(f, ring->copied[side]) : code;
}

static int scatter_oldest(fg_flow *f) {
  const size_t side = f->scattered % FG_RING;
  const fg_parcel *p = &f->parcel[side];
  const int code = await_parcel(f, side);
  if (code != FG_OK) return code;
  f->writing = true;
  fg_transfer_scatter(f->out.layout, f->out.array[p->plane], p->first, p->count, f->slot->ring[FG_OUTPUT].piece[side]);
  f->scattered++;
  return FG_OK;
}

int fg_staging_out(fg_flow *f, int plane, ptrdiff_t first, ptrdiff_t count) {
  fg_ring *const ring = &f->slot->ring[FG_OUTPUT];
  const size_t side = f->fetched % FG_RING;
  int code = f->fetched - f->scattered < FG_RING ? FG_OK : scatter_oldest(f);
  if (code != FG_OK) return code;
  code = fg_flow_copy_out(f, plane, first, count, ring->piece[side]);
  if (code == FG_OK) code = fg_flow_record(f, ring->copied[side], FG_STREAM_OUT);
  f->parcel[side] = (fg_parcel){plane, first, count};
  f->fetched += code == FG_OK;
  return code;
}

/* The most that one step of the schedule moves of a plane. */
static size_t largest_step(const fg_end *e, const fg_schedule *s, enum fg_step_kind kind) {
  ptrdiff_t most = 1;
  for (int i = 0; i < s->count; i++)
    if (s->step[i].kind == kind && s->step[i].count > most) most = s->step[i].count;
  return (size_t)most * fg_layout_element_size(e->layout);
}

size_t fg_staging_piece(const fg_end *e, const fg_schedule *s, enum fg_step_kind kind) {
  const size_t step = largest_step(e, s, kind);
  const size_t all = fg_end_plane_size(e), element = fg_layout_element_size(e->layout);
  const size_t limit = all / many > large_piece ? largest_piece : large_piece;
  size_t piece = step > all / 2 && all > short_piece ? all / 2 : step;
  if (piece > limit) piece = limit;
  if (fg_pipeline_piece) piece = fg_pipeline_piece;
  if (piece > all) piece = all;
  return piece < element ? element : (piece + element - 1) / element * element;
}

int fg_staging_finish(fg_flow *f) {
  while (f->scattered < f->fetched) {
    const int code = scatter_oldest(f);
    if (code != FG_OK) return code;
  }
  return FG_OK;
}
