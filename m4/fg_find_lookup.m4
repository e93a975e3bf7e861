# fg_find_lookup.m4: whether libfftw3_gpu_lookup.so can be built.

# FG_FIND_LOOKUP
# --------------
# Its dlsym is written for some processors, with glibc (src/lookup/lookup.c).  Defines and sets HAVE_LOOKUP.
AC_DEFUN([FG_FIND_LOOKUP], [
AC_CACHE_CHECK([whether dlsym can be put in front of the C library's], [fg_cv_lookup], [
  fg_saved_libs=$LIBS
  LIBS="-ldl $LIBS"
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[
    #include <dlfcn.h>
    #include <link.h>
    #if !defined __GLIBC__ || !defined __LP64__
    #error "no"
    #elif defined __x86_64__
    __asm__(".text\nendbr64\n");
    #elif !defined __aarch64__
    #error "no"
    #endif
    Dl_info at;
    Lmid_t space;
    void *symbol;]], [[
    return !dlvsym(RTLD_NEXT, "dlsym", "") + dladdr1("", &at, &symbol, RTLD_DL_SYMENT) +
           dlinfo(dlopen(0, RTLD_NOW), RTLD_DI_LMID, &space);]])], [fg_cv_lookup=yes], [fg_cv_lookup=no])
  LIBS=$fg_saved_libs])
AM_CONDITIONAL([HAVE_LOOKUP], [test "$fg_cv_lookup" = yes])
AS_IF([test "$fg_cv_lookup" = yes], [
  AC_DEFINE([HAVE_LOOKUP], [1], [libfftw3_gpu_lookup.so is built.])])
])
