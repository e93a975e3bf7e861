/* fiber.c: coroutines.  makecontext enters a stack for the first time; after that _setjmp and _longjmp switch, because
 * swapcontext costs a system call each time. */
#undef _FORTIFY_SOURCE /* its longjmp refuses to change stacks */
#include "config.h"

#include "cuda/sim/fiber.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#if defined __SANITIZE_ADDRESS__
#define FIBER_ASAN 1
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define FIBER_ASAN 1
#endif
#endif
#if defined __SANITIZE_THREAD__
#define FIBER_TSAN 1
#elif defined __has_feature
#if __has_feature(thread_sanitizer)
#define FIBER_TSAN 1
#endif
#endif
#ifdef FIBER_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef FIBER_TSAN
#include <sanitizer/tsan_interface.h>
#endif

/* A simulated thread keeps its register arrays here, unoptimised ones too; pages are only taken when touched. */
enum { STACK_BYTES = 128 * 1024 };

struct fg_fiber {
  jmp_buf inside, outside; /* where the fiber and its scheduler go on */
  jmp_buf top;             /* where the fiber takes new work */
  fg_fiber_work *work;     /* NULL: idle */
  void *context;
  char *stack;
  /* for the sanitizers */
  void *fake_stack;
  const void *outside_stack;
  size_t outside_bytes;
  void *tsan, *tsan_outside;
};

/* What AddressSanitizer and ThreadSanitizer want to hear before and after a change of stacks. */
static inline void leave_outside(fg_fiber *f, void **fake_stack) {
#ifdef FIBER_ASAN
  __sanitizer_start_switch_fiber(fake_stack, f->stack, STACK_BYTES);
#endif
#ifdef FIBER_TSAN
  f->tsan_outside = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(f->tsan, 0);
#endif
  (void)f, (void)fake_stack;
}

static inline void arrive_outside(void *fake_stack) {
#ifdef FIBER_ASAN
  __sanitizer_finish_switch_fiber(fake_stack, NULL, NULL);
#endif
  (void)fake_stack;
}

static inline void leave_inside(fg_fiber *f) {
#ifdef FIBER_ASAN
  __sanitizer_start_switch_fiber(&f->fake_stack, f->outside_stack, f->outside_bytes);
#endif
#ifdef FIBER_TSAN
  __tsan_switch_to_fiber(f->tsan_outside, 0);
#endif
  (void)f;
}

static inline void arrive_inside(fg_fiber *f) {
#ifdef FIBER_ASAN
  __sanitizer_finish_switch_fiber(f->fake_stack, &f->outside_stack, &f->outside_bytes);
#endif
  (void)f;
}

void fg_fiber_yield(fg_fiber *f) {
  if (_setjmp(f->inside) == 0) {
    leave_inside(f);
    _longjmp(f->outside, 1);
  }
  arrive_inside(f);
}

void fg_fiber_abandon(fg_fiber *f) { _longjmp(f->top, 1); }

/* makecontext passes only ints. */
static void fiber_main(unsigned high, unsigned low) {
  fg_fiber *f = (fg_fiber *)((uintptr_t)high << 16 << 16 | low);
  arrive_inside(f);
  (void)_setjmp(f->top);
  for (;;) {
    f->work = NULL;
    fg_fiber_yield(f);
    f->work(f->context);
  }
}

static void switch_to(fg_fiber *f) {
  void *fake_stack = NULL;
  if (_setjmp(f->outside) == 0) {
    leave_outside(f, &fake_stack);
    _longjmp(f->inside, 1);
  }
  arrive_outside(fake_stack);
}

/* The first entry: runs fiber_main up to its first yield. */
static void enter(fg_fiber *f) {
  ucontext_t first;
  void *fake_stack = NULL;
  uintptr_t bits = (uintptr_t)f;
  getcontext(&first);
  first.uc_stack.ss_sp = f->stack;
  first.uc_stack.ss_size = STACK_BYTES;
  first.uc_link = NULL;
  makecontext(&first, (void (*)(void))fiber_main, 2, (unsigned)(bits >> 16 >> 16), (unsigned)bits);
  if (_setjmp(f->outside) == 0) {
    leave_outside(f, &fake_stack);
    setcontext(&first);
  }
  arrive_outside(fake_stack);
}

fg_fiber *fg_fiber_new(void) {
  fg_fiber *f = calloc(1, sizeof *f);
  if (!f)
    return NULL;
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *mapping = mmap(NULL, page + STACK_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) {
    free(f);
    return NULL;
  }
  mprotect(mapping, page, PROT_NONE); /* an overflow ends here; without the guard all still works */
  f->stack = mapping + page;
#ifdef FIBER_TSAN
  f->tsan = __tsan_create_fiber(0);
#endif
  enter(f);
  return f;
}

void fg_fiber_start(fg_fiber *f, fg_fiber_work *work, void *context) {
  f->work = work;
  f->context = context;
}

bool fg_fiber_resume(fg_fiber *f) {
  if (f->work)
    switch_to(f);
  return f->work != NULL;
}
