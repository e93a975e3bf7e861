/* sim.h: what tests may ask of the simulated device beside the backend contract.
 *
 * A device is a virtual H200.  A launch or copy has run when the call returns.  A kernel request whose source holds
 * a newline is taken as kernel text itself; any other source is the name of an embedded file.
 *
 * Every launch is checked; a violation ends it with FG_ELAUNCH and a message that names kernel, block, thread and
 * address:
 *   shared memory   beyond what the launch asked for; misaligned; a word read that this block never wrote; two threads
 *                   on one word, one of them writing, with no barrier between (granularity: words of 4 bytes)
 *   global memory   outside every live allocation; misaligned; a word read that nothing ever wrote; two blocks of one
 *                   launch on one word, one of them writing
 *   barriers        threads that finish, or wait for something else, while others wait for them
 *   clusters        a neighbour's shared memory written before a cluster barrier, when it may not have begun, or with none
 *                   after it, when it may be gone; races as above, where only cluster barriers order different blocks;
 *                   shared memory touched between arriving and waiting, which is not simulated
 *   launch          argument size, block size, shared memory beyond the device's or the kernel request's, clusters that
 *                   the grid is no multiple of
 * Copies are checked for bounds, registrations of host memory for whole pages and for pages registered twice.
 * Only memory reached through cuda/kernel/memory.h is seen.
 *
 * Environment:
 *   FFTW3_GPU_CXX        host compiler with flags, separated by blanks
 *   FFTW3_GPU_SIM_ABORT  1: a violation aborts the program, so that a fallback cannot hide it
 *   FFTW3_GPU_SIM_PAGES  1: before each copy and launch see that registered memory still has the pages that it had
 *                        (a fork gives the parent others on some systems: not for programs that do)
 *   FFTW3_GPU_SIM_SMALL  BYTES or BYTES/BLOCKS: devices of few multiprocessors whose blocks hold so many bytes (1024 and
 *                        more) and whose clusters so many blocks (default 1: none), as by fg_sim_set_small
 *   FFTW3_GPU_SIM_FAIL   faults, as for fg_sim_set_faults; an unreadable text makes open() fail */
#ifndef FG_SIM_H
#define FG_SIM_H

#include <stddef.h>

/* Faults: "kind:n,…": the n-th call (from 1, counted from here on) of that kind fails; "kind:n-m": all up to the m-th;
 * "kind:n+": so do all later ones; "kind:n/m": so does each m-th after it.
 *   alloc    memory_alloc    FG_ENOMEM        copy    every copy         FG_ELAUNCH
 *   pinned   pinned_alloc,   FG_ENOMEM        launch  launch             FG_ELAUNCH
 *            host_register
 *   stream   stream_create   FG_ENOMEM        wait    stream_wait        FG_ELAUNCH
 *   compile  kernels         FG_ECOMPILE      event   event_create       FG_ENOMEM
 *   order    event_record, stream_wait_event  FG_ELAUNCH
 *   chain    chain_make, chain_set, chain_launch  FG_ELAUNCH
 *   any      any of these, as its own kind fails
 *   lost     any of these: this call and all later ones of any kind, FG_ELOST
 * NULL or "": none.  Replaces the faults set before.  Returns 0, or -1 (no faults then) when spec is not readable. */
int fg_sim_set_faults(const char *spec);

typedef struct {
  size_t compiles;    /* compiler runs */
  size_t launches;    /* launches begun on the device, violations included */
  size_t allocations; /* device and pinned allocations alive */
  size_t streams;     /* streams alive */
  size_t chains;      /* chains alive */
  size_t registered;  /* ranges of host memory registered */
  size_t transfers;   /* copies begun between host and device */
} fg_sim_counters;

/* How many devices there are, 1 or 2; before the first is opened. */
void fg_sim_set_devices(int count);

/* They are devices whose double precision takes so many times as long as single. */
void fg_sim_set_double_ratio(int ratio);

/* They are devices of few blocks that hold so many bytes each, so that small problems take the passes of large ones. */
void fg_sim_set_small(size_t shared_block);

/* Managed memory of device 0: NULL if there is none left.  What the host writes there counts as written. */
void *fg_sim_managed(size_t bytes);
void fg_sim_managed_free(void *memory);

/* Of this process, since its start. */
fg_sim_counters fg_sim_count(void);

/* Launches by the calling thread, since it began. */
size_t fg_sim_launches_here(void);

/* Global-memory traffic of one launch: sectors of 32 bytes, each counted once for every access of a warp that touches
 * it (what the first cache serves included), and bytes that are touched at all; tables of factors apart.  Lanes that
 * leave out a repetition of a loop are taken to be behind by one, so that sectors are at most too many. */
typedef struct {
  size_t read_sectors, written_sectors, table_sectors;
  size_t read_bytes, written_bytes;
} fg_sim_traffic;

/* Count that of every launch from here on, which makes them slow; no two may run at once.  The kernels are to be compiled with
 * FG_SIM_SITES (by FFTW3_GPU_CXX), or accesses of one function are taken for one, wherever it is called. */
void fg_sim_traffic_begin(void);

/* Count no more; the launches so far in their order, at most so many.  How many there were. */
int fg_sim_traffic_end(fg_sim_traffic *list, int most);

#endif
