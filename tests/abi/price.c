/* price.c: execute one tiny plan of the host many times; arguments: which execute, how often. */
#include <fftw3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sfftw_execute_(fftwf_plan *);

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  const int count = atoi(argv[2]);
  fftwf_complex in[2] = {{1, 2}, {3, 4}}, out[2];
  fftwf_plan p = fftwf_plan_dft_1d(2, in, out, FFTW_FORWARD, FFTW_ESTIMATE);
  if (!p) return 1;
  if (!strcmp(argv[1], "execute"))
    for (int i = 0; i < count; i++) fftwf_execute(p);
  else if (!strcmp(argv[1], "execute_dft"))
    for (int i = 0; i < count; i++) fftwf_execute_dft(p, in, out);
  else
    for (int i = 0; i < count; i++) sfftw_execute_(&p);
  fftwf_destroy_plan(p);
  return out[0][0] != 4;
}
