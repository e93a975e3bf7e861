/* staging.c: arrays that DMA does not reach: through a ring of pinned pieces for each direction.
 *
 * The movers gather and scatter; the executing thread gives pieces to DMA when they are full, and to the movers when
 * they have come, and copies with them while it has to wait. */
#include "src/run/host/copy.h"
#include "src/run/host/flow.h"
#include "src/run/host/transfer.h"

size_t fg_pipeline_piece = 0, fg_pipeline_part = 0;

/* Measured on the reference H200 (doc/measurements.md): a piece costs calls of the driver and a gap on the link of 2 to
 * 3 us, but the first has to be gathered and the last scattered while the link does nothing. */
static const size_t least_piece = 512 << 10, most_piece = 4 << 20;
enum { PIECES = 4 };

/* Measured there, too: cut, arrays in pieces of 512 KB to 1.5 MB took 2 to 8 % longer, of 2 MB 1 % less, of 4 MB 0 to 6. */
static const size_t least_cut = 2 << 20;

/* Of a piece, what one thread copies at a time; and of an array, what is copied before another thread is awake. */
static const size_t least_part = 32 << 10, alone_below = 128 << 10;

/* Results that the caches hold stay there: the program goes on with them, and until then they are written faster, since
 * their old lines mostly are there, too. Measured on the same machine, with 300 MB of last cache: results of 6 to 54 MB
 * gained (of two arrays of 54 MB in four rounds of five), of 77 neither gained nor lost, of 128 and more lost. Staging would
 * stay there, too, from where DMA fetches it at half the speed; that of larger arrays, beside results that go past the cache,
 * does no harm. */
enum { LAST_CACHE_SHARE = 4 };
static const size_t least_held = 4 << 20, least_staged_past = 24 << 20;

fg_past_cache fg_staging_past_cache(size_t staged, size_t results, size_t last_cache) {
  const size_t share = last_cache / LAST_CACHE_SHARE;
  return (fg_past_cache){.staging = staged < (share > least_staged_past ? share : least_staged_past),
                         .results = results >= (share > least_held ? share : least_held)};
}

size_t fg_staging_piece(const fg_end *e) {
  const size_t all = fg_end_plane_size(e), element = fg_layout_element_size(e->layout);
  size_t piece = all / PIECES;
  if (piece < least_piece) piece = least_piece;
  if (piece > most_piece) piece = most_piece;
  if (fg_pipeline_piece) piece = fg_pipeline_piece;
  if (piece > all) piece = all;
  return piece < element ? element : (piece + element - 1) / element * element;
}

/* Of a plane of the program's. */
static size_t array_bytes(const fg_end *e) {
  return (size_t)(e->layout->elements * e->layout->unit) * fg_real_size(e->layout->precision);
}

/* ---- steps in parcels ---- */

/* Of each plane as few as possible, all about equal. But while the first of all is gathered, and the last is scattered, the
 * link has nothing to do: a large one is cut into an eighth, another, a quarter and a half, smallest at that end. */
typedef struct {
  ptrdiff_t each; /* of a plane, if none were cut */
  bool first_cut, last_cut;
} parcelling;

enum { CUTS = 3, EIGHTHS = 8 };

static parcelling parcelling_of(const fg_end *e, const fg_step *s) {
  const ptrdiff_t most = (ptrdiff_t)(e->piece / fg_layout_element_size(e->layout)), each = (s->count + most - 1) / most;
  const size_t bytes = (size_t)(s->count / each) * fg_layout_element_size(e->layout);
  const size_t least = fg_pipeline_piece ? fg_pipeline_piece / 2 : least_cut;
  const bool worth = !e->uncut && bytes >= least && s->count / each >= EIGHTHS;
  return (parcelling){each, worth && s->kind == FG_ARRIVE && s->first == 0,
                      worth && s->kind == FG_LEAVE && s->first + s->count == e->layout->elements};
}

static size_t count_of(parcelling p, ptrdiff_t planes) {
  return (size_t)(p.each * planes + (p.first_cut || p.last_cut ? CUTS : 0));
}

static size_t parcels(const fg_end *e, const fg_step *s) { return count_of(parcelling_of(e, s), fg_end_planes(e)); }

/* Of count elements, those before share i of so many. */
static ptrdiff_t before(ptrdiff_t count, ptrdiff_t shares, ptrdiff_t i) {
  return count / shares * i + (i < count % shares ? i : count % shares);
}

/* Of count elements of a plane, those before parcel i; the parcel at either end is cut, or none is. */
static ptrdiff_t before_parcel(ptrdiff_t count, ptrdiff_t each, bool first_cut, bool last_cut, ptrdiff_t i) {
  static const ptrdiff_t eighths[] = {0, 1, 2, 4};
  const ptrdiff_t left = each + CUTS - i;
  if (first_cut && i <= CUTS) return before(count, each, 1) * eighths[i] / EIGHTHS;
  if (last_cut && left <= CUTS) return count - (count - before(count, each, each - 1)) * eighths[left] / EIGHTHS;
  return before(count, each, first_cut ? i - CUTS : i);
}

