# fg_find_kernels.m4: whether the common kernels are compiled with the library.

# FG_FIND_KERNELS
# ---------------
# --with-kernels=auto|yes|no.  They need NVRTC while the library is built, found as the library finds it (after
# FG_FIND_CUDA), and a program that runs here.  Sets the conditional WITH_KERNELS and fg_kernels_summary.
AC_DEFUN([FG_FIND_KERNELS], [
AC_ARG_WITH([kernels],
  [AS_HELP_STRING([--with-kernels=auto|yes|no], [compile the kernels of common sizes now, for sm_80, sm_90 and later
                   (needs NVRTC, takes minutes; default: auto, where NVRTC compiles)])],
  [], [with_kernels=auto])
AS_CASE([$with_kernels], [auto|yes|no], [], [AC_MSG_ERROR([--with-kernels=$with_kernels: auto, yes or no])])
fg_kernels=no
fg_kernels_summary="no (--with-kernels=no)"
AS_IF([test "$with_kernels" != no], [
  fg_kernels_summary="no: built without CUDA"
  AS_IF([test "$fg_have_cuda" = yes && test "$cross_compiling" = yes],
    [fg_kernels_summary="no: this is a cross compilation"])
  AS_IF([test "$fg_have_cuda" = yes && test "$cross_compiling" != yes], [
    AC_MSG_CHECKING([for NVRTC, to compile kernels now])
    fg_save_LIBS=$LIBS
    LIBS="$LIBS -ldl"
    AC_RUN_IFELSE([AC_LANG_PROGRAM([[
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void *library;
static int try(const char *folder, const char *below) {
  static const char *const files[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
  char path[4096];
  for (int i = 0; folder && i < 3; i++) {
    snprintf(path, sizeof path, "%s%s%s%s", folder, below, *folder ? "/" : "", files[i]);
    if ((library = dlopen(path, RTLD_NOW))) return 1;
  }
  return 0;
}
/* As cuda/cuda_nvrtc.c loads it. */
static int compiles(void) {
  int (*version)(int *, int *), (*create)(void **, const char *, const char *, int, const char **, const char **);
  int (*compile)(void *, int, const char **), major, minor;
  char path[4096];
  void *program;
  Dl_info info;
  *(void **)&version = dlsym(library, "nvrtcVersion");
  *(void **)&create = dlsym(library, "nvrtcCreateProgram");
  *(void **)&compile = dlsym(library, "nvrtcCompileProgram");
  if (!version || !create || !compile || version(&major, &minor)) return 0;
  if (dladdr((void *)version, &info) && strrchr(info.dli_fname, '/')) {
    snprintf(path, sizeof path, "%.*s/libnvrtc-builtins.so.%d.%d", (int)(strrchr(info.dli_fname, '/') - info.dli_fname),
             info.dli_fname, major, minor);
    dlopen(path, RTLD_NOW);
  }
  return !create(&program, "__global__ void f(float *x) { x[threadIdx.x] = 1; }", "f.cu", 0, 0, 0) &&
         !compile(program, 0, 0);
}
]], [[return try("", "") || try("$fg_nvrtc_dir", "") || try(getenv("CUDA_HOME"), "/lib64") ||
         try(getenv("CUDA_PATH"), "/lib64") ? compiles() ? 0 : 2 : 1;]])],
      [fg_kernels=yes fg_kernels_summary="yes, for sm_80, sm_90 and later"],
      [AS_IF([test $? = 2], [fg_kernels_summary="no: NVRTC does not compile"],
             [fg_kernels_summary="no: NVRTC cannot be loaded"])], [:])
    LIBS=$fg_save_LIBS
    AC_MSG_RESULT([$fg_kernels])])
  AS_IF([test "$with_kernels" = yes && test "$fg_kernels" = no],
    [AC_MSG_ERROR([--with-kernels=yes: $fg_kernels_summary])])])
AM_CONDITIONAL([WITH_KERNELS], [test "$fg_kernels" = yes])
])
