/* test_cuda.c: how the cuda backend treats the driver, and a program that uses CUDA itself. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver_case.h"
#include "suite.h"

/* ---- opening ---- */

START_TEST(opens_and_describes) {
  fg_device *again;
  driver_case_open();
  ck_assert_str_eq(cuda->info(device)->name, "Fake");
  ck_assert_str_eq(cuda->info(device)->driver, "CUDA 13.0");
  ck_assert_int_eq(cuda->info(device)->arch, 90);
  ck_assert_uint_eq(cuda->info(device)->memory, 1 << 30);
  ck_assert_int_eq(cuda->open(0, &again), 0);
  ck_assert_ptr_eq(again, device);
  ck_assert_int_eq(cuda->open(1, &again), FG_ENODEVICE);
  ck_assert_int_eq(cuda->open(-1, &again), FG_ENODEVICE);
}
END_TEST

START_TEST(a_driver_in_the_process_is_not_missing) {
  const int calls = fake->calls;
  ck_assert_ptr_null(cuda->missing());
  ck_assert_int_eq(fake->calls, calls);
}
END_TEST

START_TEST(no_device_stays_no_device) {
  int calls;
  driver_case_fail("cuInit", CUDA_ERROR_NO_DEVICE);
  ck_assert_int_eq(cuda->count(), FG_ENODEVICE);
  driver_case_says("cuInit");
  calls = fake->calls;
  ck_assert_int_eq(cuda->open(0, &device), FG_ENODEVICE);
  driver_case_says("cuInit");
  ck_assert_int_eq(fake->calls, calls);
}
END_TEST

START_TEST(context_that_cannot_be_had) {
  driver_case_fail("cuDevicePrimaryCtxRetain", CUDA_ERROR_OUT_OF_MEMORY);
  ck_assert_int_eq(cuda->open(0, &device), FG_ENOMEM);
  driver_case_open(); /* later there may be room */
}
END_TEST

/* ---- a program that uses CUDA itself ---- */

/* What the program calls: functions of the driver's own. */
static void get_current(CUcontext *context) {
  CUresult (*get)(CUcontext *);
  *(void **)&get = driver_case_symbol("cuCtxGetCurrent");
  get(context);
}

static void push(CUcontext context) {
  CUresult (*call)(CUcontext);
  *(void **)&call = driver_case_symbol("cuCtxPushCurrent_v2");
  call(context);
}

static void exchange_capture(CUstreamCaptureMode *mode) {
  CUresult (*exchange)(CUstreamCaptureMode *);
  *(void **)&exchange = driver_case_symbol("cuThreadExchangeStreamCaptureMode");
  exchange(mode);
}

static void use_everything(void) {
  void *memory, *pinned;
  size_t available;
  double seconds;
  fg_event *event;
  fg_graph *graph;
  ck_assert_int_eq(cuda->memory_alloc(device, 64, &memory), 0);
  ck_assert_int_eq(cuda->memory_available(device, &available), 0);
  ck_assert_int_eq(cuda->pinned_alloc(device, 64, &pinned), 0);
  memset(pinned, 7, 64);
  ck_assert_int_eq(cuda->copy_in(device, memory, pinned, 64, stream), 0);
  memset(pinned, 0, 64);
  ck_assert_int_eq(cuda->copy_out(device, pinned, memory, 64, stream), 0);
  ck_assert_int_eq(cuda->stream_wait(device, stream), 0);
  ck_assert_int_eq(((char *)pinned)[63], 7);
  memcpy(pinned, "first row,  row, third", 23);
  ck_assert_int_eq(cuda->copy_rows_in(device, memory, pinned, (fg_copy_rows){3, 3, 6}, stream), 0);
  ck_assert_mem_eq(memory, "firrowrow", 9);
  ck_assert_int_eq(cuda->copy_rows_out(device, (char *)pinned + 1, memory, (fg_copy_rows){4, 2, 9}, stream), 0);
  ck_assert_mem_eq(pinned, "ffirr row,owrow, third", 22);
  ck_assert_int_eq(cuda->host_register(device, pinned, 64), 0);
  ck_assert_int_eq(cuda->host_unregister(device, pinned), 0);
  ck_assert_int_eq(cuda->event_create(device, &event), 0);
  ck_assert_int_eq(cuda->event_record(device, event, stream), 0);
  ck_assert_int_eq(cuda->stream_wait_event(device, stream, event), 0);
  ck_assert_int_eq(cuda->event_elapsed(device, event, event, &seconds), 0);
  ck_assert_double_eq_tol(seconds, 0.25, 1e-9);
  ck_assert_int_eq(cuda->graph_begin(device, stream), 0);
  ck_assert_int_eq(cuda->graph_end(device, stream, &graph), 0);
  ck_assert_int_eq(cuda->graph_launch(device, graph, stream), 0);
  cuda->graph_destroy(device, graph);
  cuda->event_destroy(device, event);
  cuda->memory_free(device, memory);
  cuda->pinned_free(device, pinned);
  cuda->stream_destroy(device, stream);
}

