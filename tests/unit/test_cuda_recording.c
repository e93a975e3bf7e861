/* test_cuda_recording.c: what the cuda backend records becomes the nodes of a graph in the order that streams and events say, and
 * nothing of it is done meanwhile; what fails leaves no graph. */
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "cuda/cuda_device.h"
#include "driver_case.h"
#include "src/pass/kernel.h"
#include "src/plan/planner.h"
#include "src/problem/notation.h"

/* The fake's streams are all one, its events too; nothing of the driver's is called with these. */
#define STREAM(n) ((fg_stream *)(uintptr_t)(0x7000 + (n)))
#define EVENT(n) ((fg_event *)(uintptr_t)(0x8000 + (n)))

static char memory[256], args[4096];
static fg_kernel *waiting, *plain; /* for the launch before, by itself */

/* The only pass of a problem; one that is none of ours. */
static void load_kernels(void) {
  static char defines[FG_DEFINES_SIZE];
  static fg_passes list;
  char message[128];
  const char *why = message;
  fg_kernel *kernels[2];
  fg_problem *p = fg_notation_parse("oc16*100", FG_SINGLE, message, sizeof message);
  ck_assert_msg(p && fg_planner_plan(p, &fg_reference_device, &list, &why), "%s", why);
  const fg_kernel_request requests[] = {
      fg_kernel_request_of(&list.pass[0], defines),
      {.source = "extern \"C\" __global__ void k(float *x) { *x = 1; }\n", .defines = "", .entry = "k"}};
  ck_assert_msg(cuda->kernels(device, 2, requests, kernels) == 0, "%s", fg_backend_message());
  waiting = kernels[0];
  plain = kernels[1];
  fg_problem_free(p);
}

static void begin(void) {
  driver_case_open();
  ck_assert_int_eq(cuda->graph_begin(device, STREAM(0)), 0);
}

static int copy(int on) { return cuda->copy_in(device, memory + 128, memory, 4, STREAM(on)); }
static int launch(fg_kernel *k, int on) { return cuda->launch(device, k, 1, 32, 0, args, sizeof args, STREAM(on)); }

static void order(int before, int event, int after) {
  ck_assert_int_eq(cuda->event_record(device, EVENT(event), STREAM(before)), 0);
  ck_assert_int_eq(cuda->stream_wait_event(device, STREAM(after), EVENT(event)), 0);
}

static void ends_as(const char *story) {
  fg_graph *graph = NULL;
  ck_assert_int_eq(cuda->graph_end(device, STREAM(0), &graph), 0);
  ck_assert_str_eq(fake->story, story);
  ck_assert_int_eq(fake->graphs, 1);
  cuda->graph_destroy(device, graph);
  ck_assert_int_eq(fake->graphs, 0);
}

/* Kernels begin early behind one kernel, where they wait by themselves; not behind a copy, and not two streams' work. */
START_TEST(a_stream_is_done_in_order) {
  driver_case_open();
  load_kernels();
  ck_assert_int_eq(cuda->graph_begin(device, STREAM(0)), 0);
  ck_assert_int_eq(copy(0), 0);
  ck_assert_int_eq(launch(waiting, 0), 0);
  ck_assert_int_eq(launch(waiting, 0), 0);
  memcpy(args, &(int){4711}, sizeof(int));
  ck_assert_int_eq(cuda->launch(device, plain, 7, 64, 1000, args, sizeof args, STREAM(0)), 0);
  ck_assert_mem_eq(fake->kernel, ((int[]){7, 64, 1000, 4711}), sizeof fake->kernel);
  ck_assert_int_eq(copy(0), 0);
  ck_assert_int_eq(fake->dependent, 0);
  ends_as(" c1 k2<1 k3 2~3 k4<3 c5<4");
}
END_TEST

/* As an execution in pieces is: arrivals, passes and departures in a stream each. */
START_TEST(streams_wait_for_each_other) {
  driver_case_open();
  load_kernels();
  ck_assert_int_eq(cuda->graph_begin(device, STREAM(0)), 0);
  order(0, 0, 1);
  order(0, 0, 2);
  ck_assert_int_eq(copy(1), 0);
  order(1, 1, 0);
  ck_assert_int_eq(launch(waiting, 0), 0);
  ck_assert_int_eq(copy(1), 0);
  order(1, 1, 0);
  ck_assert_int_eq(launch(waiting, 0), 0);
  order(0, 0, 2);
  order(0, 0, 2);
  ck_assert_int_eq(copy(2), 0);
  order(2, 0, 0);
  order(1, 1, 0);
  ck_assert_int_eq(launch(waiting, 0), 0);
  ends_as(" c1 k2<1 c3<1 k4<2<3 c5<4 k6<4<5<3");
}
END_TEST

/* An event is where the stream was, whatever came there later. */
START_TEST(an_event_stays_where_it_is) {
  begin();
  ck_assert_int_eq(copy(0), 0);
  ck_assert_int_eq(cuda->event_record(device, EVENT(0), STREAM(0)), 0);
  ck_assert_int_eq(copy(0), 0);
  ck_assert_int_eq(cuda->stream_wait_event(device, STREAM(1), EVENT(0)), 0);
  ck_assert_int_eq(copy(1), 0);
  ends_as(" c1 c2<1 c3<1");
}
END_TEST

