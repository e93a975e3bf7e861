/* test_sim.c: the simulated device runs kernels rightly, and catches what they do wrong. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim_case.h"

/* ---- kernels that are right ---- */

START_TEST(blocks_and_threads_cover_a_vector) {
  float result[N];
  sim_case_run_well(KERNEL("int i = blockIdx.x * blockDim.x + threadIdx.x;"
                           "if (i < a.n) global_store(a.out + i, global_load(a.in + i) + 1000 * gridDim.x);"),
                    5, 60, 0, result);
  for (int i = 0; i < N; i++)
    ck_assert_float_eq(result[i], (float)(i + 5000));
}
END_TEST

START_TEST(shared_memory_transposes) {
  float result[N];
  sim_case_run_well(TRANSPOSITION, 1, N, N * sizeof(float), result);
  for (int i = 0; i < N; i++)
    ck_assert_float_eq(result[i], (float)(i % 16 * 16 + i / 16));
}
END_TEST

/* Each round adds the right neighbour; the words are used again after the second barrier of the round. */
START_TEST(locals_survive_many_barriers) {
  float result[N];
  sim_case_run_well(KERNEL("float kept[8];"
                           "for (int round = 0; round < 8; round++) {"
                           "  shared_store(SHARED + T, global_load(a.in + T) + round);"
                           "  __syncthreads();"
                           "  kept[round] = shared_load(SHARED + (T + 1) % a.n);"
                           "  __syncthreads();"
                           "}"
                           "float sum = 0;"
                           "for (int round = 0; round < 8; round++) sum += kept[round];"
                           "global_store(a.out + T, sum);"),
                    1, N, N * sizeof(float), result);
  for (int i = 0; i < N; i++)
    ck_assert_float_eq(result[i], (float)(8 * ((i + 1) % N) + 28));
}
END_TEST

START_TEST(threads_may_leave_before_a_barrier_none_of_them_needs) {
  float result[N];
  sim_case_run_well(KERNEL("if (T >= 32) { global_store(a.out + T, -1.0f); return; }"
                           "__syncwarp();"
                           "global_store(a.out + T, 1.0f);"),
                    1, N, 0, result);
  ck_assert_float_eq(result[31], 1.0f);
  ck_assert_float_eq(result[32], -1.0f);
}
END_TEST

/* Each block of a pair writes into the other, twice, and reads what it got. */
START_TEST(blocks_of_a_cluster_write_to_each_other) {
  float result[N];
  sim_case_run_well(IN_PAIRS("const float own = blockIdx.x;"
                             "cluster_arrive(); cluster_wait();"
                             "cluster_store(tile, other, T, {own, float(T)});"
                             "cluster_arrive(); cluster_wait();"
                             "const cplx first = shared_load(tile + (T + 1) % 64);"
                             "cluster_arrive(); cluster_wait();"
                             "cluster_store(tile, other, T, {10 * own, 0});"
                             "cluster_arrive(); cluster_wait();"
                             "const cplx second = shared_load(tile + T);"
                             "global_store(a.out + blockIdx.x * 64 + T, 1000 * first.x + first.y + second.x);"),
                    4, 64, 64 * 2 * sizeof(float), result);
  for (int i = 0; i < N; i++) {
    const int other = i / 64 ^ 1;
    ck_assert_float_eq(result[i], (float)(1000 * other + (i % 64 + 1) % 64 + 10 * other));
  }
}
END_TEST

/* What was announced arrives. */
START_TEST(points_are_sent_from_block_to_block) {
  float result[N];
  sim_case_run_well(IN_PAIRS("arrivals *const at = reinterpret_cast<arrivals *>(tile + 64);"
                             "cluster_begin(at, 64);"
                             "cluster_wait();"
                             "cluster_send(tile, T % 2 ? other : 1 - other, T, {float(blockIdx.x), float(T)}, at);"
                             "cluster_receive(at);"
                             "const cplx v = shared_load(tile + T);"
                             "global_store(a.out + blockIdx.x * 64 + T, 100 * v.x + v.y);"),
                    4, 64, 65 * 2 * sizeof(float), result);
  for (int i = 0; i < N; i++) ck_assert_float_eq(result[i], (float)(100 * (i % 2 ? i / 64 ^ 1 : i / 64) + i % 64));
}
END_TEST