START_TEST(no_context_before_no_context_after) {
  CUcontext current;
  driver_case_open();
  use_everything();
  get_current(&current);
  ck_assert_ptr_null(current);
  ck_assert_int_eq(fake->context_depth, 0);
}
END_TEST

START_TEST(the_programs_context_and_capture_stay) {
  const CUcontext theirs = (CUcontext)0x9999;
  CUcontext current;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  push(theirs);
  driver_case_open();
  use_everything();
  driver_case_fail("cuMemAlloc_v2", CUDA_ERROR_OUT_OF_MEMORY);
  ck_assert_int_eq(cuda->memory_alloc(device, 64, &(void *){0}), FG_ENOMEM);
  get_current(&current);
  ck_assert_ptr_eq(current, theirs);
  ck_assert_int_eq(fake->context_depth, 1);
  exchange_capture(&mode);
  ck_assert_int_eq(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
}
END_TEST

/* Where it could not be exchanged there is nothing to change back. */
START_TEST(a_capture_mode_that_was_not_taken_is_not_given_back) {
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  size_t available;
  driver_case_open();
  driver_case_fail("cuThreadExchangeStreamCaptureMode", CUDA_ERROR_UNKNOWN);
  ck_assert_int_eq(cuda->memory_available(device, &available), 0);
  exchange_capture(&mode);
  ck_assert_int_eq(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
}
END_TEST

/* The program may have memory that cuMemFree does not take (cuMemMap). */
START_TEST(memory_that_is_not_freed_is_told) {
  driver_case_open();
  driver_case_fail("cuMemFree_v2", CUDA_ERROR_INVALID_VALUE);
  ck_assert_int_eq(cuda->memory_free(device, (void *)0x1000), FG_ELAUNCH);
  ck_assert_ptr_nonnull(strstr(fg_backend_message(), "cuMemFree"));
}
END_TEST

START_TEST(our_context_is_not_pushed_twice) {
  int pushes;
  driver_case_open();
  push((CUcontext)0x1000); /* the fake's primary context, as the runtime API leaves it */
  pushes = fake->pushes;
  use_everything();
  ck_assert_int_eq(fake->pushes, pushes);
}
END_TEST

/* ---- failures ---- */

static const struct {
  CUresult result;
  int code;
} failures[] = {
    {CUDA_ERROR_OUT_OF_MEMORY, FG_ENOMEM},
    {CUDA_ERROR_INVALID_VALUE, FG_ELAUNCH},
    {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, FG_ELAUNCH},
    {CUDA_ERROR_ILLEGAL_ADDRESS, FG_ELOST},
    {CUDA_ERROR_ECC_UNCORRECTABLE, FG_ELOST},
    {CUDA_ERROR_LAUNCH_FAILED, FG_ELOST},
    {CUDA_ERROR_CONTEXT_IS_DESTROYED, FG_ELOST},
    {CUDA_ERROR_DEINITIALIZED, FG_ELOST},
    {CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, FG_ENODEVICE},
    {810, FG_ELOST},    /* the MPS client was terminated */
    {808, FG_ENODEVICE}, /* the MPS server has no room */
};

START_TEST(results_become_codes) {
  void *memory = NULL;
  driver_case_open();
  driver_case_fail("cuMemAlloc_v2", failures[_i].result);
  ck_assert_int_eq(cuda->memory_alloc(device, 64, &memory), failures[_i].code);
  ck_assert_ptr_null(memory);
  driver_case_says("cuMemAlloc: CUDA_ERROR_");
}
END_TEST

/* When the driver cannot wait, its work goes on: it must be over before anything else happens to the memory. */
START_TEST(what_cannot_be_waited_for_is_asked_for) {
  fg_event *event;
  driver_case_open();
  ck_assert_int_eq(cuda->event_create(device, &event), 0);
  fake->busy = 3;
  driver_case_fail("cuStreamSynchronize", CUDA_ERROR_OPERATING_SYSTEM);
  ck_assert_int_eq(cuda->stream_wait(device, stream), 0);
  ck_assert_int_eq(fake->busy, -1);
  fake->busy = 2;
  driver_case_fail("cuEventSynchronize", CUDA_ERROR_OPERATING_SYSTEM);
  ck_assert_int_eq(cuda->event_wait(device, event), 0);
  ck_assert_int_eq(fake->busy, -1);
  cuda->event_destroy(device, event);
}
END_TEST

/* While another thread captures a stream that the default one waits for, that cannot be waited for, nor anything else be done
 * with it: as long as it is asked in the one way that does no harm. */
START_TEST(a_capture_of_another_thread_is_waited_for) {
  driver_case_open();
  fake->capturing = 3;
  driver_case_fail("cuStreamSynchronize", CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  const int synchronized = fake->synchronized;
  ck_assert_int_eq(cuda->stream_wait(device, (fg_stream *)CU_STREAM_LEGACY), 0);
  ck_assert_int_eq(fake->capturing, 3 - 3 - 2); /* until it said no; and after the failure */
  ck_assert_int_eq(fake->synchronized, synchronized + 1);
  fake->capturing = 3; /* also while it is asked instead of waited for */
  fake->busy = 2;
  driver_case_fail("cuStreamSynchronize", CUDA_ERROR_OPERATING_SYSTEM);
  ck_assert_int_eq(cuda->stream_wait(device, (fg_stream *)CU_STREAM_LEGACY), 0);
  ck_assert_int_eq(fake->busy, -1);
  fake->capturing = 3;
  ck_assert_int_eq(cuda->stream_wait(device, stream), 0); /* which has nothing to do with it */
  ck_assert_int_eq(fake->capturing, 3);
}
END_TEST

START_TEST(an_event_is_reached_or_not_or_fails) {
  fg_event *event;
  driver_case_open();
  ck_assert_int_eq(cuda->event_create(device, &event), 0);
  fake->busy = 1;
  ck_assert_int_eq(cuda->event_reached(device, event), 0);
  ck_assert_int_eq(cuda->event_reached(device, event), 1);
  driver_case_fail("cuEventQuery", CUDA_ERROR_LAUNCH_FAILED);
  ck_assert_int_lt(cuda->event_reached(device, event), 0);
  cuda->event_destroy(device, event);
}
END_TEST

START_TEST(lost_is_lost) {
  void *memory, *more;
  int calls;
  driver_case_open();
  ck_assert_int_eq(cuda->memory_alloc(device, 64, &memory), 0);
  driver_case_fail("cuStreamSynchronize", CUDA_ERROR_ILLEGAL_ADDRESS);
  ck_assert_int_eq(cuda->stream_wait(device, stream), FG_ELOST);
  calls = fake->calls;
  ck_assert_int_eq(cuda->memory_alloc(device, 64, &more), FG_ELOST);
  driver_case_says("cuStreamSynchronize");
  ck_assert_int_eq(cuda->stream_wait(device, stream), FG_ELOST);
  cuda->memory_free(device, memory);
  cuda->stream_destroy(device, stream);
  ck_assert_int_eq(fake->calls, calls);
}
END_TEST

START_TEST(after_fork_the_driver_is_left_alone) {
  const fg_kernel_request request = {.source = "\n", .entry = "k"};
  void *memory, *more;
  fg_kernel *kernel;
  int calls, status, code;
  pid_t child;
  driver_case_open();
  ck_assert_int_eq(cuda->memory_alloc(device, 64, &memory), 0);
  calls = fake->calls;
  child = fork();
  if (child == 0) {
    code = cuda->count() == FG_ENODEVICE && cuda->open(0, &device) == FG_ENODEVICE &&
           cuda->memory_alloc(device, 64, &more) == FG_ENODEVICE && cuda->stream_wait(device, stream) == FG_ENODEVICE &&
           cuda->kernels(device, 1, &request, &kernel) == FG_ENODEVICE;
    cuda->memory_free(device, memory);
    cuda->stream_destroy(device, stream);
    _exit(code && fake->calls == calls ? 0 : 1);
  }
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_int_eq(status, 0);
  ck_assert_int_eq(cuda->stream_wait(device, stream), 0); /* the parent goes on */
}
END_TEST

/* ---- memory and streams of the program's ---- */

static fg_pointer ask(unsigned type, unsigned managed, unsigned alien) {
  fg_pointer what;
  fake->memory_type = type;
  fake->managed = managed;
  fake->alien = alien;
  cuda->pointer((void *)0x7000123, &what);
  return what;
}

/* The program, not we, has loaded the driver here: its pointers are known before any device of ours is open. */
START_TEST(pointers_of_the_program) {
  ck_assert(cuda->pointers() && cuda->used_by_program());
  ck_assert_int_eq(ask(0, 0, 0).kind, FG_POINTER_HOST);
  ck_assert_int_eq(ask(CU_MEMORYTYPE_HOST, 0, 0).kind, FG_POINTER_PINNED);
  ck_assert_int_eq(ask(CU_MEMORYTYPE_DEVICE, 0, 0).kind, FG_POINTER_DEVICE);
  ck_assert_int_eq(ask(CU_MEMORYTYPE_DEVICE, 1, 0).kind, FG_POINTER_MANAGED);
  ck_assert_int_eq(ask(CU_MEMORYTYPE_DEVICE, 0, 1).kind, FG_POINTER_DEVICE);
  driver_case_open();
  ck_assert_int_eq(ask(CU_MEMORYTYPE_DEVICE, 0, 1).kind, FG_POINTER_APART); /* not of the context that is ours now */
  const fg_pointer what = ask(CU_MEMORYTYPE_DEVICE, 0, 0);
  ck_assert_ptr_eq(what.base, (void *)0x7000100);
  ck_assert_uint_eq(what.bytes, 4096);
  driver_case_fail("cuPointerGetAttributes", CUDA_ERROR_NOT_INITIALIZED);
  ck_assert_int_eq(ask(CU_MEMORYTYPE_DEVICE, 0, 0).kind, FG_POINTER_HOST);
  ck_assert_int_eq(fake->context_depth, 0);
}
END_TEST

START_TEST(pointers_of_a_forked_child_are_not_asked_for) {
  driver_case_open();
  ask(CU_MEMORYTYPE_DEVICE, 0, 0);
  const pid_t child = fork();
  if (child == 0) {
    const int calls = fake->calls;
    const bool host = ask(CU_MEMORYTYPE_DEVICE, 0, 0).kind == FG_POINTER_HOST;
    _exit(host && !cuda->pointers() && fake->calls == calls ? 0 : 1);
  }
  int status;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_int_eq(status, 0);
}
END_TEST

/* Default streams belong to a context each. */
START_TEST(what_the_owner_of_memory_does_with_it_is_waited_for) {
  fg_stream *s;
  driver_case_open();
  const fg_pointer theirs = ask(CU_MEMORYTYPE_DEVICE, 0, 1);
  ck_assert_int_eq(theirs.kind, FG_POINTER_APART);
  ck_assert_ptr_nonnull(theirs.owner);
  cuda->owner_wait(device, theirs.owner);
  ck_assert_ptr_eq(fake->waited_in, theirs.owner);
  ck_assert_int_eq(fake->context_depth, 0);
  fake->fail = "cuStreamSynchronize"; /* what fails there is not ours */
  fake->result = CUDA_ERROR_ILLEGAL_ADDRESS;
  cuda->owner_wait(device, theirs.owner);
  ck_assert_int_eq(fake->context_depth, 0);
  ck_assert_int_eq(cuda->stream_of_program(device, NULL, &s), 0);
  ck_assert_int_eq(cuda->stream_wait(device, s), 0);
}
END_TEST

START_TEST(streams_of_the_program) {
  fg_stream *s;
  driver_case_open();
  ck_assert_int_eq(cuda->stream_of_program(device, NULL, &s), 0);
  ck_assert_ptr_eq(s, CU_STREAM_LEGACY);
  ck_assert_int_eq(cuda->stream_of_program(device, (void *)0x2001, &s), 0);
  ck_assert_ptr_eq(s, (void *)0x2001);
  ck_assert_int_eq(cuda->stream_of_program(device, FAKE_ALIEN, &s), FG_ELAUNCH);
  ck_assert_int_eq(cuda->stream_of_program(device, FAKE_CAPTURING, &s), FG_ELAUNCH);
  ck_assert_int_eq(fake->context_depth, 0);
}
END_TEST

static void add_tests(TCase *c) {
  tcase_add_test(c, pointers_of_the_program);
  tcase_add_test(c, pointers_of_a_forked_child_are_not_asked_for);
  tcase_add_test(c, what_the_owner_of_memory_does_with_it_is_waited_for);
  tcase_add_test(c, streams_of_the_program);
  tcase_add_test(c, opens_and_describes);
  tcase_add_test(c, a_driver_in_the_process_is_not_missing);
  tcase_add_test(c, no_device_stays_no_device);
  tcase_add_test(c, context_that_cannot_be_had);
  tcase_add_test(c, no_context_before_no_context_after);
  tcase_add_test(c, the_programs_context_and_capture_stay);
  tcase_add_test(c, a_capture_mode_that_was_not_taken_is_not_given_back);
  tcase_add_test(c, memory_that_is_not_freed_is_told);
  tcase_add_test(c, our_context_is_not_pushed_twice);
  tcase_add_loop_test(c, results_become_codes, 0, TEST_COUNT(failures));
  tcase_add_test(c, what_cannot_be_waited_for_is_asked_for);
  tcase_add_test(c, a_capture_of_another_thread_is_waited_for);
  tcase_add_test(c, an_event_is_reached_or_not_or_fails);
  tcase_add_test(c, lost_is_lost);
  tcase_add_test(c, after_fork_the_driver_is_left_alone);
}

int main(void) { return driver_case_run("cuda", add_tests); }
