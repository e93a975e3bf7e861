/* sim.c: the backend contract (cuda/backend.h) fulfilled on the CPU: virtual H200s, one unless a test asks for two. */
#include "config.h"

#include "cuda/sim/sim.h"

#include "cuda/backend.h"
#include "cuda/sim/block.h"
#include "cuda/sim/chain.h"
#include "cuda/sim/compile.h"
#include "cuda/sim/fault.h"
#include "cuda/sim/host.h"
#include "cuda/sim/memory.h"
#include "cuda/sim/shared.h"
#include "src/report/clock.h"

#include <fenv.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct fg_device {
  fg_device_info info;
};

struct fg_stream {
  char unused; /* work has happened when its call returns */
};

#define SIM_H200                                                                                               \
  {                                                                                                            \
    .info = {.name = "sim", .driver = "", .arch = 90, .double_ratio = 2, .multiprocessors = 132, .threads_block = FG_BLOCK_THREADS, \
             .threads_sm = 2048, .shared_block = 227 * 1024, .shared_sm = 228 * 1024, .cluster = 16, .registers_sm = 65536,   \
             .memory = (size_t)8 << 30, .l2 = (size_t)60 << 20, .reads_host = true}                            \
  }

enum { MOST_DEVICES = 2 };
static fg_device devices[MOST_DEVICES] = {SIM_H200, SIM_H200};
static int device_count = 1;
static fg_stream default_stream;

void fg_sim_set_devices(int count) { device_count = count; }

void fg_sim_set_double_ratio(int ratio) {
  for (int d = 0; d < MOST_DEVICES; d++) devices[d].info.double_ratio = ratio;
}

static void set_small(size_t shared_block, int cluster) {
  for (int d = 0; d < MOST_DEVICES; d++) {
    devices[d].info.shared_block = shared_block;
    devices[d].info.multiprocessors = 4;
    devices[d].info.cluster = cluster;
  }
}

void fg_sim_set_small(size_t shared_block) { set_small(shared_block, 1); }

enum { LEAST_SHARED = 1024, MOST_CLUSTER = 16 };

static pthread_once_t small_once = PTHREAD_ONCE_INIT;
static bool small_readable;

static void read_small(void) {
  const char *text = getenv("FFTW3_GPU_SIM_SMALL");
  small_readable = !text;
  if (!text) return;
  char *end;
  const unsigned long shared = strtoul(text, &end, 10), cluster = *end == '/' ? strtoul(end + 1, &end, 10) : 1;
  small_readable = !*end && shared >= LEAST_SHARED && shared <= devices[0].info.shared_sm && cluster >= 1 &&
                   cluster <= MOST_CLUSTER;
  if (small_readable) set_small(shared, (int)cluster);
}

static int small_environment(void) {
  pthread_once(&small_once, read_small);
  if (small_readable) return 0;
  return fg_backend_fail(FG_ENODEVICE, "sim: FFTW3_GPU_SIM_SMALL takes BYTES or BYTES/BLOCKS, of 1024 to 233472 and 1 to 16");
}

static int ordinal_of(const fg_device *device) { return (int)(device - devices); }

static atomic_size_t launches, pinned, streams, transfers;
static _Thread_local size_t launches_here;

size_t fg_sim_launches_here(void) { return launches_here; }

fg_sim_counters fg_sim_count(void) {
  return (fg_sim_counters){.compiles = fg_sim_compiles(),
                           .launches = launches,
                           .allocations = fg_sim_memory_count() + pinned,
                           .streams = streams,
                           .chains = fg_sim_chain_count(),
                           .registered = fg_sim_host_count(),
                           .transfers = transfers};
}

static int sim_count(void) { return device_count; }

static int sim_open(int ordinal, fg_device **device) {
  if (ordinal < 0 || ordinal >= device_count)
    return fg_backend_fail(FG_ENODEVICE, "sim: there is no device %d", ordinal);
  *device = &devices[ordinal];
  const int status = small_environment();
  return status ? status : fg_fault_environment();
}

static const fg_device_info *sim_info(const fg_device *device) { return &device->info; }

static bool sim_pointers(void) { return fg_sim_memory_count() > 0 || fg_sim_host_count() > 0; }

/* The program that could is a test, which says so by its pointers. */
static bool sim_used_by_program(void) { return false; }

