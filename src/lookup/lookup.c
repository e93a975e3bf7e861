/* lookup.c: libfftw3_gpu_lookup.so, dlsym for programs that open FFTW themselves.
 *
 * Preloaded beside the library it takes the place of dlsym.  Who asks the FFTW that the library stands for, which he has
 * opened, for one of its functions (Python's ctypes, other languages' bindings, plugins) gets the library's function of
 * that name.  All other questions go on to the next dlsym, by a jump and not by a call from here: RTLD_NEXT depends on
 * who asks.  On processors whose jump is written below, with glibc.
 *
 * Not for questions before this library is relocated, by resolvers of others, which glibc does not promise to answer. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_NEXT, dlvsym, dladdr1, dlinfo */
#endif
#include "src/lookup/lookup.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* It is called while sanitizers, which ask dlsym, are not ready to look on. */
#if defined __has_attribute
#if __has_attribute(no_sanitize)
#define UNSEEN __attribute__((no_sanitize("address", "thread", "undefined")))
#endif
#endif
#ifndef UNSEEN
#define UNSEEN
#endif

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

/* Asked for with its version, which others do not have, it is the C library's.  (Whoever comes first, all find the same.) */
UNSEEN static dlsym_function *next(void) {
  dlsym_function *found = __atomic_load_n(&fg_lookup_next, __ATOMIC_RELAXED);
  if (found) return found;
  dlsym_function *const of_libc = (dlsym_function *)dlvsym(RTLD_NEXT, "dlsym", OLDEST);
  found = (dlsym_function *)of_libc(RTLD_NEXT, "dlsym");
  __atomic_store_n(&fg_lookup_next, found, __ATOMIC_RELAXED);
  return found;
}

UNSEEN static bool begins(const char *name, const char *with) { return !strncmp(name, with, strlen(with)); }

/* What is to be asked about that name; NULL: it is not one of FFTW's. */
UNSEEN static const char *question(const char *name) {
  if (begins(name, "fftwf_") || begins(name, "sfftw_")) return FG_INSTEAD_NAME;
  return begins(name, "fftw_") || begins(name, "dfftw_") ? FG_INSTEAD_DOUBLE_NAME : NULL;
}

/* Where the object that address is in begins; NULL if it is in none. */
UNSEEN static const void *object_of(const void *address) {
  Dl_info at;
  return address && dladdr(address, &at) ? at.dli_fbase : NULL;
}

/* A function, not data: the text of FFTW's version, say, is the same in the library, once that has found it.  In a file
 * called libfftw3.…, libfftw3-…, libfftw3f_threads.…: other libraries bring functions of these names, too. */
UNSEEN static bool is_function_of_fftw(void *address) {
  Dl_info at;
  ElfW(Sym) *symbol = NULL;
  if (!address || !dladdr1(address, &at, (void **)&symbol, RTLD_DL_SYMENT) || !symbol) return false;
  const char *const slash = strrchr(at.dli_fname, '/'), *file = slash ? slash + 1 : at.dli_fname;
  if (!begins(file, "libfftw3")) return false;
  file += strlen("libfftw3");
  file += *file == 'f';
  file += begins(file, "_threads") ? strlen("_threads") : begins(file, "_omp") ? strlen("_omp") : 0;
  return (*file == '.' || *file == '-') && (symbol->st_info & 0xf) == STT_FUNC;
}

/* Another copy of the library looks for FFTW itself, as this one does. */
UNSEEN static bool is_of_a_copy(const void *address) {
  Dl_info at;
  if (!address || !dladdr(address, &at)) return false;
  const char *const slash = strrchr(at.dli_fname, '/');
  return begins(slash ? slash + 1 : at.dli_fname, "libfftw3_gpu.");
}

/* Who keeps a copy of FFTW in a namespace of its own wants that one. */
UNSEEN static bool is_elsewhere(void *handle) {
  Lmid_t space;
  return dlinfo(handle, RTLD_DI_LMID, &space) || space != LM_ID_BASE;
}

UNSEEN void *fg_lookup(void *handle, const char *name, const void *caller) {
  dlsym_function *const ask = next();
  const char *const asked = handle == RTLD_NEXT || handle == RTLD_DEFAULT ? NULL : question(name);
  if (!asked) return NULL;
  fg_instead_function *const instead = (fg_instead_function *)ask(RTLD_DEFAULT, asked);
  if (!instead || is_elsewhere(handle)) {
    dlerror(); /* no error of the caller's */
    return NULL;
  }
  if (object_of(caller) == object_of((const void *)instead) || is_of_a_copy(caller)) return NULL;
  void *const theirs = ask(handle, name);
  return is_function_of_fftw(theirs) ? instead(name, theirs, caller) : NULL;
}
