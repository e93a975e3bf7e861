/* reading.c: wisdom that the program's own code reads, which may do anything meanwhile.
 *   leave: it leaves the reading function, and the writing one, by longjmp; then another thread plans
 *   wait: it waits for what another thread plans first
 *   keep FILE: wisdom of one problem into a file
 *   known FILE: from that alone; the status says whether it is a plan of the device */
#include <fftw3.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 360 };

static jmp_buf out;
static int ends[2];

static int read_half(void *data) {
  const char **at = data;
  if (!**at) longjmp(out, 1);
  return (unsigned char)*(*at)++;
}

static void write_some(char c, void *data) {
  (void)c;
  if (++*(int *)data > 10) longjmp(out, 1);
}

static void *plan(void *unused) {
  fftwf_complex *const x = fftwf_malloc(N * sizeof *x);
  fftwf_plan p = x ? fftwf_plan_dft_1d(N, x, x, FFTW_FORWARD, FFTW_ESTIMATE) : NULL;
  if (!p) exit(3);
  memset(x, 0, N * sizeof *x);
  fftwf_execute(p);
  fftwf_destroy_plan(p);
  fftwf_free(x);
  return unused;
}

static int elsewhere(void) {
  pthread_t thread;
  return pthread_create(&thread, NULL, plan, NULL) || pthread_join(thread, NULL);
}

static int leave(char *wisdom) {
  static int written;
  const char *at = wisdom;
  if (!setjmp(out)) fftwf_export_wisdom(write_some, &written);
  if (written <= 10 || elsewhere()) return 4;
  wisdom[strlen(wisdom) / 2] = '\0';
  if (!setjmp(out)) return fftwf_import_wisdom(read_half, &at), 5;
  plan(NULL);
  return elsewhere();
}

static void *import(void *file) {
  if (!fftwf_import_wisdom_from_file(file)) exit(6);
  return NULL;
}

static int wait_for_planner(const char *wisdom) {
  pthread_t thread;
  FILE *file = pipe(ends) ? NULL : fdopen(ends[0], "r");
  if (!file || pthread_create(&thread, NULL, import, file)) return 2;
  usleep(100000); /* it waits by now */
  plan(NULL);
  const size_t length = strlen(wisdom);
  if (write(ends[1], wisdom, length) != (ssize_t)length || close(ends[1]) || pthread_join(thread, NULL)) return 7;
  return fclose(file);
}

static int known(const char *name, fftwf_complex *x) {
  fftwf_forget_wisdom();
  if (fftwf_plan_dft_1d(N, x, x, FFTW_FORWARD, FFTW_MEASURE | FFTW_WISDOM_ONLY)) return 8;
  if (!fftwf_import_wisdom_from_filename(name)) return 9;
  fftwf_plan p = fftwf_plan_dft_1d(N, x, x, FFTW_FORWARD, FFTW_MEASURE | FFTW_WISDOM_ONLY);
  if (!p || fftwf_plan_dft_1d(N + 1, x, x, FFTW_FORWARD, FFTW_MEASURE | FFTW_WISDOM_ONLY)) return 10;
  for (int i = 0; i < N; i++) x[i][0] = 1, x[i][1] = 0;
  fftwf_execute(p);
  char *const text = fftwf_sprint_plan(p);
  const int device = text && strncmp(text, "(gpu-", 5) == 0, right = x[0][0] == N && x[1][0] == 0;
  free(text);
  fftwf_destroy_plan(p);
  return !right ? 11 : device ? 0 : 12;
}

int main(int argc, char **argv) {
  fftwf_complex *const x = fftwf_malloc((N + 1) * sizeof *x);
  if (argc > 2 && strcmp(argv[1], "known") == 0) return known(argv[2], x);
  fftwf_plan p = fftwf_plan_dft_1d(N, x, x, FFTW_FORWARD, FFTW_MEASURE);
  if (argc > 2) return !fftwf_export_wisdom_to_filename(argv[2]);
  char *const wisdom = fftwf_export_wisdom_to_string();
  if (argc < 2 || !p || !wisdom) return 2;
  const int status = strcmp(argv[1], "leave") == 0 ? leave(wisdom) : wait_for_planner(wisdom);
  fftwf_destroy_plan(p);
  fftwf_free(x);
  free(wisdom);
  return status;
}
