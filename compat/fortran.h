/* fortran.h: how the legacy Fortran names are defined. */
#ifndef FG_COMPAT_FORTRAN_H
#define FG_COMPAT_FORTRAN_H

#include "compat/precision.h"

/* Define a subroutine under its two names: FORTRAN(execute, (X(plan) *const p)) { … } */
#define FORTRAN(name, parameters)                                                                                      \
  void F77_TWO(name) parameters __attribute__((alias(FG_TEXT(F77(name)))));                                            \
  void F77(name) parameters

#endif