/* Nothing begins early behind what joins them. */
START_TEST(many_streams_are_joined) {
  driver_case_open();
  load_kernels();
  ck_assert_int_eq(cuda->graph_begin(device, STREAM(0)), 0);
  for (int i = 1; i < 3; i++) order(0, 0, i);
  for (int round = 0; round < 3; round++)
    for (int i = 1; i < 3; i++) {
      ck_assert_int_eq(copy(i), 0);
      order(i, i, 0);
    }
  ck_assert_int_eq(launch(waiting, 0), 0);
  ends_as(" c1 c2 c3<1 c4<2 c5<3 e6<1<2<3<4<5 c7<4 k8<6<7");
}
END_TEST

/* Nothing is copied before the graph is launched, and then what was recorded, in rows, too. */
START_TEST(copies_are_those_that_were_asked_for) {
  char *const there = memory + 128;
  fg_graph *graph = NULL;
  begin();
  memcpy(memory, "first row,  row, third", 23);
  ck_assert_int_eq(cuda->copy_rows_in(device, there, memory, (fg_copy_rows){3, 3, 6}, STREAM(0)), 0);
  ck_assert_int_eq(cuda->copy_within(device, there + 16, there, 9, STREAM(0)), 0);
  ck_assert_int_eq(cuda->copy_rows_out(device, memory + 65, there + 16, (fg_copy_rows){4, 2, 9}, STREAM(0)), 0);
  ck_assert_int_eq(cuda->copy_in(device, there + 32, memory, 5, STREAM(0)), 0);
  ck_assert_int_eq(cuda->copy_out(device, memory + 96, there + 32, 5, STREAM(0)), 0);
  ck_assert_int_eq(cuda->graph_end(device, STREAM(0), &graph), 0);
  ck_assert_str_eq(fake->story, " c1 c2<1 c3<2 c4<3 c5<4");
  ck_assert_int_eq(there[0], 0);
  for (int i = 0; i < 2; i++) {
    memset(memory + 64, '.', 64);
    ck_assert_int_eq(cuda->graph_launch(device, graph, stream), 0);
    ck_assert_mem_eq(there, "firrowrow", 9);
    ck_assert_mem_eq(memory + 64, ".firr.....owro.", 15);
    ck_assert_mem_eq(memory + 96, "first.", 6);
  }
  cuda->graph_destroy(device, graph);
}
END_TEST

/* Other streams' work is done, and their events have nothing to do with the recording; nor can it be waited for, or hold another
 * graph, or more streams and events than there are places. */
static const char *const said[] = {"cuStreamWaitEvent", "cuEventRecord", "cuStreamSynchronize", "cuEventSynchronize",
                                   "cuEventQuery", "cuGraphLaunch", "cuGraphLaunch", "streams and events"};

START_TEST(what_is_not_recorded_is_done) {
  fg_graph *graph = NULL;
  begin();
  ck_assert_int_eq(copy(0), 0);
  memory[0] = 'x';
  ck_assert_int_eq(copy(5), 0);
  ck_assert_int_eq(memory[128], 'x');
  order(5, 5, 6);
  ck_assert_int_eq(fake->nodes, 1);
  switch (_i) {
    case 0: ck_assert_int_lt(cuda->stream_wait_event(device, STREAM(0), EVENT(5)), 0); break;
    case 1:
      ck_assert_int_eq(cuda->event_record(device, EVENT(0), STREAM(0)), 0);
      ck_assert_int_lt(cuda->event_record(device, EVENT(0), STREAM(5)), 0);
      break;
    case 2: ck_assert_int_lt(cuda->stream_wait(device, STREAM(0)), 0); break;
    case 3:
    case 4:
      ck_assert_int_eq(cuda->event_record(device, EVENT(0), STREAM(0)), 0);
      ck_assert_int_lt(_i == 3 ? cuda->event_wait(device, EVENT(0)) : cuda->event_reached(device, EVENT(0)), 0);
      break;
    case 5: ck_assert_int_lt(cuda->graph_launch(device, graph, STREAM(0)), 0); break;
    case 6: ck_assert_int_lt(cuda->chain_launch(device, NULL, STREAM(0)), 0); break;
    case 7:
      for (int i = 10; i < 16; i++) ck_assert_int_eq(cuda->event_record(device, EVENT(i), STREAM(0)), 0);
      order(0, 0, 0);
      ck_assert_int_lt(cuda->event_record(device, EVENT(16), STREAM(0)), 0);
      break;
    default: ends_as(" c1"); return;
  }
  ck_assert_int_lt(cuda->graph_end(device, STREAM(0), &graph), 0);
  driver_case_says(said[_i]);
  ck_assert_ptr_null(graph);
  ck_assert_int_eq(fake->graphs, 0);
}
END_TEST