static void sim_pointer(const void *p, fg_pointer *what) {
  *what = (fg_pointer){.kind = FG_POINTER_HOST};
  fg_sim_memory_lock();
  const fg_sim_allocation *a = fg_sim_memory_find(p, 1);
  if (a)
    *what = (fg_pointer){a->adopted   ? FG_POINTER_PINNED
                         : a->managed ? FG_POINTER_MANAGED
                                      : FG_POINTER_DEVICE,
                         a->ordinal, a->memory, a->bytes, NULL};
  fg_sim_memory_unlock();
}

static int sim_begin(fg_device *device) {
  (void)device;
  return 1;
}

static void sim_end(fg_device *device, int begun) { (void)device, (void)begun; }

/* ---- memory ---- */

static int sim_memory_alloc(fg_device *device, size_t bytes, void **memory) {
  int fault = fg_fault_due(FG_FAULT_ALLOC);
  if (fault)
    return fault;
  *memory = fg_sim_memory_new(bytes, device->info.memory, ordinal_of(device), false);
  return *memory ? 0 : fg_backend_fail(FG_ENOMEM, "sim: no %zu bytes of device memory", bytes);
}

void *fg_sim_managed(size_t bytes) { return fg_sim_memory_new(bytes, devices[0].info.memory, 0, true); }

void fg_sim_managed_free(void *memory) { fg_sim_memory_drop(memory); }

static int sim_memory_free(fg_device *device, void *memory) {
  fg_pointer where;
  if (!memory)
    return FG_OK;
  sim_pointer(memory, &where);
  if (where.kind == FG_POINTER_DEVICE && where.ordinal != ordinal_of(device))
    fg_sim_violation("memory_free: %p is on device %d, not on %d", memory, where.ordinal, ordinal_of(device));
  int result = fg_sim_memory_drop(memory);
  if (result == -1)
    fg_sim_violation("memory_free: %p is no allocation", memory);
  if (result == -2)
    fg_sim_violation("memory_free: memory around the allocation %p was written", memory);
  return FG_OK;
}

static int sim_memory_available(fg_device *device, size_t *free_bytes) {
  size_t used = fg_sim_memory_used();
  *free_bytes = device->info.memory - used;
  return 0;
}

static int sim_pinned_alloc(fg_device *device, size_t bytes, void **memory) {
  const size_t page = 4096;
  int fault = fg_fault_due(FG_FAULT_PINNED);
  (void)device;
  if (fault)
    return fault;
  const size_t pages = bytes <= SIZE_MAX - page ? (bytes / page + 1) * page : 0, words = (bytes + 3) / 4 * 4;
  void *block = pages ? aligned_alloc(page, pages) : NULL;
  if (!block || !fg_sim_memory_adopt(block, words)) { /* kernels reach pinned memory, too */
    free(block);
    return fg_backend_fail(FG_ENOMEM, "sim: no %zu bytes of host memory", bytes);
  }
  *memory = block;
  pinned++;
  return 0;
}

static void sim_pinned_free(fg_device *device, void *memory) {
  (void)device;
  if (!memory)
    return;
  pinned--;
  fg_sim_memory_disown(memory);
  free(memory);
}

static int sim_host_register(fg_device *device, void *memory, size_t bytes) {
  int fault = fg_fault_due(FG_FAULT_PINNED);
  (void)device;
  return fault ? fault : fg_sim_host_register(memory, bytes);
}

static int sim_host_unregister(fg_device *device, void *memory) {
  (void)device;
  return fg_sim_host_unregister(memory);
}

/* ---- streams and copies ---- */

static int sim_stream_create(fg_device *device, fg_stream **stream) {
  int fault = fg_fault_due(FG_FAULT_STREAM);
  (void)device;
  if (fault)
    return fault;
  *stream = calloc(1, sizeof **stream);
  if (!*stream)
    return fg_backend_fail(FG_ENOMEM, "sim: no host memory for a stream");
  streams++;
  return 0;
}

static int sim_stream_of_program(fg_device *device, void *native, fg_stream **stream) {
  (void)device;
  *stream = native ? native : &default_stream;
  return 0;
}

static void sim_stream_destroy(fg_device *device, fg_stream *stream) {
  (void)device;
  streams -= stream != NULL;
  free(stream);
}

static int sim_stream_wait(fg_device *device, fg_stream *stream) {
  (void)device, (void)stream;
  return fg_fault_due(FG_FAULT_WAIT);
}

static int copy_check(const void *device_side, size_t bytes, const fg_sim_allocation **a) {
  char where[100];
  *a = fg_sim_memory_find(device_side, bytes);
  if (*a || bytes == 0)
    return 0;
  fg_sim_memory_describe(device_side, where, sizeof where);
  return fg_sim_violation("copy of %zu bytes at %s: outside every allocation", bytes, where);
}