/* Every other of 64 points stays, and is none of those that are waited for. */
START_TEST(points_are_kept) {
  float result[N];
  sim_case_run_well(IN_PAIRS("arrivals *const at = reinterpret_cast<arrivals *>(tile + 64);"
                             "cluster_begin(at, 32);"
                             "cluster_wait();"
                             "cluster_send<true>(tile, T % 2 ? other : 1 - other, T, {float(blockIdx.x), float(T)}, at);"
                             "cluster_receive<true>(at);"
                             "const cplx v = shared_load(tile + (T + 1) % 64);"
                             "global_store(a.out + blockIdx.x * 64 + T, 100 * v.x + v.y);"),
                    4, 64, 65 * 2 * sizeof(float), result);
  for (int i = 0; i < N; i++) {
    const int from = (i % 64 + 1) % 64;
    ck_assert_float_eq(result[i], (float)(100 * (from % 2 ? i / 64 ^ 1 : i / 64) + from));
  }
}
END_TEST

/* And a second time: 16 points to one block and 48 to the other, each from either. */
START_TEST(points_are_sent_in_two_rounds) {
  float result[N];
  sim_case_run_well(IN_PAIRS("arrivals *const at = reinterpret_cast<arrivals *>(tile + 64);"
                             "const int own = 1 - other;"
                             "cluster_begin(at, 64);"
                             "cluster_wait();"
                             "cluster_send(tile, other, T, {float(blockIdx.x), float(T)}, at);"
                             "cluster_receive(at);"
                             "const cplx first = shared_load(tile + (T + 1) % 64);"
                             "cluster_again(at, own ? 48 : 16);"
                             "cluster_wait();"
                             "if (T % 2 == own) cluster_send(tile, T < 16 ? 0 : 1, T, {7, float(T)}, at);"
                             "cluster_receive(at, 1);"
                             "const cplx second = shared_load(tile + T);"
                             "global_store(a.out + blockIdx.x * 64 + T, 1000 * first.x + 100 * second.x + first.y);"),
                    4, 64, 65 * 2 * sizeof(float), result);
  for (int i = 0; i < N; i++) {
    const int other = i / 64 ^ 1;
    const bool sent = i % 64 < 16 ? i / 64 % 2 == 0 : i / 64 % 2 == 1;
    ck_assert_float_eq(result[i], (float)(1000 * other + 100 * (sent ? 7 : other) + (i % 64 + 1) % 64));
  }
}
END_TEST

/* Three times the same region, at either parity; those who only meet a barrier after others have waited may read, too. */
START_TEST(copies_into_shared_memory_arrive) {
  float result[N];
  sim_case_run_well(WITH_COPIES("if (T == 0) arrivals_begin(at, 2);"
                                "__syncthreads();"
                                "cplx sum = {0, 0};"
                                "for (int i = 0; i < 3; i++) {"
                                "  if (T == 0) {"
                                "    before_copies();"
                                "    copy_bulk(tile + 2, in + 2 + 2 * i, 60, at);"
                                "    copy_points<1>(tile + 1, in + 1 + 2 * i, at);"
                                "    points_arrive(at);"
                                "  }"
                                "  if (T >= 128 || i % 2) wait_for_arrivals(at, i % 2);"
                                "  __syncthreads();"
                                "  sum = sum + shared_load(tile + 1 + T % 61);"
                                "  __syncthreads();"
                                "}"
                                "if (T < 61) global_store(reinterpret_cast<cplx *>(a.out) + T, sum);"
                                "if (T >= 61 && T < 128) "
                                "global_store(reinterpret_cast<cplx *>(a.out) + T, cplx{0, 0});"),
                    1, N, N * sizeof(float), result);
  for (int i = 0; i < 122; i++) /* float i of the copies is i + 2, i + 6, i + 10 */
    ck_assert_float_eq(result[i], (float)(3 * i + 18));
}
END_TEST

