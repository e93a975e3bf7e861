/* wisdom.c: programs that measure once, keep the wisdom by every way there is, and later plan from it alone, wherever
 * the plan was made. */
#include <fftw3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/programs/show.h"

enum { N = 144 };

static fftwf_complex *x, *y;

static fftwf_plan plan_complex(unsigned flags) { return fftwf_plan_dft_1d(N, x, y, FFTW_FORWARD, flags); }
static fftwf_plan plan_real(unsigned flags) { return fftwf_plan_dft_r2c_1d(N, (float *)x, y, flags); }

static void learn(void) {
  fftwf_destroy_plan(plan_complex(FFTW_MEASURE));
  fftwf_destroy_plan(plan_real(FFTW_MEASURE));
}

static void transform(const char *name, fftwf_plan plan, size_t floats) {
  if (!plan) {
    show_text(name, "no plan");
    return;
  }
  fill(x, 2 * N, 41);
  fftwf_execute(plan);
  show(name, N, y, floats);
  fftwf_destroy_plan(plan);
}

static void plan_from_wisdom(const char *complex_name, const char *real_name) {
  transform(complex_name, plan_complex(FFTW_MEASURE | FFTW_WISDOM_ONLY), 2 * N);
  transform(real_name, plan_real(FFTW_MEASURE | FFTW_WISDOM_ONLY), 2 * (N / 2 + 1));
}

/* Both must be unknown after this. */
static void forget(void) {
  fftwf_forget_wisdom();
  fftwf_plan c = plan_complex(FFTW_MEASURE | FFTW_WISDOM_ONLY), r = plan_real(FFTW_MEASURE | FFTW_WISDOM_ONLY);
  show_text("forgotten", "%s %s", c ? "a plan" : "NULL", r ? "a plan" : "NULL");
  fftwf_destroy_plan(c);
  fftwf_destroy_plan(r);
}

static void by_string(void) {
  char *text = fftwf_export_wisdom_to_string();
  show_text("begins_as_wisdom", "%.5s", text);
  forget();
  show_text("import_from_string", "%d", fftwf_import_wisdom_from_string(text));
  plan_from_wisdom("string_complex*", "string_real*");
  free(text);
  show_text("import_of_rubbish", "%d", fftwf_import_wisdom_from_string("(not wisdom at all"));
}

static void by_file(void) {
  char name[] = "/tmp/wisdom-XXXXXX";
  const int descriptor = mkstemp(name);
  show_text("export_to_filename", "%d", fftwf_export_wisdom_to_filename(name));
  forget();
  show_text("import_from_filename", "%d", fftwf_import_wisdom_from_filename(name));
  plan_from_wisdom("filename_complex*", "filename_real*");
  FILE *file = fdopen(descriptor, "w+");
  fftwf_export_wisdom_to_file(file);
  forget();
  rewind(file);
  show_text("import_from_file", "%d", fftwf_import_wisdom_from_file(file));
  plan_from_wisdom("file_complex*", "file_real*");
  fclose(file);
  unlink(name);
  show_text("import_of_missing_file", "%d", fftwf_import_wisdom_from_filename(name));
}

typedef struct {
  char text[65536];
  size_t length, read;
} memory;

static void write_char(char c, void *data) {
  memory *m = data;
  if (m->length < sizeof m->text) m->text[m->length++] = c;
}

static int read_char(void *data) {
  memory *m = data;
  return m->read < m->length ? (unsigned char)m->text[m->read++] : EOF;
}

static void by_callback(void) {
  memory *m = calloc(1, sizeof *m);
  fftwf_export_wisdom(write_char, m);
  forget();
  show_text("import_by_callback", "%d", fftwf_import_wisdom(read_char, m));
  plan_from_wisdom("callback_complex*", "callback_real*");
  free(m);
}

int main(void) {
  x = fftwf_alloc_complex(N);
  y = fftwf_alloc_complex(N);
  learn();
  by_string();
  by_file();
  by_callback();
  fftwf_import_system_wisdom(); /* whether there is any is the machine's affair */
  fftwf_free(x);
  fftwf_free(y);
  return 0;
}
