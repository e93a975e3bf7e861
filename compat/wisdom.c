/* wisdom.c: wisdom is the real FFTW's; without one there is none to export or import.  What was planned on the device
 * follows behind it in a list of its own, which stock FFTW does not read: it stops at the end of its own. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "compat/fftw2.h"
#include "compat/lock.h"
#include "compat/next.h"
#include "compat/source.h"
#include "compat/traced.h"
#include "src/plan/wisdom.h"

void X(forget_wisdom)(void) {
  FG_FFTW2_DO(forget_wisdom);
  fg_compat_enter();
  FG_REAL_DO(forget_wisdom);
  fg_compat_leave();
  fg_wisdom_forget(FG_PRECISION);
  FG_TRACED(FG_CALL_FORGET_WISDOM);
}

/* ---- the trace: how much, never what ----------------------------------------------------------------------------- */

static void told_export(const char *way, long long length) {
  fg_trace_line l = {.call = FG_CALL_EXPORT_WISDOM, .precision = FG_PRECISION, .value = length};
  snprintf(l.word, sizeof l.word, "%s", way);
  if (fg_compat_traced()) fg_trace_note(&l);
}

static int told_import(const char *way, long long length, int good) {
  fg_trace_line l = {FG_CALL_IMPORT_WISDOM, FG_PRECISION, .value = length, .result = good};
  snprintf(l.word, sizeof l.word, "%s", way);
  if (fg_compat_traced()) fg_trace_note(&l);
  return good;
}

/* ---- export ------------------------------------------------------------------------------------------------------ */

/* All as one text, malloc'd; nothing of ours under FFTW3_GPU=off.  NULL without a real FFTW. */
static char *exported(void) {
  fg_compat_enter();
  char *text = FG_REAL(export_wisdom_to_string, NULL);
  fg_compat_leave();
  char *ours = fg_compat_off() ? NULL : fg_wisdom_export(FG_PRECISION);
  text = fg_source_joined(text, ours);
  free(ours);
  return text;
}

void X(export_wisdom)(X(write_char_func) write_char, void *data) {
  FG_FFTW2_DO(export_wisdom, write_char, data);
  char *text = exported();
  for (const char *c = text; c && *c; c++) write_char(*c, data);
  free(text);
  told_export("chars", -1);
}

void X(export_wisdom_to_file)(FILE *output_file) {
  FG_FFTW2_DO(export_wisdom_to_file, output_file);
  char *text = exported();
  if (text) fputs(text, output_file);
  free(text);
  told_export("file", -1);
}

int X(export_wisdom_to_filename)(const char *filename) {
  FILE *file = fopen(filename, "w");
  if (!file) return 0;
  X(export_wisdom_to_file)(file);
  const int good = !ferror(file);
  return fclose(file) == 0 && good;
}

char *X(export_wisdom_to_string)(void) {
  FG_FFTW2(export_wisdom_to_string);
  char *text = exported();
  told_export("string", text ? (long long)strlen(text) : -1);
  return text;
}

/* ---- import ------------------------------------------------------------------------------------------------------ */

int X(import_system_wisdom)(void) {
  fg_compat_enter();
  const int good = FG_REAL(import_system_wisdom, 0);
  fg_compat_leave();
  FG_TRACED(FG_CALL_IMPORT_SYSTEM_WISDOM, .result = good);
  return good;
}

typedef struct {
  int (*read)(void *);
  void *data;
} reader;

/* Not under the lock: it may leave by longjmp or an exception, or wait for another thread.  (What that plans meanwhile is lost
 * if the import fails: FFTW goes back to what it knew at its beginning.) */
static int read_outside(void *data) {
  const reader *r = data;
  fg_compat_leave();
  const int c = r->read(r->data);
  fg_compat_enter();
  return c;
}

/* FFTW's list, and ours if it follows.  may_wait: the program is asked, or another process. */
static int import_both(int (*read)(void *), void *data, bool may_wait) {
  reader r = {read, data};
  fg_compat_enter();
  fg_source s = {.read = may_wait ? read_outside : read, .data = may_wait ? &r : data};
  const int good = FG_REAL(import_wisdom, 0, fg_source_next, &s);
  char *ours = good ? fg_source_list(&s) : NULL;
  if (ours) fg_wisdom_import(FG_PRECISION, ours);
  free(ours);
  fg_compat_leave();
  return good;
}

int X(import_wisdom)(X(read_char_func) read_char, void *data) {
  FG_FFTW2(import_wisdom, read_char, data);
  if (fg_compat_off()) return told_import("chars", -1, FG_REAL(import_wisdom, 0, read_char, data));
  return told_import("chars", -1, import_both(read_char, data, true));
}

static int read_file(void *file) { return getc(file); }

static bool is_regular(FILE *file) {
  struct stat status;
  const int descriptor = fileno(file);
  return descriptor >= 0 && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

int X(import_wisdom_from_file)(FILE *input_file) {
  FG_FFTW2(import_wisdom_from_file, input_file);
  if (fg_compat_off()) return told_import("file", -1, FG_REAL(import_wisdom_from_file, 0, input_file));
  return told_import("file", -1, import_both(read_file, input_file, !is_regular(input_file)));
}

int X(import_wisdom_from_filename)(const char *filename) {
  FILE *file = fopen(filename, "r");
  if (!file) return told_import("file", 0, 0);
  const int good = X(import_wisdom_from_file)(file);
  return fclose(file) == 0 && good;
}

static int read_string(void *data) {
  const char **at = data;
  return **at ? (unsigned char)*(*at)++ : EOF;
}

int X(import_wisdom_from_string)(const char *input_string) {
  FG_FFTW2(import_wisdom_from_string, input_string);
  const long long length = fg_compat_traced() ? (long long)strlen(input_string) : -1;
  if (fg_compat_off()) return told_import("string", length, FG_REAL(import_wisdom_from_string, 0, input_string));
  return told_import("string", length, import_both(read_string, &input_string, false));
}
