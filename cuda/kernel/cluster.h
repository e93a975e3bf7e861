/* cluster.h: FG_CLUSTER blocks that run at the same time and write into each other's shared memory (thread block clusters,
 * distributed shared memory: CUDA C++ Programming Guide; instructions: PTX ISA).  From compute capability 9.0 on.
 *
 * A neighbour's shared memory is there from the first barrier of the cluster on, which all have reached, and it is no
 * longer after the last one.  What a thread did before it arrived is seen by all after they waited. */
#ifndef FG_CLUSTER_H
#define FG_CLUSTER_H

#include "complex.h"

#if FG_CLUSTER > 1 && !defined FG_SIM
#define FG_IN_CLUSTERS __cluster_dims__(FG_CLUSTER, 1, 1)
#else
#define FG_IN_CLUSTERS
#endif

/* Of this block among the FG_CLUSTER. */
FG_DEVICE int cluster_rank() {
#ifdef FG_SIM
  return int(blockIdx.x % FG_CLUSTER);
#else
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return int(rank);
#endif
}

/* The two halves of the cluster's barrier.  Between them shared memory is left alone.  begin: arrive where a thread has
 * done nothing yet that others are to see, and nothing has to be waited for. */
FG_DEVICE void cluster_begin() {
#ifdef FG_SIM
  fg_sim_now->hooks->cluster_arrive(fg_sim_now);
#else
  asm volatile("barrier.cluster.arrive.relaxed.aligned;");
#endif
}

FG_DEVICE void cluster_arrive() {
#ifdef FG_SIM
  fg_sim_now->hooks->cluster_arrive(fg_sim_now);
#else
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
}

FG_DEVICE void cluster_wait() {
#ifdef FG_SIM
  fg_sim_now->hooks->cluster_wait(fg_sim_now);
#else
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

#ifndef FG_SIM
FG_DEVICE void cluster_store(unsigned address, float x, float y) {
  asm volatile("st.shared::cluster.v2.f32 [%0], {%1, %2};" ::"r"(address), "f"(x), "f"(y));
}
FG_DEVICE void cluster_store(unsigned address, double x, double y) {
  asm volatile("st.shared::cluster.v2.f64 [%0], {%1, %2};" ::"r"(address), "d"(x), "d"(y));
}
#endif

/* Element at of the array that the block of that rank has where this one has tile. */
FG_DEVICE void cluster_store(cplx *tile, int rank, int at, cplx v) {
#ifdef FG_SIM
  shared_store(static_cast<cplx *>(fg_sim_now->hooks->neighbour(fg_sim_now, tile, unsigned(rank))) + at, v);
#else
  unsigned base;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(base) : "r"(unsigned(__cvta_generic_to_shared(tile))), "r"(rank));
  cluster_store(base + unsigned(at) * unsigned(sizeof(cplx)), v.x, v.y);
#endif
}

#endif
