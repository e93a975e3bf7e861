# fg_find_fftw.m4: the real FFTW.  The library never links it; the tests do.

# FG_FIND_FFTW
# ------------
# Headers (required) and flags of both precisions.  Defines FFTW3F_PATH, the file that a program linked with
# -lfftw3_gpu alone falls back to; substitutes FFTW3F_CFLAGS, FFTW3F_LIBS, FFTW3_LIBS; HAVE_FFTW3F, HAVE_FFTW3.
AC_DEFUN([FG_FIND_FFTW], [
PKG_CHECK_MODULES([FFTW3F], [fftw3f >= 3.3], [fg_have_fftw3f=yes], [fg_have_fftw3f=no])
PKG_CHECK_MODULES([FFTW3], [fftw3 >= 3.3], [fg_have_fftw3=yes], [fg_have_fftw3=no])
AS_IF([test "$fg_have_fftw3f" = no], [
  AC_MSG_ERROR([single-precision FFTW was not found by pkg-config (Debian: libfftw3-dev)])])

AC_MSG_CHECKING([for the path of libfftw3f.so.3])
fg_fftw3f_path=
for fg_dir in `$PKG_CONFIG --variable=libdir fftw3f`; do
  AS_IF([test -z "$fg_fftw3f_path" && test -e "$fg_dir/libfftw3f.so.3"], [fg_fftw3f_path=$fg_dir/libfftw3f.so.3])
done
AC_MSG_RESULT([${fg_fftw3f_path:-no}])
AC_DEFINE_UNQUOTED([FFTW3F_PATH], ["$fg_fftw3f_path"], [The real libfftw3f found by configure, or "".])
AC_SUBST([FFTW3F_PATH], [$fg_fftw3f_path])

AM_CONDITIONAL([HAVE_FFTW3], [test "$fg_have_fftw3" = yes])
])