START_TEST(shuffles_move_values_between_lanes) {
  float result[N];
  sim_case_run_well(KERNEL("float x = global_load(a.in + T);"
                           "double d = x; long long l = T;"
                           "float sum = __shfl_xor_sync(~0u, x, 5);" /* lane ^ 5 */
                           "sum += 1000 * __shfl_up_sync(~0u, d, 1, 8);" /* left neighbour in groups of 8 */
                           "sum += 100000 * (__shfl_down_sync(~0u, T, 2) % 32);" /* two to the right */
                           "sum += 10000000.0 * (__shfl_sync(~0u, l, 3, 4) % 32);" /* last of its group of 4 */
                           "global_store(a.out + T, sum);"),
                    1, N, 0, result);
  for (int i = 0; i < N; i++) {
    int lane = i % 32, first = i - lane;
    double up = lane % 8 ? i - 1 : i, down = lane < 30 ? lane + 2 : lane, last = lane | 3;
    ck_assert_float_eq(result[i], (float)((float)((float)(first + (lane ^ 5) + 1000 * up) + 100000 * (float)down) +
                                          10000000.0 * last));
  }
}
END_TEST

/* Halves of a warp exchange on their own, in different numbers of rounds. */
START_TEST(lanes_named_by_a_mask_wait_only_for_each_other) {
  float result[N];
  sim_case_run_well(KERNEL("unsigned mask = T % 32 < 16 ? 0xffffu : 0xffff0000u;"
                           "float x = 0;"
                           "for (int i = 0; i < (T % 32 < 16 ? 1 : 3); i++) {"
                           "  shared_store(SHARED + T, float(T + i));"
                           "  __syncwarp(mask);"
                           "  x += shared_load(SHARED + (T ^ 1));"
                           "  __syncwarp(mask);"
                           "}"
                           "global_store(a.out + T, x);"),
                    1, N, N * sizeof(float), result);
  ck_assert_float_eq(result[4], 5);
  ck_assert_float_eq(result[17], 16 + 17 + 18);
}
END_TEST

START_TEST(a_lane_outside_the_mask_hands_in_no_number) {
  float result[N];
  sim_case_run_well(KERNEL("float x = 1;"
                           "if (T < 16) x = __shfl_sync(0xffffu, x, T + 8);"
                           "global_store(a.out + T, x);"),
                    1, 32, 0, result);
  ck_assert_float_eq(result[7], 1);
  ck_assert(isnan(result[8]));
}
END_TEST

START_TEST(angles_in_half_turns_are_exact) {
  float result[N];
  sim_case_run_well(KERNEL("double s, c; float sf, cf;"
                           "sincospi(T / 2.0, &s, &c); sincospif(2 * T + 0.25f, &sf, &cf);"
                           "global_store(a.out + 4 * T, float(s)); global_store(a.out + 4 * T + 1, float(c));"
                           "global_store(a.out + 4 * T + 2, sf); global_store(a.out + 4 * T + 3, cospif(T));"),
                    1, 64, 0, result);
  for (int i = 0; i < 64; i++) {
    static const float sine[] = {0, 1, 0, -1};
    ck_assert_float_eq(result[4 * i], sine[i % 4]);
    ck_assert_float_eq(result[4 * i + 1], sine[(i + 1) % 4]);
    ck_assert_float_eq(result[4 * i + 2], (float)sqrt(0.5));
    ck_assert_float_eq(result[4 * i + 3], i % 2 ? -1 : 1);
  }
}
END_TEST

/* ---- kernels that are wrong ---- */

/* Meeting with the other block; a copy of 64 points, begun by one thread. */
#define MEET "cluster_arrive(); cluster_wait();"
#define BEGIN(n)                                                                                                       \
  "arrivals *const at = reinterpret_cast<arrivals *>(tile + 127); cluster_begin(at, " #n "); cluster_wait();"
#define BEGUN "if (T == 0) { arrivals_begin(at, 1); copy_bulk(tile, in, 64, at); } __syncthreads();"

