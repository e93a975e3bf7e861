/* bulk_copy.h: copies from global into shared memory that nobody waits for at once: a unit of the multiprocessor makes
 * them, one thread asks for them, and they arrive at a barrier in shared memory (cp.async.bulk, cp.async, mbarrier: PTX
 * ISA).  From compute capability 9.0 on. */
#ifndef FG_BULK_COPY_H
#define FG_BULK_COPY_H

#include "complex.h"

#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 900
#error "bulk copies are from compute capability 9.0 on"
#endif

typedef unsigned long long arrivals;

enum : int { UNIT = 16 / sizeof(cplx) }; /* points in 16 bytes */

#ifndef FG_SIM
FG_DEVICE unsigned shared_address(const void *p) { return unsigned(__cvta_generic_to_shared(p)); }
#endif

/* A barrier each of whose phases is complete after so many arrivals, and all copies that these announced. */
FG_DEVICE void arrivals_begin(arrivals *at, int count) {
#ifdef FG_SIM
  fg_sim_now->hooks->copy_barrier(fg_sim_now, at, unsigned(count));
#else
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(at)), "r"(count) : "memory");
#endif
}

/* What threads did to shared memory so far, seen from here by a barrier, and earlier kernels to global memory, comes before
 * the copies that follow. */
FG_DEVICE void before_copies() {
#ifndef FG_SIM
  asm volatile("fence.proxy.async;" ::: "memory");
#endif
}

/* Whole 16 bytes between addresses of whole 16 bytes, and one arrival. */
FG_DEVICE void copy_bulk(cplx *to, const cplx *from, int count, arrivals *at) {
  const unsigned bytes = unsigned(count) * unsigned(sizeof(cplx));
#ifdef FG_SIM
  fg_sim_now->hooks->copy(fg_sim_now, to, from, bytes, at);
  fg_sim_now->hooks->copy_arrive(fg_sim_now, at);
#else
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(at)), "r"(bytes)
               : "memory");
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(to)),
               "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared_address(at))
               : "memory");
#endif
}

/* COUNT points of 8 or 16 bytes together, between addresses of as many; then one arrival for all that this thread has
 * copied so. */
template <int COUNT> FG_DEVICE void copy_points(cplx *to, const cplx *from, arrivals *at) {
#ifdef FG_SIM
  fg_sim_now->hooks->copy(fg_sim_now, to, from, COUNT * sizeof *to, at);
#else
  (void)at;
  if constexpr (COUNT * sizeof *to == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(__cvta_generic_to_global(from))
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(shared_address(to)), "l"(__cvta_generic_to_global(from))
                 : "memory");
#endif
}
FG_DEVICE void points_arrive(arrivals *at) {
#ifdef FG_SIM
  fg_sim_now->hooks->copy_arrive(fg_sim_now, at);
#else
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared_address(at)) : "memory");
#endif
}

/* Until the phase of that parity is complete; phases are counted from 0. */
FG_DEVICE void wait_for_arrivals(arrivals *at, unsigned parity) {
#ifdef FG_SIM
  fg_sim_now->hooks->copy_wait(fg_sim_now, at, parity);
#else
  unsigned complete;
  do /* each try waits for a while */
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(complete)
                 : "r"(shared_address(at)), "r"(parity)
                 : "memory");
  while (!complete);
#endif
}

#endif
