# fg_find_lookup.m4: whether libfftw3_gpu_lookup.so can be built.

# FG_FIND_LOOKUP
# --------------
# Its dlsym is written for some processors, with glibc (src/lookup/lookup.c).  Defines and sets HAVE_LOOKUP.
AC_DEFUN([FG_FIND_LOOKUP], [
AC_CACHE_CHECK([whether dlsym can be put in front of the C library's], [fg_cv_lookup], [
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
    #include <stdlib.h>
    #if !defined __GLIBC__ || !(defined __x86_64__ && defined __LP64__ || defined __aarch64__ && defined __LP64__)
    #error "no"
    #endif
    ]])], [fg_cv_lookup=yes], [fg_cv_lookup=no])])
AM_CONDITIONAL([HAVE_LOOKUP], [test "$fg_cv_lookup" = yes])
AS_IF([test "$fg_cv_lookup" = yes], [
  AC_DEFINE([HAVE_LOOKUP], [1], [libfftw3_gpu_lookup.so is built.])])
])