static const struct {
  const char *text, *message;
} wrong[] = {
    {KERNEL("shared_store(SHARED + T + 1, 1.0f);"), "thread 255: write of 4 bytes at offset 1024 of shared memory"},
    {KERNEL("if (T == 7) shared_load(SHARED - 1);"), "thread 7: read of 4 bytes at offset -4 of shared memory"},
    {KERNEL("if (T == 7) shared_load(SHARED + 4096);"), "out of bounds"},
    {KERNEL("if (T == 9) shared_store(reinterpret_cast<float2 *>(SHARED + 1), make_float2(0, 0));"), "misaligned"},
    {KERNEL("if (T == 3) shared_load(SHARED + 5);"), "offset 20 of shared memory (1024 bytes): never written"},
    /* the second block must not find what the first one wrote */
    {KERNEL("if (blockIdx.x == 0) shared_store(SHARED + T, 1.0f); else shared_load(SHARED + T);"),
     "block 1, thread 0: read of 4 bytes at offset 0 of shared memory (1024 bytes): never written"},
    {KERNEL("shared_store(SHARED + T, 1.0f); shared_load(SHARED + (T ^ 1));"), "never written"},
    {KERNEL("shared_store(SHARED + T / 2, 1.0f);"), "thread 1: write of 4 bytes at offset 0 of shared memory (1024 "
                                                     "bytes): race: no barrier since the access of thread 0"},
    {KERNEL("shared_store(SHARED + T, 1.0f); __syncthreads(); shared_load(SHARED + (T + 1) % 256);"
            "shared_store(SHARED + T, 2.0f);"),
     "race: no barrier since the access of thread 0"},
    {KERNEL("shared_store(SHARED + T, 1.0f); __syncthreads(); shared_load(SHARED); if (T == 70)"
            "shared_store(SHARED, 2.0f);"),
     "race: no barrier since the access of threads of several warps"},
    /* __syncwarp orders a warp, and nothing beyond it */
    {KERNEL("shared_store(SHARED + T, 1.0f); __syncwarp(); shared_load(SHARED + (T ^ 31)); "
            "if (T == 40) shared_load(SHARED);"),
     "thread 40: read of 4 bytes at offset 0 of shared memory (1024 bytes): race"},
    {KERNEL("unsigned half = T % 32 < 16 ? 0xffffu : 0xffff0000u; shared_store(SHARED + T, 1.0f);"
            "__syncwarp(half); shared_load(SHARED + (T ^ 15)); if (T == 20) shared_load(SHARED + 4);"),
     "thread 20: read of 4 bytes at offset 16 of shared memory (1024 bytes): race: no barrier since the access of "
     "thread 4"},
    {KERNEL("global_load(a.in + T + 1);"), "thread 255: read of 4 bytes of global memory at offset 1024 of an "
                                           "allocation of 1024 bytes: outside every allocation"},
    {KERNEL("global_store(a.out + (T == 5 ? -1 : T), 0.0f);"), "thread 5: write of 4 bytes of global memory"},
    {KERNEL("global_load(static_cast<float *>(nullptr) + T);"), "outside every allocation"},
    {KERNEL("global_load(a.out + T);"), "offset 0 of an allocation of 1024 bytes: never written"},
    {KERNEL("if (T == 1) global_load(reinterpret_cast<float4 *>(a.in + 2));"), "misaligned"},
    {KERNEL("global_store(a.out + T, float(blockIdx.x));"), "block 1, thread 0: write of 4 bytes of global memory at "
                                                            "offset 0 of an allocation of 1024 bytes: race: same "
                                                            "launch, block 0"},
    {KERNEL("float x = global_load(a.in + T); if (blockIdx.x == 1) global_store(a.in + T, x);"),
     "race: same launch, blocks"},
    {KERNEL("if (T < 200) __syncthreads();"), "barrier divergence: 200 threads wait at __syncthreads, 0 at __syncwarp, "
                                              "0 at a shuffle, 0 for a copy, 0 for the cluster, 56 have finished"},
    {KERNEL("if (T == 3) __syncwarp(); else __syncthreads();"), "255 threads wait at __syncthreads, 1 at __syncwarp"},
    {KERNEL("if (T == 3) __shfl_sync(~0u, 1, 0); else __syncwarp();"), "31 at __syncwarp, 1 at a shuffle"},
    {KERNEL("__syncwarp(1);"), "mask lacks the calling lane"},
    /* clusters */
    {IN_PAIRS("if (T < 128) cluster_store(tile, other, T, {1, 1});"), "block 0, thread 0: a neighbour's shared memory is "
                                                                      "written before a cluster barrier"},
    {IN_PAIRS(MEET "if (T < 128) cluster_store(tile, other, T, {1, 1});"), "no cluster barrier after"},
    {IN_PAIRS("if (other) {" MEET "}"), "1 blocks of its cluster wait for it, 1 have finished"},
    {IN_PAIRS("if (T > 3) {" MEET "}"), "252 for the cluster, 4 have finished"},
    {IN_PAIRS(MEET "cluster_store(tile, other, T, {1, 1});"), "block 0, thread 128: write of 8 bytes at offset 1024 of block "
                                                              "1's shared memory (1024 bytes): out of bounds"},
    {IN_PAIRS(MEET "cluster_store(tile, other, T / 2, {1, 1});"), "block 0, thread 1: write of 8 bytes at offset 0 of block "
                                                                  "1's shared memory (1024 bytes): race: no barrier since "
                                                                  "the access of thread 0 of block 0"},
    {IN_PAIRS(MEET "cluster_store(tile, 2, 0, {1, 1});"), "there is no block of that rank"},
    /* only barriers of the cluster order its blocks */
    {IN_PAIRS(MEET "if (other && T < 128) cluster_store(tile, other, T, {1, 1}); __syncthreads();"
                   "if (!other && T < 128) shared_load(tile + T);" MEET),
     "block 1, thread 0: read of 8 bytes at offset 0 of shared memory (1024 bytes): race: no barrier since the access of "
     "thread 0 of block 0"},
    {IN_PAIRS("if (T < 128) shared_store(tile + T, cplx{1, 1});" MEET "if (T < 128) shared_load(tile + T); __syncthreads();"
              "if (!other && T < 128) cluster_store(tile, other, T, {1, 1});" MEET),
     "block 1, thread 0: write of 8 bytes at offset 0 of block 0's shared memory (1024 bytes): race: no barrier since the "
     "access of thread 0"},
    {IN_PAIRS(BEGIN(256) "if (T < 127) cluster_send(tile, other, T, {1, 1}, at); cluster_receive(at);"),
     "waits for 256 points of its cluster, which sent 127"},
    {IN_PAIRS(BEGIN(100) "if (T < 100) cluster_send<true>(tile, T % 2 ? other : 1 - other, T, {1, 1}, at);"
              "cluster_receive<true>(at);"),
     "waits for 100 points of its cluster, which sent 50"},
    {IN_PAIRS(BEGIN(50) "if (T < 100) cluster_send<true>(tile, T % 2 ? other : 1 - other, T, {1, 1}, at);"
              "cluster_receive(at); if (T < 100) shared_load(tile + (T + 34) % 100);"),
     "race: no barrier since the access of thread 34"},
    {IN_PAIRS(BEGIN(100) "if (T < 100) cluster_send(tile, 1 - other, T, {1, 1}, at); __syncthreads();"
              "if (T < 100) shared_load(tile + (T + 34) % 100);"),
     "race: no barrier since the access of thread 34"},
    {IN_PAIRS(BEGIN(100) "if (T < 100) cluster_send(tile, other, T, {1, 1}, at); cluster_receive(at);"
              "if (other && T < 100) shared_load(tile + T); if (!other && T < 100) cluster_store(tile, other, T, {2, 2});" MEET),
     "race: no barrier since the access of thread"},
    {IN_PAIRS(BEGIN(256) "cluster_send(tile, other, T, {1, 1}, at); cluster_receive(at);"),
     "touched where what arrives from the cluster is counted"},
    {IN_PAIRS(BEGIN(100) "if (T < 100) cluster_send(tile, other, T, {1, 1}, at); cluster_receive(at);"
              "cluster_again(at, 100); cluster_wait(); if (T < 99) cluster_send(tile, other, T, {1, 1}, at);"
              "cluster_receive(at, 1);"),
     "waits for 100 points of its cluster, which sent 99"},
    {IN_PAIRS(BEGIN(100) "if (T < 100) cluster_send(tile, other, T, {1, 1}, at); cluster_receive(at, 1);"),
     "another round of what its cluster sends than has begun"},
    {IN_PAIRS(BEGIN(100) "if (T < 100) cluster_send(tile, other, T, {1, 1}, at); cluster_receive(at);"
              "if (T < 100) cluster_send(tile, other, T, {1, 1}, at); cluster_receive(at);"),
     "waits for 100 points of its cluster, which sent 200"},
    {IN_PAIRS("cluster_begin(reinterpret_cast<arrivals *>(SHARED + 1), 256);"), "not counted in 8 aligned bytes"},
    {IN_PAIRS("cluster_begin(reinterpret_cast<arrivals *>(tile + 128), 256);"), "not counted in 8 aligned bytes"},
    {IN_PAIRS("cluster_arrive(); cluster_arrive();"), "a second time without waiting"},
    {IN_PAIRS("cluster_wait();"), "without having arrived"},
    {IN_PAIRS("cluster_arrive(); if (T < 128) shared_store(tile + T, cplx{1, 1}); cluster_wait();"),
     "between arriving and waiting"},
    /* copies into shared memory */
    {WITH_COPIES(BEGUN "if (T == 9) shared_load(tile + 5); wait_for_arrivals(at, 0);"),
     "thread 9: read of 8 bytes at offset 40 of shared memory (1024 bytes): race: a copy to there was not waited for"},
    {WITH_COPIES(BEGUN "wait_for_arrivals(at, 1); shared_load(tile + 5);"), "thread 0: read of 8 bytes at offset 40"},
    {WITH_COPIES(BEGUN "if (T == 9) shared_store(tile + 63, cplx{1, 1}); wait_for_arrivals(at, 0);"),
     "thread 9: write of 8 bytes at offset 504 of shared memory (1024 bytes): race: a copy"},
    {WITH_COPIES("if (T < 2) { arrivals_begin(at + T, 1); copy_bulk(tile + 64 * T, in, 32, at + T); } __syncthreads();"
                 "wait_for_arrivals(at + T / 128, 0); if (T == 9) shared_load(tile + 64);"),
     "thread 9: read of 8 bytes at offset 512 of shared memory (1024 bytes): race: a copy"},
    {WITH_COPIES("if (T > 0 && T < 100) shared_store(tile + T, cplx{1, 1}); __syncwarp();"
                 "if (T == 255) { arrivals_begin(at, 1); copy_bulk(tile, in, 64, at); }"),
     "thread 255: write of 512 bytes at offset 0 of shared memory (1024 bytes): race: no barrier since the access of "
     "thread 1"},
    {WITH_COPIES(BEGUN "wait_for_arrivals(at, 0); if (T == 9) shared_load(tile + 5); __syncwarp();"
                       "if (T == 70) copy_bulk(tile, in, 64, at); wait_for_arrivals(at, 1);"),
     "thread 70: write of 512 bytes at offset 0 of shared memory (1024 bytes): race: no barrier since the access of thread 9"},
    {WITH_COPIES(BEGUN "if (T == 9) global_store(in + 63, cplx{1, 1}); wait_for_arrivals(at, 0);"),
     "block 0: what a copy into shared memory reads was written while it was under way"},
    {WITH_COPIES(BEGUN), "block 0: has finished, and a copy into its shared memory is under way"},
    {WITH_COPIES(BEGUN "if (T == 0) copy_bulk(tile, in, 64, at);"), "before anybody has waited for the last one"},
    {WITH_COPIES("if (T == 0) { arrivals_begin(at, 2); copy_bulk(tile, in, 64, at); } __syncthreads();"
                 "wait_for_arrivals(at, 0);"),
     "0 at a shuffle, 256 for a copy, 0 for the cluster, 0 have finished"},
    {WITH_COPIES("if (T == 0) copy_bulk(tile, in, 64, at);"), "offset 960 of shared memory (1024 bytes): never written"},
    {WITH_COPIES("if (T == 0) arrivals_begin(at, 1); wait_for_arrivals(at, 0);"),
     "thread 1: read of 8 bytes at offset 960 of shared memory (1024 bytes): race: no barrier since the access of thread 0"},
    {WITH_COPIES("if (T == 0) { arrivals_begin(at, 1); copy_bulk(tile + 1, in, 64, at); }"), "misaligned"},
    {WITH_COPIES("if (T == 0) { arrivals_begin(at, 1); copy_bulk(tile, in + 1, 64, at); }"), "misaligned"},
    {WITH_COPIES("if (T == 0) { arrivals_begin(at, 1); copy_bulk(tile, in, 63, at); }"), "not of whole 16 bytes"},
    {WITH_COPIES("if (T == 0) { arrivals_begin(at, 1); copy_bulk(tile, in + 66, 64, at); }"),
     "outside every allocation"},
    {WITH_COPIES("if (T == 0) { arrivals_begin(at, 1); copy_bulk(tile + 66, in, 64, at); }"), "out of bounds"},
};

