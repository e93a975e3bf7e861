/* lookup.c: libfftw3_gpu_lookup.so, dlsym for programs that open FFTW themselves.
 *
 * Preloaded beside the library it takes the place of dlsym.  Who asks an FFTW that he has opened for one of its
 * functions (Python's ctypes, other languages' bindings, plugins) gets the library's function of that name; all other questions go to the C library,
 * as if they had been put to it: it looks where the call came from, which RTLD_NEXT depends on, so that the call is
 * passed on by a jump and not by a call from here.  On processors whose jump is written below, with glibc. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_NEXT, dlvsym, dladdr1 */
#endif
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define FROM_JUMP __attribute__((visibility("hidden"), used))
typedef void *dlsym_function(void *, const char *);

/* The next dlsym behind this one: the C library's, or that of whoever else takes its place. */
FROM_JUMP dlsym_function *fg_lookup_next;

/* dlsym's answer to caller; NULL: the next dlsym is to give it. */
FROM_JUMP void *fg_lookup(void *handle, const char *name, const void *caller);

/* dlsym: ask fg_lookup; jump to fg_lookup_next, with all as it came, where that has no answer. */
#if defined __x86_64__
#define OLDEST "GLIBC_2.2.5"
__asm__(".text\n"
        ".p2align 4\n"
        ".globl dlsym\n"
        ".type dlsym, @function\n"
        "dlsym:\n"
        ".cfi_startproc\n"
        "endbr64\n"
        "subq $24, %rsp\n"
        ".cfi_adjust_cfa_offset 24\n"
        "movq %rdi, (%rsp)\n"
        "movq %rsi, 8(%rsp)\n"
        "movq 24(%rsp), %rdx\n"
        "call fg_lookup\n"
        "movq (%rsp), %rdi\n"
        "movq 8(%rsp), %rsi\n"
        "addq $24, %rsp\n"
        ".cfi_adjust_cfa_offset -24\n"
        "testq %rax, %rax\n"
        "jz 1f\n"
        "ret\n"
        "1: jmp *fg_lookup_next(%rip)\n"
        ".cfi_endproc\n"
        ".size dlsym, .-dlsym\n");
#elif defined __aarch64__
#define OLDEST "GLIBC_2.17"
__asm__(".text\n"
        ".p2align 4\n"
        ".globl dlsym\n"
        ".type dlsym, %function\n"
        "dlsym:\n"
        ".cfi_startproc\n"
        "hint 34\n" /* bti c */
        "stp x29, x30, [sp, -32]!\n"
        ".cfi_def_cfa_offset 32\n"
        ".cfi_offset 29, -32\n"
        ".cfi_offset 30, -24\n"
        "mov x29, sp\n"
        "stp x0, x1, [sp, 16]\n"
        "mov x2, x30\n"
        "bl fg_lookup\n"
        "mov x9, x0\n"
        "ldp x0, x1, [sp, 16]\n"
        "ldp x29, x30, [sp], 32\n"
        ".cfi_restore 29\n"
        ".cfi_restore 30\n"
        ".cfi_def_cfa_offset 0\n"
        "cbz x9, 1f\n"
        "mov x0, x9\n"
        "ret\n"
        "1: adrp x16, fg_lookup_next\n"
        "ldr x16, [x16, :lo12:fg_lookup_next]\n"
        "br x16\n"
        ".cfi_endproc\n"
        ".size dlsym, .-dlsym\n");
#else
#error "no jump for this processor: configure leaves this library out"
#endif

static bool begins(const char *name, const char *with) { return !strncmp(name, with, strlen(with)); }

static bool is_of_fftw(const char *name) {
  return begins(name, "fftw_") || begins(name, "fftwf_") || begins(name, "sfftw_") || begins(name, "dfftw_");
}

/* A function in a file called libfftw3.…, libfftw3f_threads-…: wheels of Python rename what they bring.  (FFTW's data, its
 * version's text, is the same in the library, once that has found it.) */
static bool is_function_of_fftw(void *address) {
  Dl_info at;
  ElfW(Sym) *symbol = NULL;
  if (!address || !dladdr1(address, &at, (void **)&symbol, RTLD_DL_SYMENT) || !symbol) return false;
  const char *const slash = strrchr(at.dli_fname, '/');
  return begins(slash ? slash + 1 : at.dli_fname, "libfftw3") && (symbol->st_info & 0xf) == STT_FUNC;
}

/* Where the object that address is in begins; NULL if it is in none. */
static const void *object_of(const void *address) {
  Dl_info at;
  return address && dladdr(address, &at) ? at.dli_fbase : NULL;
}

/* The library's function of that name, for a caller outside of it; NULL if it is not preloaded or has none. */
static void *ours(const char *name, const void *caller) {
  void *const function = fg_lookup_next(RTLD_DEFAULT, name);
  void *const mark = function ? fg_lookup_next(RTLD_DEFAULT, "fftw3_gpu_version") : NULL;
  if (!mark) dlerror(); /* no error of the caller's */
  const void *const library = object_of(mark);
  const bool found = library && object_of(function) == library && object_of(caller) != library;
  return found ? function : NULL;
}

void *fg_lookup(void *handle, const char *name, const void *caller) {
  if (!fg_lookup_next) fg_lookup_next = (dlsym_function *)dlvsym(RTLD_NEXT, "dlsym", OLDEST);
  if (handle == RTLD_NEXT || handle == RTLD_DEFAULT || !is_of_fftw(name)) return NULL;
  return is_function_of_fftw(fg_lookup_next(handle, name)) ? ours(name, caller) : NULL;
}
