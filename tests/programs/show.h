/* show.h: how the test programs make their input and print their results.
 *
 * A line is
 *   name n floats norm c0 c1 c2 s0 s1 s2 s3 s4     an array (compare.awk holds it to a tolerance)
 *   name = text                                    must read the same in every run
 * n: points of one transform, for the tolerance; floats: length of the array; norm: its L2 norm; c: weighted sums over
 * all elements, with weights of L2 norm 1 (so that an error e of the array moves them by at most |e|); s: sample
 * elements.
 * A name that ends in '*' comes from a plan whose making was timed: its last bits differ from run to run, in stock FFTW
 * too. */
#ifndef SHOW_H
#define SHOW_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Uniform in [-0.5, 0.5), the same for the same seed. */
void fill(void *array, size_t floats, unsigned seed);

void show(const char *name, size_t n, const void *array, size_t floats);

void show_text(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

#ifdef __cplusplus
}
#endif

#endif