/* 0 with the memory's lock held, which is the inner one: who registers memory of the host's takes that one second. */
static int copy_begin(void) {
  int fault = fg_fault_due(FG_FAULT_COPY);
  if (!fault)
    fault = fg_sim_host_check();
  if (!fault)
    fg_sim_memory_lock();
  return fault;
}

static int sim_copy_rows_in(fg_device *device, void *device_to, const void *host_from, fg_copy_rows r,
                            fg_stream *stream) {
  const fg_sim_allocation *a;
  (void)device, (void)stream;
  transfers++;
  int result = copy_begin();
  if (result < 0)
    return result;
  result = copy_check(device_to, r.bytes * r.rows, &a);
  for (size_t i = 0; result == 0 && i < r.rows; i++)
    memcpy((char *)device_to + i * r.bytes, (const char *)host_from + i * r.pitch, r.bytes);
  if (result == 0 && r.bytes * r.rows > 0)
    fg_sim_memory_mark(a, device_to, r.bytes * r.rows);
  fg_sim_memory_unlock();
  return result;
}

/* Words never written may be copied out: gaps of a layout travel with it. */
static int sim_copy_rows_out(fg_device *device, void *host_to, const void *device_from, fg_copy_rows r,
                             fg_stream *stream) {
  const fg_sim_allocation *a;
  (void)device, (void)stream;
  transfers++;
  int result = copy_begin();
  if (result < 0)
    return result;
  result = copy_check(device_from, r.bytes * r.rows, &a);
  for (size_t i = 0; result == 0 && i < r.rows; i++)
    memcpy((char *)host_to + i * r.pitch, (const char *)device_from + i * r.bytes, r.bytes);
  fg_sim_memory_unlock();
  return result;
}

static int sim_copy_in(fg_device *device, void *device_to, const void *host_from, size_t bytes, fg_stream *stream) {
  return sim_copy_rows_in(device, device_to, host_from, (fg_copy_rows){bytes, bytes > 0, bytes}, stream);
}

static int sim_copy_out(fg_device *device, void *host_to, const void *device_from, size_t bytes, fg_stream *stream) {
  return sim_copy_rows_out(device, host_to, device_from, (fg_copy_rows){bytes, bytes > 0, bytes}, stream);
}

/* All of it counts as written then, also what was not: gaps travel with it. */
static int sim_copy_within(fg_device *device, void *device_to, const void *device_from, size_t bytes,
                           fg_stream *stream) {
  const fg_sim_allocation *from, *to;
  (void)device, (void)stream;
  int result = copy_begin();
  if (result < 0)
    return result;
  result = copy_check(device_from, bytes, &from);
  if (result == 0)
    result = copy_check(device_to, bytes, &to);
  if (result == 0 && bytes > 0) {
    memcpy(device_to, device_from, bytes);
    fg_sim_memory_mark(to, device_to, bytes);
  }
  fg_sim_memory_unlock();
  return result;
}

/* ---- events: streams run at once, so an event is the time when it was recorded ---- */

struct fg_event {
  uint64_t at; /* ns */
};

static int sim_event_create(fg_device *device, fg_event **event) {
  int fault = fg_fault_due(FG_FAULT_EVENT);
  (void)device;
  if (fault)
    return fault;
  *event = calloc(1, sizeof **event);
  return *event ? 0 : fg_backend_fail(FG_ENOMEM, "sim: no host memory for an event");
}

static void sim_event_destroy(fg_device *device, fg_event *event) {
  (void)device;
  free(event);
}

static int sim_event_record(fg_device *device, fg_event *event, fg_stream *stream) {
  (void)device, (void)stream;
  event->at = fg_clock_nanoseconds();
  return fg_fault_due(FG_FAULT_ORDER);
}

static int sim_event_elapsed(fg_device *device, fg_event *a, fg_event *b, double *seconds) {
  (void)device;
  *seconds = 1e-9 * ((double)b->at - (double)a->at);
  return 0;
}

static int sim_stream_wait_event(fg_device *device, fg_stream *stream, fg_event *event) {
  (void)device, (void)stream, (void)event;
  return fg_fault_due(FG_FAULT_ORDER);
}

static int sim_event_wait(fg_device *device, fg_event *event) {
  (void)device, (void)event;
  return fg_fault_due(FG_FAULT_WAIT);
}

static int sim_event_reached(fg_device *device, fg_event *event) {
  (void)device, (void)event;
  const int fault = fg_fault_due(FG_FAULT_WAIT);
  return fault ? fault : 1;
}

/* ---- kernels ---- */

