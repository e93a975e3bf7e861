/* memory.h: every access of a kernel to global or shared memory goes through here, so that the sim backend can check
 * it. */
#ifndef FG_MEMORY_H
#define FG_MEMORY_H

/* Constants are enumerators, or functions of these: a constexpr variable of a namespace or a class, a table outside of the function
 * that reads it, stay in every compiled kernel as variables of the device, which nothing reads. */
#define FG_DEVICE static __device__ __forceinline__
#define FG_CONSTANT static constexpr __host__ __device__

#ifdef FG_SIM
#define FG_SEE_LOAD(p) fg_sim_global((p), sizeof *(p), FG_SIM_READ)
#define FG_SEE_STORE(p, exists) fg_sim_global((p), sizeof *(p), (exists) ? FG_SIM_WRITE : FG_SIM_NOTHING)
#define FG_SEE_TABLE(p) fg_sim_global((p), sizeof *(p), FG_SIM_READ_TABLE)
#define FG_SEE_SHARED(p, write) fg_sim_shared((p), sizeof *(p), (write))
#define FG_SHARED_BASE() fg_sim_shared_base()
#else
#define FG_SEE_LOAD(p) ((void)0)
#define FG_SEE_STORE(p, exists) ((void)0)
#define FG_SEE_TABLE(p) ((void)0)
#define FG_SEE_SHARED(p, write) ((void)0)
extern __shared__ __align__(16) unsigned char fg_shared_memory[];
#define FG_SHARED_BASE() ((void *)fg_shared_memory)
#endif

/* Where launches depend on the ones before by themselves (programmatic dependent launch: PTX ISA, griddepcontrol;
 * cuda_stream.c), nothing of memory is touched before the last launch is done, and the next launch's blocks take their
 * places when all of this one have come to their last stage: earlier they would crowd where this one left room, two on a
 * multiprocessor beside one that has none.  Otherwise nothing happens. */
FG_DEVICE void wait_for_last_launch() {
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
FG_DEVICE void let_next_launch() {
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

template <class T> FG_DEVICE T global_load(const T *p) {
  FG_SEE_LOAD(p);
  return *p;
}

template <class T> FG_DEVICE void global_store(T *p, T v, bool exists = true) {
  FG_SEE_STORE(p, exists);
  if (exists) *p = v;
}

/* Two numbers, aligned to both, as one access: of a struct the compiler makes two where their values come from different
 * branches (seen in SASS of sm_90). */
template <class T> FG_DEVICE void global_store_two(T *p, T v, bool exists = true) {
#ifdef FG_SIM
  global_store(p, v, exists);
#else
  if (!exists) return;
  if constexpr (sizeof v.x == 4) *reinterpret_cast<float2 *>(p) = float2{v.x, v.y};
  else *reinterpret_cast<double2 *>(p) = double2{v.x, v.y};
#endif
}

/* The same of four, where they have four bytes each. */
template <class T> FG_DEVICE T global_load_four(const T *p) {
#ifndef FG_SIM
  if constexpr (sizeof p->of[0] == 4) {
    const float4 v = *reinterpret_cast<const float4 *>(p);
    return {{v.x, v.y, v.z, v.w}};
  }
#endif
  return global_load(p);
}
template <class T> FG_DEVICE void global_store_four(T *p, T v) {
#ifndef FG_SIM
  if constexpr (sizeof v.of[0] == 4) {
    *reinterpret_cast<float4 *>(p) = float4{v.of[0], v.of[1], v.of[2], v.of[3]};
    return;
  }
#endif
  global_store(p, v);
}

template <class T> FG_DEVICE T shared_load(const T *p) {
  FG_SEE_SHARED(p, false);
  return *p;
}

template <class T> FG_DEVICE void shared_store(T *p, T v) {
  FG_SEE_SHARED(p, true);
  *p = v;
}

#endif
