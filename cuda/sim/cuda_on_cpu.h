/* cuda_on_cpu.h: what CUDA C++ kernels need to be compiled by a host C++ compiler and run by the simulator.
 *
 * The first part is the agreement between a compiled kernel and the simulator, read by both (C and C++).  The second
 * part stands in front of every kernel: CUDA's words, types and functions, as far as kernels here use them.  No
 * header of the C++ library is included: a compile takes a tenth of a second.
 *
 * Not supported: static and extern __shared__ arrays (take fg_sim_shared_base()), grids of more than one dimension,
 * atomics. */
#ifndef FG_CUDA_ON_CPU_H
#define FG_CUDA_ON_CPU_H

typedef struct {
  unsigned x, y, z;
} fg_sim_index;

typedef struct fg_sim_hooks fg_sim_hooks;

/* What a kernel does with a word of global memory; tables are told apart for counting only, and so are threads that have no
 * part in an access of their warp. */
enum { FG_SIM_READ, FG_SIM_WRITE, FG_SIM_READ_TABLE, FG_SIM_NOTHING };

/* What a running kernel sees.  The simulator keeps it up to date at every change of thread. */
typedef struct {
  fg_sim_index thread, block, block_dim, grid_dim;
  void *shared; /* dynamic shared memory of the block, aligned to 1024 bytes */
  const fg_sim_hooks *hooks;
} fg_sim_state;

/* Calls from the kernel into the simulator, by the running thread.  One that finds a violation does not return. */
struct fg_sim_hooks {
  void (*barrier)(fg_sim_state *);
  void (*warp_sync)(fg_sim_state *, unsigned mask);
  /* The value that lane `source` of this warp hands in; a lane that takes no part hands in a NaN
   * (as a float in the low half, as a double in the whole). */
  unsigned long long (*shuffle)(fg_sim_state *, unsigned mask, unsigned long long value, unsigned source);
  void (*shared)(fg_sim_state *, const void *address, unsigned bytes, int write);
  void (*global)(fg_sim_state *, const void *address, unsigned bytes, int how);
  void (*cluster_arrive)(fg_sim_state *);
  void (*cluster_wait)(fg_sim_state *);
  /* Where the block of that rank in the cluster has what this one has there in its own shared memory; to be written. */
  void *(*neighbour)(fg_sim_state *, const void *address, unsigned rank);
  /* So many such places are asked for in this block, by itself and others, from the next barrier of the cluster on, and are
   * counted in these 8 bytes of shared memory, which nobody touches; wait until they have come, with the number of the
   * round: each begins with expect, in all threads.  What this block's threads wrote without asking is not ordered by it. */
  void (*expect)(fg_sim_state *, const void *counter, unsigned points);
  void (*receive)(fg_sim_state *, unsigned round);
  /* A barrier in shared memory for copies, of so many arrivals a phase; a copy into shared memory in its present phase;
   * an arrival; wait for the phase of that parity. */
  void (*copy_barrier)(fg_sim_state *, const void *barrier, unsigned arrivals);
  void (*copy)(fg_sim_state *, void *to, const void *from, unsigned bytes, const void *barrier);
  void (*copy_arrive)(fg_sim_state *, const void *barrier);
  void (*copy_wait)(fg_sim_state *, const void *barrier, unsigned parity);
};

/* What a compiled kernel exports, under the name fg_sim_export. */
typedef struct {
  void (*run)(fg_sim_state *, const void *args); /* one thread, from beginning to end */
  unsigned long args_bytes;
  unsigned cluster; /* blocks of a cluster: FG_CLUSTER, else 1 */
} fg_sim_exports;

#ifdef __cplusplus

/* ---- words ---- */
#define __global__
#define __device__
#define __host__
#define __constant__ static
#ifdef FG_SIM_SITES
#define __forceinline__ inline __attribute__((always_inline)) /* traffic.c tells accesses apart by where they are called from */
#else
#define __forceinline__ inline /* inlining is most of what a compiler that does not optimize does */
#endif
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __grid_constant__

/* ---- the running thread ---- */
static thread_local fg_sim_state *fg_sim_now;

#define threadIdx (fg_sim_now->thread)
#define blockIdx (fg_sim_now->block)
#define blockDim (fg_sim_now->block_dim)
#define gridDim (fg_sim_now->grid_dim)
static const int warpSize = 32;

/* For cuda/kernel/memory.h: to be called before each access. */
static inline void fg_sim_shared(const void *address, unsigned bytes, bool write) {
  fg_sim_now->hooks->shared(fg_sim_now, address, bytes, write);
}

static __forceinline__ void fg_sim_global(const void *address, unsigned bytes, int how) {
  fg_sim_now->hooks->global(fg_sim_now, address, bytes, how);
}

static inline void *fg_sim_shared_base() { return fg_sim_now->shared; }

template <class T> inline T __ldg(const T *p) {
  fg_sim_global(p, sizeof *p, FG_SIM_READ_TABLE);
  return *p;
}

/* ---- barriers and shuffles ---- */
static inline void __syncthreads() { fg_sim_now->hooks->barrier(fg_sim_now); }
static inline void __syncwarp(unsigned mask = 0xffffffffu) { fg_sim_now->hooks->warp_sync(fg_sim_now, mask); }
static inline void __threadfence_block() {}
static inline void __threadfence() {}