START_TEST(a_violation_is_caught_and_told) {
  float result[N];
  int code = sim_case_run(wrong[_i].text, 2, N, N * sizeof(float), result);
  ck_assert_msg(code == FG_ELAUNCH, "not caught: %s", wrong[_i].text);
  ck_assert_msg(strstr(fg_backend_message(), wrong[_i].message), "'%s' lacks '%s'", fg_backend_message(),
                wrong[_i].message);
  ck_assert_ptr_nonnull(strstr(fg_backend_message(), "kernel k (given text), block "));
  sim_case_run_well(TRANSPOSITION, 1, N, N * sizeof(float), result); /* the device still works */
  ck_assert_float_eq(result[1], 16);
}
END_TEST

START_TEST(freed_memory_is_out_of_bounds) {
  fg_kernel *kernel;
  const arguments a = {sim_case_array(N), sim_case_array(N), N};
  ck_assert_int_eq(sim_case_load(KERNEL("global_store(a.out + T, 1.0f);"), 0, &kernel), 0);
  ck_assert_int_eq(sim->launch(device, kernel, 1, N, 0, &a, sizeof a, stream), 0);
  sim->memory_free(device, a.out);
  ck_assert_int_eq(sim->launch(device, kernel, 1, N, 0, &a, sizeof a, stream), FG_ELAUNCH);
}
END_TEST