static int sim_kernels(fg_device *device, int count, const fg_kernel_request *requests, fg_kernel **kernels) {
  int fault = fg_fault_due(FG_FAULT_COMPILE);
  (void)device;
  return fault ? fault : fg_sim_kernels(count, requests, kernels);
}

static bool sim_kernels_kept(fg_device *device, int count, const fg_kernel_request *requests) {
  (void)device;
  return fg_sim_kernels_kept(count, requests);
}

/* What a real device would refuse to launch. */
static int check_launch(const fg_device_info *info, const fg_kernel_launch *l) {
  const fg_kernel *const k = l->kernel;
  const unsigned grid = l->grid, block = l->block;
  if (grid == 0 || grid > INT32_MAX || block == 0 || block > (unsigned)info->threads_block)
    return fg_sim_violation("kernel %s: cannot launch %u blocks of %u threads", k->name, grid, block);
  const unsigned cluster = k->exports->cluster;
  if (cluster > FG_CLUSTER_BLOCKS || (cluster > 1 && info->arch < 90) || grid % cluster)
    return fg_sim_violation("kernel %s: cannot launch %u blocks in clusters of %u", k->name, grid, cluster);
  if (l->shared > info->shared_block || l->shared > k->shared)
    return fg_sim_violation("kernel %s: launched with %zu bytes of shared memory; announced %zu, a block may have %zu",
                            k->name, l->shared, k->shared, info->shared_block);
  if (l->args_bytes != k->exports->args_bytes)
    return fg_sim_violation("kernel %s: launched with %zu bytes of arguments instead of %lu", k->name, l->args_bytes,
                            k->exports->args_bytes);
  return 0;
}

static int launch_one(fg_device *device, const fg_kernel_launch *l) {
  int result = check_launch(&device->info, l);
  if (result == 0)
    result = fg_sim_host_check();
  if (result < 0)
    return result;
  /* The program's rounding mode, traps and flushing of denormals are none of the device's. */
  fenv_t of_program;
  fegetenv(&of_program);
  fesetenv(FE_DFL_ENV);
  launches++;
  launches_here++;
  const fg_sim_launch all = {l->kernel->name, ordinal_of(device), l->kernel->exports, l->grid, l->block, l->shared, l->args};
  result = fg_sim_run_grid(&all);
  fesetenv(&of_program);
  return result;
}

static int sim_launch(fg_device *device, fg_kernel *kernel, unsigned grid, unsigned block, size_t shared,
                      const void *args, size_t args_bytes, fg_stream *stream) {
  const int fault = fg_fault_due(FG_FAULT_LAUNCH);
  (void)stream;
  return fault ? fault : launch_one(device, &(fg_kernel_launch){kernel, grid, block, shared, args, args_bytes});
}

static int sim_chain_launch(fg_device *device, fg_chain *chain, fg_stream *stream) {
  (void)stream;
  return fg_sim_chain_run(chain, launch_one, device);
}

const fg_backend fg_backend_sim = {
    .name = "sim",
    .count = sim_count,
    .open = sim_open,
    .info = sim_info,
    .pointers = sim_pointers,
    .used_by_program = sim_used_by_program,
    .pointer = sim_pointer,
    .begin = sim_begin,
    .end = sim_end,
    .memory_alloc = sim_memory_alloc,
    .memory_free = sim_memory_free,
    .memory_available = sim_memory_available,
    .pinned_alloc = sim_pinned_alloc,
    .pinned_free = sim_pinned_free,
    .host_register = sim_host_register,
    .host_unregister = sim_host_unregister,
    .stream_create = sim_stream_create,
    .stream_destroy = sim_stream_destroy,
    .stream_of_program = sim_stream_of_program,
    .stream_wait = sim_stream_wait,
    .copy_in = sim_copy_in,
    .copy_out = sim_copy_out,
    .copy_rows_in = sim_copy_rows_in,
    .copy_rows_out = sim_copy_rows_out,
    .copy_within = sim_copy_within,
    .kernels = sim_kernels,
    .kernels_kept = sim_kernels_kept,
    .launch = sim_launch,
    .chain_make = fg_sim_chain_make,
    .chain_set = fg_sim_chain_set,
    .chain_launch = sim_chain_launch,
    .chain_destroy = fg_sim_chain_destroy,
    .event_create = sim_event_create,
    .event_destroy = sim_event_destroy,
    .event_record = sim_event_record,
    .event_elapsed = sim_event_elapsed,
    .stream_wait_event = sim_stream_wait_event,
    .event_wait = sim_event_wait,
    .event_reached = sim_event_reached,
};