template <class T> inline T fg_sim_shuffle(unsigned mask, T value, unsigned source) {
  static_assert(!__is_class(T) && (sizeof(T) == 4 || sizeof(T) == 8), "a shuffle moves numbers of 4 or 8 bytes");
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  bits = fg_sim_now->hooks->shuffle(fg_sim_now, mask, bits, source);
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

template <class T> inline T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  unsigned lane = threadIdx.x % 32, first = lane & ~(width - 1u);
  return fg_sim_shuffle(mask, value, first + (source & (width - 1)));
}

template <class T> inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  unsigned lane = threadIdx.x % 32, first = lane & ~(width - 1u);
  return fg_sim_shuffle(mask, value, lane >= first + delta ? lane - delta : lane);
}

template <class T> inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  unsigned lane = threadIdx.x % 32, end = (lane & ~(width - 1u)) + width;
  return fg_sim_shuffle(mask, value, lane + delta < end ? lane + delta : lane);
}

template <class T> inline T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {
  unsigned lane = threadIdx.x % 32, end = (lane & ~(width - 1u)) + width;
  return fg_sim_shuffle(mask, value, (lane ^ bits) < end ? lane ^ bits : lane);
}

/* ---- vector types ---- */
#define FG_SIM_VECTORS(T, name)                                                                                        \
  struct __align__(2 * sizeof(T)) name##2 { T x, y; };                                                                 \
  struct __align__(sizeof(T) == 8 ? 16 : 4 * sizeof(T)) name##4 { T x, y, z, w; };                                     \
  static inline name##2 make_##name##2(T x, T y) { return {x, y}; }                                                    \
  static inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
FG_SIM_VECTORS(float, float)
FG_SIM_VECTORS(double, double)
FG_SIM_VECTORS(int, int)
FG_SIM_VECTORS(unsigned, uint)
FG_SIM_VECTORS(long long, longlong)
FG_SIM_VECTORS(unsigned long long, ulonglong)
#undef FG_SIM_VECTORS
typedef __SIZE_TYPE__ size_t;
typedef unsigned uint;

/* ---- arithmetic ---- */
static inline float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static inline double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
static inline float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fsub_rn(float a, float b) { return a - b; }
static inline double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
static inline double __dmul_rn(double a, double b) { return a * b; }
static inline double __dadd_rn(double a, double b) { return a + b; }
static inline float sqrtf(float x) { return __builtin_sqrtf(x); }
static inline double sqrt(double x) { return __builtin_sqrt(x); }
static inline float rsqrtf(float x) { return (float)(1 / __builtin_sqrt((double)x)); }
static inline double rsqrt(double x) { return 1 / __builtin_sqrt(x); }
static inline float fabsf(float x) { return __builtin_fabsf(x); }
static inline double fabs(double x) { return __builtin_fabs(x); }

/* Exact in the angle, as on the device: only the remainder, at most a quarter, is multiplied by pi. */
static inline void sincospi(double x, double *sine, double *cosine) {
  double quarters = __builtin_rint(2 * x), angle = (x - quarters / 2) * 3.14159265358979323846;
  double s = __builtin_sin(angle), c = __builtin_cos(angle);
  unsigned turn = (unsigned)(long long)quarters & 3;
  *sine = turn == 0 ? s : turn == 1 ? c : turn == 2 ? -s : -c;
  *cosine = turn == 0 ? c : turn == 1 ? -s : turn == 2 ? -c : s;
}

static inline void sincospif(float x, float *sine, float *cosine) {
  double s, c;
  sincospi(x, &s, &c);
  *sine = (float)s, *cosine = (float)c;
}

static inline double sinpi(double x) { double s, c; sincospi(x, &s, &c); return s; }
static inline double cospi(double x) { double s, c; sincospi(x, &s, &c); return c; }
static inline float sinpif(float x) { return (float)sinpi(x); }
static inline float cospif(float x) { return (float)cospi(x); }

static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
static inline int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline unsigned __brev(unsigned x) {
  unsigned reversed = 0;
  for (int i = 0; i < 32; i++)
    reversed |= (x >> i & 1) << (31 - i);
  return reversed;
}
static inline float __int_as_float(int x) { float f; __builtin_memcpy(&f, &x, 4); return f; }
static inline int __float_as_int(float x) { int i; __builtin_memcpy(&i, &x, 4); return i; }

#define FG_SIM_MIN_MAX(T)                                                                                              \
  static inline T min(T a, T b) { return b < a ? b : a; }                                                              \
  static inline T max(T a, T b) { return a < b ? b : a; }
FG_SIM_MIN_MAX(int)
FG_SIM_MIN_MAX(unsigned)
FG_SIM_MIN_MAX(long)
FG_SIM_MIN_MAX(unsigned long)
FG_SIM_MIN_MAX(long long)
FG_SIM_MIN_MAX(unsigned long long)
FG_SIM_MIN_MAX(float)
FG_SIM_MIN_MAX(double)
#undef FG_SIM_MIN_MAX

/* ---- the way in; the simulator writes FG_SIM_EXPORT(entry) behind the kernel's text ---- */
template <class A> constexpr unsigned long fg_sim_args_bytes(void (*)(A)) { return sizeof(A); }

template <class A> inline void fg_sim_call(void (*kernel)(A), const void *args) {
  kernel(*static_cast<const A *>(args));
}

#define FG_SIM_EXPORT(entry)                                                                                           \
  static void fg_sim_run(fg_sim_state *state, const void *args)                                                        \
  {                                                                                                                    \
    fg_sim_now = state;                                                                                                \
    fg_sim_call(entry, args);                                                                                          \
  }                                                                                                                    \
  extern "C" __attribute__((visibility("default"))) const fg_sim_exports fg_sim_export = {                             \
      fg_sim_run, fg_sim_args_bytes(entry), FG_CLUSTER};

#endif
#endif