START_TEST(a_violation_aborts_when_asked_to) {
  float result[N];
  setenv("FFTW3_GPU_SIM_ABORT", "1", 1);
  ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
  sim_case_run(wrong[0].text, 2, N, N * sizeof(float), result);
}
END_TEST

static void add(Suite *s) {
  TCase *tc = sim_case_tests(s, "kernels");
  tcase_add_test(tc, blocks_and_threads_cover_a_vector);
  tcase_add_test(tc, shared_memory_transposes);
  tcase_add_test(tc, locals_survive_many_barriers);
  tcase_add_test(tc, threads_may_leave_before_a_barrier_none_of_them_needs);
  tcase_add_test(tc, blocks_of_a_cluster_write_to_each_other);
  tcase_add_test(tc, points_are_kept);
  tcase_add_test(tc, points_are_sent_in_two_rounds);
  tcase_add_test(tc, points_are_sent_from_block_to_block);
  tcase_add_test(tc, copies_into_shared_memory_arrive);
  tcase_add_test(tc, shuffles_move_values_between_lanes);
  tcase_add_test(tc, lanes_named_by_a_mask_wait_only_for_each_other);
  tcase_add_test(tc, a_lane_outside_the_mask_hands_in_no_number);
  tcase_add_test(tc, angles_in_half_turns_are_exact);
  tc = sim_case_tests(s, "checks");
  tcase_add_loop_test(tc, a_violation_is_caught_and_told, 0, TEST_COUNT(wrong));
  tcase_add_test(tc, freed_memory_is_out_of_bounds);
  tcase_add_test_raise_signal(tc, a_violation_aborts_when_asked_to, SIGABRT);
}

int main(void) { return sim_case_main("sim", add); }
