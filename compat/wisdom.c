/* wisdom.c: wisdom is the real FFTW's; without one there is none to export or import. */
#include "config.h"

#include <stdio.h>

#include "compat/lock.h"
#include "compat/next.h"

void X(forget_wisdom)(void) {
  fg_compat_enter();
  FG_REAL_DO(forget_wisdom);
  fg_compat_leave();
}

/* ---- export ------------------------------------------------------------------------------------------------------ */

void X(export_wisdom)(X(write_char_func) write_char, void *data) {
  fg_compat_enter();
  FG_REAL_DO(export_wisdom, write_char, data);
  fg_compat_leave();
}

void X(export_wisdom_to_file)(FILE *output_file) {
  fg_compat_enter();
  FG_REAL_DO(export_wisdom_to_file, output_file);
  fg_compat_leave();
}

int X(export_wisdom_to_filename)(const char *filename) {
  FILE *file = fopen(filename, "w");
  if (!file) return 0;
  X(export_wisdom_to_file)(file);
  const int good = !ferror(file);
  return fclose(file) == 0 && good;
}

char *X(export_wisdom_to_string)(void) {
  fg_compat_enter();
  char *text = FG_REAL(export_wisdom_to_string, NULL);
  fg_compat_leave();
  return text;
}

/* ---- import ------------------------------------------------------------------------------------------------------ */

int X(import_system_wisdom)(void) {
  fg_compat_enter();
  const int good = FG_REAL(import_system_wisdom, 0);
  fg_compat_leave();
  return good;
}

int X(import_wisdom)(X(read_char_func) read_char, void *data) {
  fg_compat_enter();
  const int good = FG_REAL(import_wisdom, 0, read_char, data);
  fg_compat_leave();
  return good;
}

int X(import_wisdom_from_file)(FILE *input_file) {
  fg_compat_enter();
  const int good = FG_REAL(import_wisdom_from_file, 0, input_file);
  fg_compat_leave();
  return good;
}

int X(import_wisdom_from_filename)(const char *filename) {
  FILE *file = fopen(filename, "r");
  if (!file) return 0;
  const int good = X(import_wisdom_from_file)(file);
  return fclose(file) == 0 && good;
}

int X(import_wisdom_from_string)(const char *input_string) {
  fg_compat_enter();
  const int good = FG_REAL(import_wisdom_from_string, 0, input_string);
  fg_compat_leave();
  return good;
}