static fg_parcel parcel_of(const fg_end *e, const fg_step *s, size_t number) {
  const parcelling p = parcelling_of(e, s);
  const ptrdiff_t planes = fg_end_planes(e), uncut = (ptrdiff_t)number - (p.first_cut ? CUTS : 0);
  const ptrdiff_t plane = uncut < 0 ? 0 : uncut / p.each < planes ? uncut / p.each : planes - 1;
  const bool first_cut = p.first_cut && plane == 0, last_cut = p.last_cut && plane == planes - 1;
  const ptrdiff_t i = (first_cut ? (ptrdiff_t)number : uncut) - plane * p.each;
  const ptrdiff_t from = before_parcel(s->count, p.each, first_cut, last_cut, i);
  const ptrdiff_t to = before_parcel(s->count, p.each, first_cut, last_cut, i + 1);
  return (fg_parcel){(int)plane, s->first + from, to - from, number + 1 == count_of(p, planes)};
}

/* The parcel that is to be gathered next; false after the last. */
static bool next_parcel(fg_flow *f, fg_parcel *p) {
  for (; f->next_step < f->schedule->count; f->next_step++, f->next_parcel = 0) {
    const fg_step *s = &f->schedule->step[f->next_step];
    if (s->kind != FG_ARRIVE || f->next_parcel >= parcels(&f->in, s)) continue;
    *p = parcel_of(&f->in, s, f->next_parcel++);
    return true;
  }
  return false;
}

/* ---- on the belts ---- */

typedef struct {
  ptrdiff_t first, count;
  char *staging;
} part;

static part part_of(const fg_flow *f, enum fg_side side, size_t piece, int i, int parts) {
  const fg_parcel *p = &f->staged[side].parcel[piece % FG_RING];
  const fg_end *e = side == FG_INPUT ? &f->in : &f->out;
  const ptrdiff_t from = before(p->count, parts, i), to = before(p->count, parts, i + 1);
  char *const staging = f->slot->ring[side].piece[piece % FG_RING];
  return (part){p->first + from, to - from, staging + (size_t)from * fg_layout_element_size(e->layout)};
}

static void gather(void *context, size_t piece, int i, int parts) {
  fg_flow *f = context;
  fg_staged *const s = &f->staged[FG_INPUT];
  const part p = part_of(f, FG_INPUT, piece, i, parts);
  void *const array = f->in.array[s->parcel[piece % FG_RING].plane];
  s->largest[piece % FG_RING][i] =
      p.count ? fg_transfer_gather(f->in.layout, array, p.first, p.count, p.staging, s->past_cache) : 0;
}

static void scatter(void *context, size_t piece, int i, int parts) {
  const fg_flow *f = context;
  const fg_staged *s = &f->staged[FG_OUTPUT];
  const part p = part_of(f, FG_OUTPUT, piece, i, parts);
  void *const array = f->out.array[s->parcel[piece % FG_RING].plane];
  if (p.count) fg_transfer_scatter(f->out.layout, array, p.first, p.count, p.staging, s->past_cache);
}

/* The places of the ring in which results will come: DMA writes lines that processors have in their caches, from when they
 * scattered the last ones, at half the speed. */
static void clean(void *context, size_t piece, int i, int parts) {
  const fg_flow *f = context;
  const ptrdiff_t bytes = (ptrdiff_t)f->out.piece, from = before(bytes, parts, i), to = before(bytes, parts, i + 1);
  fg_copy_leave_caches((char *)f->slot->ring[FG_OUTPUT].piece[piece] + from, (size_t)(to - from));
}

static int parts(const fg_end *e) {
  const size_t n = e->piece / (fg_pipeline_part ? fg_pipeline_part : least_part);
  return n < 1 ? 1 : n > FG_PARTS ? FG_PARTS : (int)n;
}

static void measure(fg_flow *f, size_t piece) {
  const fg_staged *s = &f->staged[FG_INPUT];
  for (int i = 0; i < s->belt->parts; i++)
    if (s->largest[piece % FG_RING][i] > f->largest) f->largest = s->largest[piece % FG_RING][i];
}

/* ---- what goes on while the executing thread would wait ---- */

static int reached(const fg_flow *f, enum fg_side side, size_t piece) {
  return f->target->backend->event_reached(f->target->device, f->slot->ring[side].copied[piece % FG_RING]);
}

/* The piece's place in the ring is free: DMA has read what was there before. */
static int free_to_gather(const fg_flow *f, size_t piece) {
  if (piece < FG_RING) return 1;
  if (piece - FG_RING >= f->staged[FG_INPUT].sent) return 0;
  return reached(f, FG_INPUT, piece);
}

