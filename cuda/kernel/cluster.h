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

typedef unsigned long long arrivals;

#ifndef FG_SIM
FG_DEVICE unsigned address_in(const void *p, int rank) {
  unsigned at;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(unsigned(__cvta_generic_to_shared(p))), "r"(rank));
  return at;
}
FG_DEVICE void send_to(unsigned address, float x, float y, unsigned at) {
  asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [%0], {%1, %2}, [%3];" ::"r"(address),
               "f"(x), "f"(y), "r"(at)
               : "memory");
}
FG_DEVICE void send_to(unsigned address, double x, double y, unsigned at) {
  asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.f64 [%0], {%1, %2}, [%3];" ::"r"(address),
               "d"(x), "d"(y), "r"(at)
               : "memory");
}
/* To address_in, or where that is this block's own memory by a store to the address there. */
FG_DEVICE void send_or_store(int rank, unsigned address, unsigned own, float x, float y, unsigned at) {
  asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, %1; @p st.shared::cta.v2.f32 [%3], {%4, %5};"
               " @!p st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [%2], {%4, %5}, [%6]; }" ::"r"(rank),
               "r"(cluster_rank()), "r"(address), "r"(own), "f"(x), "f"(y), "r"(at)
               : "memory");
}
FG_DEVICE void send_or_store(int rank, unsigned address, unsigned own, double x, double y, unsigned at) {
  asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, %1; @p st.shared::cta.v2.f64 [%3], {%4, %5};"
               " @!p st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.f64 [%2], {%4, %5}, [%6]; }" ::"r"(rank),
               "r"(cluster_rank()), "r"(address), "r"(own), "d"(x), "d"(y), "r"(at)
               : "memory");
}
#endif

/* This block waits for so many points, which are counted at `at`.  From cluster_wait on they may be sent: then all blocks of
 * the cluster have come here. */
FG_DEVICE void cluster_begin(arrivals *at, int points) {
#ifdef FG_SIM
  fg_sim_now->hooks->expect(fg_sim_now, at, unsigned(points));
  fg_sim_now->hooks->cluster_arrive(fg_sim_now);
#else
  if (threadIdx.x == 0) {
    const unsigned own = unsigned(__cvta_generic_to_shared(at));
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(own) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(own),
                 "r"(unsigned(points) * unsigned(sizeof(cplx)))
                 : "memory");
  }
  __syncwarp();
  asm volatile("barrier.cluster.arrive.relaxed.aligned;");
#endif
}

/* The same once more, when what was waited for before is there, and this thread has read what may be written over. */
FG_DEVICE void cluster_again(arrivals *at, int points) {
#ifdef FG_SIM
  cluster_begin(at, points);
#else
  if (threadIdx.x == 0)
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(unsigned(__cvta_generic_to_shared(at))),
                 "r"(unsigned(points) * unsigned(sizeof(cplx)))
                 : "memory");
  __syncwarp();
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
}

FG_DEVICE void cluster_wait() {
#ifdef FG_SIM
  fg_sim_now->hooks->cluster_wait(fg_sim_now);
#else
  __syncwarp();
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

/* v to element `to` of the array that the block of that rank has where this one has tile.  KEEPS: where that is this block it
 * is stored as in any exchange, and is none of the points that are counted. */
template <bool KEEPS = false>
FG_DEVICE void cluster_send(cplx *tile, int rank, int to, cplx v, arrivals *at) {
#ifdef FG_SIM
  (void)at;
  if (KEEPS && rank == cluster_rank()) shared_store(tile + to, v);
  else shared_store(static_cast<cplx *>(fg_sim_now->hooks->neighbour(fg_sim_now, tile, unsigned(rank))) + to, v);
#else
  const unsigned there = address_in(tile, rank) + unsigned(to) * unsigned(sizeof(cplx)), counted = address_in(at, rank);
  if (KEEPS) send_or_store(rank, there, unsigned(__cvta_generic_to_shared(tile + to)), v.x, v.y, counted);
  else send_to(there, v.x, v.y, counted);
#endif
}

/* Until all points that this block waits for, in the first round or the second (1), are there, and those that all its threads
 * kept.  (On sim until all blocks have sent theirs.) */
template <bool KEEPS = false> FG_DEVICE void cluster_receive(arrivals *at, int round = 0) {
  if (KEEPS) __syncthreads();
#ifdef FG_SIM
  (void)at;
  fg_sim_now->hooks->receive(fg_sim_now, unsigned(round));
#else
  unsigned complete;
  do /* each try waits for a while */
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(complete)
                 : "r"(unsigned(__cvta_generic_to_shared(at))), "r"(round)
                 : "memory");
  while (!complete);
#endif
}

#endif
