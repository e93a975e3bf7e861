/* backend.h: the device as one contract.  cuda*.c fulfil it with the CUDA driver and NVRTC, sim/ on the CPU.
 *
 * Conventions: a function that can fail returns 0 on success and a negative FG_E… code otherwise; the reason, as text,
 * is then fg_backend_message() of the calling thread.  Sizes are bytes.  All functions may be called from any thread.
 * Device memory is addressed by plain pointers (as in CUDA), which only kernels and the copy functions may follow. */
#ifndef FG_BACKEND_H
#define FG_BACKEND_H

#include <stdbool.h>
#include <stddef.h>

enum {
  FG_OK = 0,
  FG_ENODEVICE = -1,  /* no driver, no device, or this process may not use it (after fork) */
  FG_ENOMEM = -2,     /* device or pinned memory exhausted: smaller pieces may do */
  FG_ECOMPILE = -3,   /* a kernel did not compile or load */
  FG_ELAUNCH = -4,    /* a launch or copy failed; the device still answers */
  FG_ELOST = -5,      /* the device or its context is gone: nothing will work any more */
  FG_ERANGE = -6      /* of executions, none of the functions below: numbers that single precision does not hold */
};

typedef struct fg_device fg_device; /* one device, opened */
typedef struct fg_stream fg_stream; /* work in order */
typedef struct fg_event fg_event;   /* a point in a stream, to time and to order by */
typedef struct fg_chain fg_chain;   /* kernels that are launched at once */
typedef struct fg_graph fg_graph;   /* work that was recorded, to be given to a stream again and again at once */
typedef struct fg_kernel fg_kernel; /* one compiled kernel, loaded on one device; lives as long as the device */

typedef struct {
  char name[96];
  char driver[32];            /* driver version as text, "" on sim */
  int arch;                   /* compute capability × 10: 90 */
  int double_ratio;           /* single-precision flops in the time of a double-precision one: 2 … 64; 0: not known */
  int multiprocessors;
  int threads_block, threads_sm;
  size_t shared_block;        /* shared memory a block may have at most (opt-in) */
  size_t shared_sm;
  int cluster;                /* blocks that a cluster may have at most; up to 1: there are no clusters */
  int registers_sm;
  size_t memory, l2;
  bool reads_host;            /* kernels may follow pointers into registered host memory */
} fg_device_info;

/* Whether the blocks of a launch may take their places while those of the launch before are in their last stage
 * (programmatic dependent launch), where the device can: true, but for what is to be compared with.  Not after copies, and not
 * where a kernel's text is given, which does not wait by itself. */
extern bool fg_dependent_launches;

/* A kernel is asked for by what it is made of: a source file of cuda/kernel/ and the constants put in front of it. */
typedef struct {
  const char *source;   /* file name in cuda/kernel/, e.g. "tile.cu"; with a newline in it: the kernel's text itself */
  const char *defines;  /* lines "#define FG_N 1024\n…"; together with source the kernel's whole identity */
  const char *entry;    /* extern "C" name of the __global__ function */
  size_t shared;        /* dynamic shared memory that launches will ask for */
} fg_kernel_request;

/* What an address of this process points to. */
enum fg_pointer_kind {
  FG_POINTER_HOST,
  FG_POINTER_PINNED,  /* the host's, reached by DMA */
  FG_POINTER_DEVICE,
  FG_POINTER_MANAGED, /* both reach it */
  FG_POINTER_OWN,     /* the host's, of our arena (src/run/residence.h; no backend says so) */
  FG_POINTER_APART    /* a device's, in a context that is not ours: copies may reach it, kernels of ours do not */
};

typedef struct {
  enum fg_pointer_kind kind;
  int ordinal;      /* DEVICE, MANAGED, APART: the device's */
  const void *base; /* the allocation or registration that holds it, where that is known, else NULL and 0 */
  size_t bytes;
  void *owner; /* DEVICE, MANAGED, APART: the context, if it has one */
} fg_pointer;

/* So many rows in memory of the host's: each of so many bytes, pitch from one to the next (at most FG_MOST_PITCH). */
typedef struct {
  size_t bytes, rows, pitch;
} fg_copy_rows;

enum { FG_MOST_PITCH = 0x7fffffff };

/* As launch takes it. */
typedef struct {
  fg_kernel *kernel;
  unsigned grid, block;
  size_t shared;
  const void *args;
  size_t args_bytes;
} fg_kernel_launch;