static int open_gathers(fg_flow *f) {
  fg_staged *const s = &f->staged[FG_INPUT];
  fg_parcel p;
  int is_free;
  while ((is_free = free_to_gather(f, s->opened)) > 0 && next_parcel(f, &p)) {
    s->parcel[s->opened++ % FG_RING] = p;
    fg_belt_open(s->belt);
  }
  return is_free < 0 ? is_free : FG_OK;
}

static int send_out(const fg_flow *f, size_t place) {
  const fg_parcel *p = &f->staged[FG_OUTPUT].parcel[place];
  const fg_ring *ring = &f->slot->ring[FG_OUTPUT];
  const int code = fg_flow_copy_out(f, p->plane, p->first, p->count, ring->piece[place]);
  return code == FG_OK ? fg_flow_record(f, ring->copied[place], FG_STREAM_OUT) : code;
}

/* The piece that has to have come before the next one is scattered. */
static size_t awaited(const fg_flow *f) {
  const fg_staged *s = &f->staged[FG_OUTPUT];
  size_t piece = s->opened;
  while (f->by_steps && piece < s->sent && !s->parcel[piece % FG_RING].last) piece++;
  return piece;
}

static int open_scatters(fg_flow *f) {
  fg_staged *const s = &f->staged[FG_OUTPUT];
  int come = 1;
  for (size_t piece; (piece = awaited(f)) < s->sent && (come = reached(f, FG_OUTPUT, piece)) > 0;) {
    f->writing = true;
    for (; s->opened <= piece; s->opened++) fg_belt_open(s->belt);
  }
  return come < 0 ? come : FG_OK;
}

/* Turns: how often this wait has called. */
static int go_on(fg_flow *f, unsigned turns) {
  fg_staged *const in = &f->staged[FG_INPUT], *const out = &f->staged[FG_OUTPUT];
  int code = in->belt ? open_gathers(f) : FG_OK;
  if (code == FG_OK && out->belt) code = open_scatters(f);
  if (code != FG_OK) return code;
  if ((out->belt && fg_belt_help(out->belt)) || (in->belt && fg_belt_help(in->belt))) return FG_OK;
  fg_belt_pause(turns);
  return FG_OK;
}

static int wait_for(fg_flow *f, const fg_belt *b, size_t piece) {
  int code = FG_OK;
  for (unsigned turns = 0; code == FG_OK && !fg_belt_done(b, piece); turns++) code = go_on(f, turns);
  return code;
}

/* ---- begin and end ---- */

static void start(fg_flow *f, enum fg_side side, fg_belt_part part) {
  fg_staged *const s = &f->staged[side];
  const fg_end *e = side == FG_INPUT ? &f->in : &f->out;
  if (e->direct) return;
  s->belt = f->movers ? &f->movers->belt[side] : &s->own;
  fg_belt_start(s->belt, part, f, parts(e));
}

/* No more than the ring holds: else the pieces of a step would wait for each other. */
static bool steps_fit(const fg_flow *f) {
  for (int i = 0; i < f->schedule->count; i++)
    if (f->schedule->step[i].kind == FG_LEAVE && parcels(&f->out, &f->schedule->step[i]) > FG_RING) return false;
  return true;
}

/* Copying waits for the link or the host's memory, and is no faster by more threads than eight. Converting has twice as
 * much to read or to write as the link carries: of 16 processors 12 took 256^3 doubles as single from 6.5 to 5.7 ms, though
 * nothing from what the caches hold. */
static const size_t much_to_convert = 32 << 20;

static int worth_threads(const fg_flow *f) {
  const size_t bytes = array_bytes(&f->in) * (size_t)fg_end_planes(&f->in);
  return fg_layout_converts(f->in.layout) && bytes >= much_to_convert ? FG_MANY_MOVERS : FG_FEW_MOVERS;
}

static bool worth_movers(const fg_end *e) { return !e->direct && array_bytes(e) >= alone_below; }

/* The movers have nothing else to do while the last of the input comes, and until the passes are done. What is larger leaves
 * the processors' own caches by itself: measured, images of up to 4 MB gained 10 to 25 %, of 5.9 MB 2, of 8 lost 4. */
static const size_t most_cleaned = 6 << 20;

static bool worth_cleaning(const fg_flow *f) {
  const size_t bytes = fg_end_plane_size(&f->out) * (size_t)fg_end_planes(&f->out);
  return f->movers && !f->out.direct && !f->brief && bytes <= most_cleaned;
}

static size_t pieces_of_output(const fg_flow *f) {
  size_t sum = 0;
  for (int i = 0; i < f->schedule->count; i++)
    if (f->schedule->step[i].kind == FG_LEAVE) sum += parcels(&f->out, &f->schedule->step[i]);
  return sum;
}

