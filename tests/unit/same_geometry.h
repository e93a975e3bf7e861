/* same_geometry.h: passes that have the same kernel, and geometries that are written alike. */
#ifndef FG_SAME_GEOMETRY_H
#define FG_SAME_GEOMETRY_H

#include <check.h>

#include "src/pass/choice.h"
#include "src/pass/kernel.h"

static void same_kernel(const fg_pass *a, const fg_pass *b) {
  char x[FG_DEFINES_SIZE], y[FG_DEFINES_SIZE];
  fg_kernel_request_of(a, x);
  fg_kernel_request_of(b, y);
  ck_assert_str_eq(x, y);
}

static void same_choice(const fg_choice *a, const fg_choice *b) {
  char x[FG_CHOICE_TEXT], y[FG_CHOICE_TEXT];
  fg_choice_print(a, x);
  fg_choice_print(b, y);
  ck_assert_str_eq(x, y);
}

#endif