typedef struct fg_backend {
  const char *name; /* "cuda", "sim" */

  /* Open device ordinal (0 ≤ ordinal < count).  The first call loads the driver. */
  int (*count)(void); /* devices, or a negative code */
  int (*open)(int ordinal, fg_device **device);
  const fg_device_info *(*info)(const fg_device *);

  /* Why there is surely no device, a literal; NULL if there may be one.  Opens nothing, loads nothing.  Itself
   * NULL in a backend that is always there. */
  const char *(*missing)(void);

  /* Whether there may be memory of a device in this process, and whether the program may have made some itself; and
   * what p points to: HOST where nobody can know.  They open nothing, load nothing, never fail, and may be called
   * before a device is open. */
  bool (*pointers)(void);
  bool (*used_by_program)(void);
  void (*pointer)(const void *p, fg_pointer *what);

  /* Between begin and end this thread makes several calls in a row: what each would do around itself is done once. end
   * takes what begin gave. Neither fails: without them the calls are only slower. */
  int (*begin)(fg_device *);
  void (*end)(fg_device *, int begun);

  int (*memory_alloc)(fg_device *, size_t bytes, void **memory);
  int (*memory_free)(fg_device *, void *memory); /* fails for what the program has by other ways than cuMemAlloc */
  int (*memory_available)(fg_device *, size_t *free_bytes);
  /* Host memory that copies reach by DMA, kernels where they reach any. */
  int (*pinned_alloc)(fg_device *, size_t bytes, void **memory);
  void (*pinned_free)(fg_device *, void *memory);

  /* Pin memory of the program where it is, so that copies reach it by DMA, and kernels by its own address where the
   * device reads host memory; and end that, before it is freed or unmapped. Whole pages of this system, no page
   * registered twice; unregister takes the address that register was given. */
  int (*host_register)(fg_device *, void *memory, size_t bytes);
  int (*host_unregister)(fg_device *, void *memory);

  int (*stream_create)(fg_device *, fg_stream **);
  void (*stream_destroy)(fg_device *, fg_stream *);
  int (*stream_wait)(fg_device *, fg_stream *); /* until all work in it is done; reports its failures */

  /* The program's own stream (NULL: its default stream, which waits for its other blocking streams) as one to launch
   * in, to record events in and to wait for; never destroyed by us.  Fails for a stream of another context or device,
   * or one that is being captured. */
  int (*stream_of_program)(fg_device *, void *native, fg_stream **);

  /* Until the default stream of a pointer's context is done, if that is not ours: each context has its own.  What fails there is the
   * program's.  NULL in a backend that knows no contexts. */
  void (*owner_wait)(fg_device *, void *owner);

  /* Asynchronous in the stream when the host side is pinned. */
  int (*copy_in)(fg_device *, void *device_to, const void *host_from, size_t bytes, fg_stream *);
  int (*copy_out)(fg_device *, void *host_to, const void *device_from, size_t bytes, fg_stream *);
  int (*copy_within)(fg_device *, void *device_to, const void *device_from, size_t bytes, fg_stream *);

  /* Likewise rows, dense on the device; of the host's memory nothing between them is touched. */
  int (*copy_rows_in)(fg_device *, void *device_to, const void *host_from, fg_copy_rows, fg_stream *);
  int (*copy_rows_out)(fg_device *, void *host_to, const void *device_from, fg_copy_rows, fg_stream *);

  /* Compile (or find in the kernel store) and load count kernels, in parallel where that helps.  All or nothing. */
  int (*kernels)(fg_device *, int count, const fg_kernel_request *, fg_kernel **);

  /* Whether kernels would be done without the compiler, as far as can be told cheaply. */
  bool (*kernels_kept)(fg_device *, int count, const fg_kernel_request *);

  /* One-dimensional grid and block.  args: the kernel's single by-value struct parameter. */
  int (*launch)(fg_device *, fg_kernel *, unsigned grid, unsigned block, size_t shared, const void *args,
                size_t args_bytes, fg_stream *);

  /* An event marks the place in a stream where it was last recorded.  elapsed waits until a and b have been reached and
   * gives the device's time from a to b in seconds; both must have been recorded, in any streams of the device.
   * stream_wait_event holds back what comes later in the stream until the event is reached; the host does not wait. */
  int (*event_create)(fg_device *, fg_event **);
  void (*event_destroy)(fg_device *, fg_event *);
  int (*event_record)(fg_device *, fg_event *, fg_stream *);
  int (*event_elapsed)(fg_device *, fg_event *a, fg_event *b, double *seconds);
  int (*stream_wait_event)(fg_device *, fg_stream *, fg_event *);
  int (*event_wait)(fg_device *, fg_event *); /* the host waits until the event's last record is reached */
  int (*event_reached)(fg_device *, fg_event *); /* 1 if its last record has been reached, 0 if not yet */

  /* From begin to end what is given to the stream, and to streams that wait for events recorded in it since, is
   * recorded instead of done, as long as that stream waits for them again before its end. The host waits for nothing in
   * between. A recording holds the addresses that it was given. It is the calling thread's: what others give to those
   * streams meanwhile is done. On failure of end there is no graph and recording has ended. All four are NULL in a backend
   * that cannot record. */
  int (*graph_begin)(fg_device *, fg_stream *);
  int (*graph_end)(fg_device *, fg_stream *, fg_graph **);
  int (*graph_launch)(fg_device *, fg_graph *, fg_stream *);
  void (*graph_destroy)(fg_device *, fg_graph *);

  /* Kernels that are given to the device at once, one after the other, time and again: made with their arguments, of
   * which each may be set anew before the next time; what was given already keeps its own.  A chain is with the device
   * once at a time: it waits for itself, whatever the streams.  Where launch fails nothing was launched.  All four are
   * NULL in a backend without. */
  int (*chain_make)(fg_device *, int count, const fg_kernel_launch *, fg_chain **);
  int (*chain_set)(fg_device *, fg_chain *, int which, const void *args);
  int (*chain_launch)(fg_device *, fg_chain *, fg_stream *);
  void (*chain_destroy)(fg_device *, fg_chain *);
} fg_backend;

extern const fg_backend fg_backend_cuda; /* only in builds with CUDA (HAVE_CUDA) */
extern const fg_backend fg_backend_sim;

/* The calling thread's last failure, as text, until its next; and for backends: set it and return code. */
const char *fg_backend_message(void);
int fg_backend_code(void); /* of the failure that the message is about; 0: no message */
int fg_backend_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* For backends: any call to a device that was lost for that reason, to be told behind those words.  FG_ELOST; a message that tells
 * the reason already stands, so that whoever got it can give all back before he tells it. */
int fg_backend_lost(const char *before, const char *reason);

/* The texts of the files of cuda/kernel/, compiled into the library (generated, cuda/kernel/embed.c). */
typedef struct {
  const char *name, *text;
} fg_embedded;
extern const fg_embedded fg_embedded_sources[]; /* ends with a NULL name */

#endif