static void start_cleaning(fg_flow *f) {
  const size_t pieces = pieces_of_output(f);
  f->cleaning = &f->movers->belt[FG_SPARE];
  fg_belt_start(f->cleaning, clean, f, parts(&f->out));
  for (size_t piece = 0; piece < pieces && piece < FG_RING; piece++) fg_belt_open(f->cleaning);
}

void fg_staging_begin(fg_flow *f) {
  /* A step of what is not undone has to fit into the ring; a brief result is one piece. */
  f->out.uncut = f->brief || (f->interleaved && fg_flow_is_final(f));
  f->movers = worth_movers(&f->in) || worth_movers(&f->out) ? fg_movers_take(worth_threads(f)) : NULL;
  start(f, FG_INPUT, gather);
  start(f, FG_OUTPUT, scatter);
  const size_t results = array_bytes(&f->out) * (size_t)fg_end_planes(&f->out);
  const fg_past_cache past = fg_staging_past_cache(fg_end_plane_size(&f->in), results, f->target->last_cache);
  f->staged[FG_INPUT].past_cache = past.staging;
  f->staged[FG_OUTPUT].past_cache = past.results;
  f->by_steps = f->interleaved && fg_flow_is_final(f) && steps_fit(f);
  if (f->staged[FG_INPUT].belt) open_gathers(f);
  if (worth_cleaning(f)) start_cleaning(f);
}

/* How far the belt has come, which the next execution may have from now on. */
static void keep_belt(fg_staged *s) {
  if (s->belt != &s->own) s->own = *s->belt;
  s->belt = &s->own;
}

void fg_staging_end(fg_flow *f) {
  if (f->cleaning) fg_belt_stop(f->cleaning);
  for (int side = 0; side < 2; side++) {
    if (!f->staged[side].belt) continue;
    fg_belt_stop(f->staged[side].belt);
    keep_belt(&f->staged[side]);
  }
  if (f->movers) fg_movers_give();
}

/* Pieces that nobody took are still in the ring. */
fg_progress fg_staging_settle(fg_flow *f) {
  const fg_staged *s = &f->staged[FG_OUTPUT];
  fg_progress p = {0, 0};
  size_t pieces = 0;
  for (size_t piece = s->opened < FG_RING ? 0 : s->opened - FG_RING; piece < s->opened; piece++)
    for (int i = 0; i < s->belt->parts && !fg_belt_done(s->belt, piece); i++) scatter(f, piece, i, s->belt->parts);
  for (int i = 0; i < f->schedule->count; i++) {
    const fg_step *step = &f->schedule->step[i];
    if (step->kind != FG_LEAVE) continue;
    if (pieces < s->opened) p.begun = step->first + step->count;
    pieces += parcels(&f->out, step);
    if (pieces <= s->opened) p.complete = step->first + step->count;
  }
  return p;
}

/* ---- the steps ---- */

int fg_staging_arrive(fg_flow *f, const fg_step *step) {
  fg_staged *const s = &f->staged[FG_INPUT];
  const fg_ring *ring = &f->slot->ring[FG_INPUT];
  for (size_t left = parcels(&f->in, step); left > 0; left--) {
    const size_t place = s->sent % FG_RING;
    const fg_parcel *p = &s->parcel[place];
    while (s->opened <= s->sent) {
      const int code = go_on(f, 0);
      if (code != FG_OK) return code;
    }
    int code = wait_for(f, s->belt, s->sent);
    if (code == FG_OK) measure(f, s->sent);
    if (code == FG_OK) code = fg_flow_copy_in(f, p->plane, p->first, p->count, ring->piece[place]);
    if (code == FG_OK) code = fg_flow_record(f, ring->copied[place], FG_STREAM_IN);
    if (code != FG_OK) return code;
    s->sent++;
  }
  return FG_OK;
}

int fg_staging_leave(fg_flow *f, const fg_step *step) {
  fg_staged *const s = &f->staged[FG_OUTPUT];
  const size_t all = parcels(&f->out, step);
  for (size_t i = 0; i < all; i++) {
    int code = s->sent < FG_RING ? FG_OK : wait_for(f, s->belt, s->sent - FG_RING);
    if (code != FG_OK) return code;
    s->parcel[s->sent % FG_RING] = parcel_of(&f->out, step, i);
    code = send_out(f, s->sent % FG_RING);
    if (code != FG_OK) return code;
    s->sent++;
  }
  return FG_OK;
}

int fg_staging_finish(fg_flow *f) {
  fg_staged *const s = &f->staged[FG_OUTPUT];
  for (size_t piece = s->sent < FG_RING ? 0 : s->sent - FG_RING; piece < s->sent; piece++) {
    const int code = wait_for(f, s->belt, piece);
    if (code != FG_OK) return code;
  }
  return FG_OK;
}
