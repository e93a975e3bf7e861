# fg_find_cuda.m4: the CUDA headers (cuda.h, nvrtc.h) and the folder of libnvrtc.  Nothing of CUDA is ever linked.

# _FG_TRY_CUDA(DIR)
# -----------------
# Look for both headers and libnvrtc under DIR: a toolkit, or the layouts of the PyPI wheels.  Sets fg_cuda_h_dir,
# fg_nvrtc_h_dir, fg_nvrtc_dir once both headers are there.
AC_DEFUN([_FG_TRY_CUDA], [
fg_cuda_h_dir= fg_nvrtc_h_dir= fg_nvrtc_dir=
for fg_sub in "" /nvidia/cu13 /cuda_runtime /nvidia/cuda_runtime /nvidia/cuda_nvcc /targets/x86_64-linux /targets/sbsa-linux; do
  AS_IF([test -z "$fg_cuda_h_dir" && test -f "$1$fg_sub/include/cuda.h"], [fg_cuda_h_dir=$1$fg_sub/include])
done
for fg_sub in "" /nvidia/cu13 /cuda_nvrtc /nvidia/cuda_nvrtc /targets/x86_64-linux /targets/sbsa-linux; do
  AS_IF([test -z "$fg_nvrtc_h_dir" && test -f "$1$fg_sub/include/nvrtc.h"], [
    fg_nvrtc_h_dir=$1$fg_sub/include
    for fg_lib in lib64 lib; do
      for fg_file in "$1$fg_sub/$fg_lib"/libnvrtc.so*; do
        AS_IF([test -z "$fg_nvrtc_dir" && test -e "$fg_file"], [fg_nvrtc_dir=$1$fg_sub/$fg_lib])
      done
    done])
done
])

# FG_FIND_CUDA
# ------------
# --with-cuda=DIR|no, else search.  Defines HAVE_CUDA and FG_NVRTC_DIR ("" when the loader must find libnvrtc),
# substitutes CUDA_CFLAGS, sets the conditional HAVE_CUDA and fg_cuda_summary.
AC_DEFUN([FG_FIND_CUDA], [
AC_ARG_WITH([cuda],
  [AS_HELP_STRING([--with-cuda=DIR], [folder with include/cuda.h and include/nvrtc.h; "no" builds without the cuda
                   backend (default: search CUDA_HOME, CUDA_PATH, nvcc on PATH, /usr/local/cuda*, PyPI wheels)])],
  [], [with_cuda=search])

AC_MSG_CHECKING([for CUDA headers (cuda.h, nvrtc.h)])
fg_have_cuda=no
fg_cuda_missing="cuda.h and nvrtc.h were not found"
fg_cuda_candidates=
AS_CASE([$with_cuda],
  [no], [],
  [search|yes], [
    fg_nvcc=`command -v nvcc 2>/dev/null`
    AS_IF([test -n "$fg_nvcc"],
      [fg_nvcc=`readlink -f "$fg_nvcc"`; fg_nvcc=`dirname "$fg_nvcc"`; fg_nvcc=`dirname "$fg_nvcc"`])
    fg_cuda_candidates="$CUDA_HOME $CUDA_PATH $fg_nvcc"
    for fg_dir in /usr/local/cuda /usr/local/cuda-* /usr \
                  /usr/lib/python3/dist-packages /usr/local/lib/python3*/site-packages \
                  /usr/local/lib/python3*/dist-packages "$HOME"/.local/lib/python3*/site-packages; do
      AS_IF([test -d "$fg_dir"], [fg_cuda_candidates="$fg_cuda_candidates $fg_dir"])
    done],
  [fg_cuda_candidates=`cd "$with_cuda" 2>/dev/null && pwd`]) # programs are in other folders when they look for NVRTC
for fg_dir in $fg_cuda_candidates; do
  AS_IF([test "$fg_have_cuda" = no], [
    _FG_TRY_CUDA([$fg_dir])
    AS_IF([test -n "$fg_cuda_h_dir" && test -n "$fg_nvrtc_h_dir"], [
      fg_save_CPPFLAGS=$CPPFLAGS
      CPPFLAGS="$CPPFLAGS -I$fg_cuda_h_dir"
      AC_PREPROC_IFELSE([AC_LANG_SOURCE([[#include <cuda.h>
#if CUDA_VERSION < 11080
#error too old
#endif]])], [fg_have_cuda=yes], [fg_cuda_missing="$fg_cuda_h_dir/cuda.h is not of CUDA 11.8 or later"])
      CPPFLAGS=$fg_save_CPPFLAGS])])
done
AS_IF([test "$fg_have_cuda" = no], [fg_cuda_h_dir= fg_nvrtc_h_dir= fg_nvrtc_dir=])
AC_MSG_RESULT([${fg_cuda_h_dir:-no}])

AS_IF([test "$fg_have_cuda" = no],
  [AS_CASE([$with_cuda],
    [no], [fg_cuda_summary="no (--with-cuda=no)"],
    [search|yes], [fg_cuda_summary="no: $fg_cuda_missing (--with-cuda=DIR)"
      AS_IF([test "$with_cuda" = yes], [AC_MSG_ERROR([--with-cuda: $fg_cuda_missing])])],
    [AC_MSG_ERROR([--with-cuda=$with_cuda: $fg_cuda_missing])])],
  [fg_cuda_summary="yes, headers in $fg_cuda_h_dir, NVRTC in ${fg_nvrtc_dir:-the loader's path}"
   AC_DEFINE([HAVE_CUDA], [1], [Define when the cuda backend is built.])
   CUDA_CFLAGS="-isystem $fg_cuda_h_dir"
   AS_IF([test "$fg_nvrtc_h_dir" != "$fg_cuda_h_dir"], [CUDA_CFLAGS="$CUDA_CFLAGS -isystem $fg_nvrtc_h_dir"])])

AC_SUBST([CUDA_CFLAGS])
AC_DEFINE_UNQUOTED([FG_NVRTC_DIR], ["$fg_nvrtc_dir"], [Folder of libnvrtc found by configure, or "".])
AM_CONDITIONAL([HAVE_CUDA], [test "$fg_have_cuda" = yes])
])
