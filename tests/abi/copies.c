/* copies.c: copy_plan of FFTW 3.3.11, which the real library may lack: one pointer, destroyed once for each copy. */
#include <fftw3.h>
#include <stdio.h>

/* Bytes that malloc has given; 0: not known, as under valgrind. */
#if defined __GLIBC__ && defined __GLIBC_PREREQ
#if __GLIBC_PREREQ(2, 33)
#include <malloc.h>
#define IN_USE() mallinfo2().uordblks
#endif
#endif
#ifndef IN_USE
#define IN_USE() (size_t)0
#endif

fftwf_plan fftwf_copy_plan(fftwf_plan);

#define CHECK(condition) ((condition) ? (void)0 : (void)(printf("line %d: %s\n", __LINE__, #condition), bad++))

int main(void) {
  int bad = 0;
  fftwf_complex in[2] = {{1, 0}, {3, 0}}, out[2];
  fftwf_plan p = fftwf_plan_dft_1d(2, in, out, FFTW_FORWARD, FFTW_ESTIMATE);
  fftwf_plan other = fftwf_plan_dft_1d(2, out, in, FFTW_FORWARD, FFTW_ESTIMATE);
  CHECK(p && other);
  CHECK(fftwf_copy_plan(p) == p);
  CHECK(fftwf_copy_plan(other) == other);
  CHECK(fftwf_copy_plan(p) == p);
  CHECK(!fftwf_copy_plan(NULL));
  for (int copy = 3; copy > 0; copy--) {
    out[0][0] = 0;
    fftwf_execute(p);
    CHECK(out[0][0] == 4);
    const size_t before = IN_USE();
    fftwf_destroy_plan(p);
    CHECK(copy > 1 || !before || IN_USE() < before); /* the last one takes the plan with it */
  }
  fftwf_destroy_plan(other);
  fftwf_execute(other);
  fftwf_destroy_plan(other);
  fftwf_cleanup();
  return bad > 0;
}
