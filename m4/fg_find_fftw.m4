# fg_find_fftw.m4: the real FFTW, in single and in double precision.  The library never links it; the tests do.

# FG_FFTW_PATH(PREFIX, MODULE)
# ----------------------------
# Define PREFIX_PATH, the file of that library that a program linked with -lfftw3_gpu alone falls back to, or "";
# substitute it too.
AC_DEFUN([FG_FFTW_PATH], [
AC_MSG_CHECKING([for the path of lib$2.so.3])
for fg_dir in `$PKG_CONFIG --variable=libdir $2 2>/dev/null`; do
  AS_IF([test -z "$$1_PATH" && test -e "$fg_dir/lib$2.so.3"], [$1_PATH=$fg_dir/lib$2.so.3])
done
AC_MSG_RESULT([${$1_PATH:-no}])
AC_DEFINE_UNQUOTED([$1_PATH], ["$$1_PATH"], [The real lib$2 found by configure, or "".])
AC_SUBST([$1_PATH])
])

# FG_FIND_FFTW
# ------------
# Headers and flags of both precisions, one of which must be there: fftw3.h is the same for both.  Substitutes
# FFTW_CFLAGS, FFTW3F_CFLAGS, FFTW3F_LIBS, FFTW3_CFLAGS, FFTW3_LIBS, FFTW3F_PATH, FFTW3_PATH; HAVE_FFTW3F, HAVE_FFTW3;
# FFTW_AGE, what programs are compiled with that use all of FFTW's functions (Ubuntu 22.04 and RHEL 9 have 3.3.8).
AC_DEFUN([FG_FIND_FFTW], [
PKG_CHECK_MODULES([FFTW3F], [fftw3f >= 3.3], [fg_have_fftw3f=yes], [fg_have_fftw3f=no])
PKG_CHECK_MODULES([FFTW3], [fftw3 >= 3.3], [fg_have_fftw3=yes], [fg_have_fftw3=no])
AS_IF([test "$fg_have_fftw3f$fg_have_fftw3" = nono], [
  AS_IF([test -z "$PKG_CONFIG"], [AC_MSG_ERROR([pkg-config, which finds FFTW, is missing])])
  AC_MSG_ERROR([neither single- nor double-precision FFTW was found by pkg-config (Debian: libfftw3-dev)])])

FFTW3F_PATH= FFTW3_PATH=
FG_FFTW_PATH([FFTW3F], [fftw3f])
FG_FFTW_PATH([FFTW3], [fftw3])
AS_IF([test "$fg_have_fftw3f" = yes], [FFTW_CFLAGS=$FFTW3F_CFLAGS], [FFTW_CFLAGS=$FFTW3_CFLAGS])
AC_SUBST([FFTW_CFLAGS])
AS_IF([test -n "$PKG_CONFIG" && { $PKG_CONFIG --exists 'fftw3f < 3.3.9' || $PKG_CONFIG --exists 'fftw3 < 3.3.9'; } 2>/dev/null],
  [FFTW_AGE=-DBEFORE_FFTW_3_3_9], [FFTW_AGE=])
AC_SUBST([FFTW_AGE])
fg_fftw_version=
AS_IF([test -n "$PKG_CONFIG"],
  [fg_fftw_version=`{ $PKG_CONFIG --modversion fftw3f || $PKG_CONFIG --modversion fftw3; } 2>/dev/null`])
AS_IF([test -z "$fg_fftw_version"], [fg_fftw_version=3.3.10]) # its flags were given
AC_DEFINE_UNQUOTED([FFTW_VERSION], ["$fg_fftw_version"], [The version of the real FFTW found by configure.])

AM_CONDITIONAL([HAVE_FFTW3F], [test "$fg_have_fftw3f" = yes])
AM_CONDITIONAL([HAVE_FFTW3], [test "$fg_have_fftw3" = yes])
])
