# fg_find_test_tools.m4: what only the tests need.  Everything here is optional.

# FG_FIND_TEST_TOOLS
# ------------------
# Check (conditional HAVE_CHECK), OpenMP flags, Fortran and MPI compilers, valgrind, strace, python3, perl, bash.
AC_DEFUN([FG_FIND_TEST_TOOLS], [
PKG_CHECK_MODULES([CHECK], [check >= 0.10], [fg_have_check=yes], [fg_have_check=no])
AM_CONDITIONAL([HAVE_CHECK], [test "$fg_have_check" = yes])
AS_IF([test "$fg_have_check" = yes], [fg_check_summary=yes], [
  fg_check_summary="no: they are skipped (Debian: check)"
  AC_MSG_WARN([Check was not found: the unit tests will not be built])])

fg_saved_cflags=$CFLAGS
AC_OPENMP
CFLAGS=$fg_saved_cflags
AM_CONDITIONAL([HAVE_OPENMP], [test -n "$OPENMP_CFLAGS"])

AC_CHECK_PROGS([FC], [gfortran])
AM_CONDITIONAL([HAVE_FORTRAN], [test -n "$FC"])
AC_CHECK_PROGS([MPICC], [mpicc])
AC_CHECK_PROGS([MPIEXEC], [mpiexec mpirun])
fg_have_mpi=no
AS_IF([test -n "$MPICC" && test -n "$MPIEXEC"], [
  PKG_CHECK_EXISTS([fftw3f], [
    AS_IF([ls "`$PKG_CONFIG --variable=libdir fftw3f`"/libfftw3f_mpi.so* >/dev/null 2>&1], [fg_have_mpi=yes])])])
AM_CONDITIONAL([HAVE_MPI], [test "$fg_have_mpi" = yes])

AC_PATH_PROG([VALGRIND], [valgrind])
AC_PATH_PROG([STRACE], [strace])
AC_PATH_PROG([PERL], [perl])
AC_PATH_PROG([BASH_PROGRAM], [bash], [/bin/bash])
dnl Debian's own interpreter first: it is the one that sees python3-pyfftw.
AC_PATH_PROG([PYTHON3], [python3], [], [/usr/bin$PATH_SEPARATOR$PATH])
])