/* The driver refuses each of its calls once: there is no graph, nothing is left, and the next recording is one. */
START_TEST(what_fails_leaves_no_graph) {
  static const char *const calls[] = {"cuGraphAddMemcpyNode", "cuGraphAddKernelNode", "cuGraphAddDependencies_v2",
                                      "cuGraphInstantiateWithFlags", "cuGraphCreate", "cuGraphAddEmptyNode"};
  fg_graph *graph = NULL;
  driver_case_open();
  load_kernels();
  driver_case_fail(calls[_i], CUDA_ERROR_OUT_OF_MEMORY);
  const int begun = cuda->graph_begin(device, STREAM(0));
  ck_assert_int_eq(begun, _i == 4 ? FG_ENOMEM : 0);
  if (!begun) {
    const int codes[] = {copy(0), launch(waiting, 0), launch(waiting, 0)};
    for (int i = 0; i < 3; i++) ck_assert_int_eq(codes[i], i == _i ? FG_ENOMEM : 0);
    int joined = 0;
    for (int i = 1; i < 6; i++) {
      order(0, 0, i % 2 + 1);
      ck_assert_int_eq(copy(i % 2 + 1), 0);
      ck_assert_int_eq(cuda->event_record(device, EVENT(1), STREAM(i % 2 + 1)), 0);
      joined += cuda->stream_wait_event(device, STREAM(0), EVENT(1));
    }
    ck_assert_int_eq(joined, _i == 5 ? FG_ENOMEM : 0);
    ck_assert_int_lt(cuda->graph_end(device, STREAM(0), &graph), 0);
    driver_case_says(_i == 2 ? "cuGraphAddKernelNode" : _i == 3 ? "cuGraphInstantiate" : calls[_i]);
  }
  ck_assert_ptr_null(graph);
  ck_assert_int_eq(fake->graphs, 0);
  ck_assert_int_eq(cuda->graph_begin(device, STREAM(0)), 0);
  ck_assert_int_eq(copy(0), 0);
  ends_as(" c1");
}
END_TEST

START_TEST(a_device_lost_meanwhile_ends_the_recording) {
  fg_graph *graph = NULL;
  begin();
  driver_case_fail("cuGraphAddMemcpyNode", CUDA_ERROR_ILLEGAL_ADDRESS);
  ck_assert_int_eq(copy(0), FG_ELOST);
  ck_assert_int_eq(copy(0), FG_ELOST);
  ck_assert_int_eq(cuda->graph_end(device, STREAM(0), &graph), FG_ELOST);
  ck_assert_ptr_null(graph);
  ck_assert_ptr_null(fg_cuda_place_of(STREAM(0)));
}
END_TEST

/* One within another is refused, which goes on. */
START_TEST(a_thread_makes_one_at_a_time) {
  fg_graph *graph = NULL;
  begin();
  ck_assert_int_eq(copy(0), 0);
  ck_assert_int_eq(cuda->graph_begin(device, STREAM(1)), FG_ELAUNCH);
  ck_assert_int_eq(fake->graphs, 1);
  ck_assert_int_eq(copy(0), 0);
  ends_as(" c1 c2<1");
  ck_assert_int_eq(cuda->graph_end(device, STREAM(0), &graph), FG_ELAUNCH);
}
END_TEST

/* The context cannot be entered at the end. */
START_TEST(nothing_is_left_of_one_that_cannot_end) {
  fg_graph *graph = NULL;
  begin();
  ck_assert_int_eq(copy(0), 0);
  driver_case_fail("cuCtxPushCurrent_v2", CUDA_ERROR_OUT_OF_MEMORY);
  ck_assert_int_eq(cuda->graph_end(device, STREAM(0), &graph), FG_ENOMEM);
  ck_assert_int_eq(fake->graphs, 0);
}
END_TEST

static void *copy_too(void *code) {
  *(int *)code = copy(0);
  return NULL;
}

/* In the same stream: theirs is done, ours recorded. */
START_TEST(other_threads_record_nothing) {
  pthread_t other;
  int code = -1;
  begin();
  memory[0] = 'y';
  ck_assert_int_eq(pthread_create(&other, NULL, copy_too, &code), 0);
  pthread_join(other, NULL);
  ck_assert_int_eq(code, 0);
  ck_assert_int_eq(memory[128], 'y');
  ends_as("");
}
END_TEST

static void add(TCase *c) {
  tcase_add_test(c, an_event_stays_where_it_is);
  tcase_add_test(c, copies_are_those_that_were_asked_for);
  tcase_add_loop_test(c, what_is_not_recorded_is_done, 0, TEST_COUNT(said) + 1);
  tcase_add_test(c, a_device_lost_meanwhile_ends_the_recording);
  tcase_add_test(c, a_thread_makes_one_at_a_time);
  tcase_add_test(c, nothing_is_left_of_one_that_cannot_end);
  tcase_add_test(c, other_threads_record_nothing);
  if (!driver_case_has_nvrtc()) return;
  tcase_add_test(c, a_stream_is_done_in_order);
  tcase_add_test(c, streams_wait_for_each_other);
  tcase_add_test(c, many_streams_are_joined);
  tcase_add_loop_test(c, what_fails_leaves_no_graph, 0, 6);
}

int main(void) { return driver_case_run("cuda: recording", add); }
