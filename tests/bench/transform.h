/* transform.h: a transform given as text, with arrays and a plan, through the FFTW interface alone: what the programs
 * of this folder time.  They are linked to stock FFTW; a preload puts another library under them. */
#ifndef TRANSFORM_H
#define TRANSFORM_H

#include <fftw3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The words of FFTW's own test program: "i" or "o" (in place or not), "c" (complex), "r" (real) or "k" (r2r), "f" or
 * "b" for the sign (not for r2r), up to three lengths with "x" between, then "*" and a batch: icf24x24x24*27.  Each
 * length of an r2r has its kind behind it: ok1000e10.  Contiguous, in place with FFTW's padding. */
enum { MOST_RANK = 3 };

/* An array as rows of floats: what lies between one row's end and the next belongs to nobody. */
typedef struct {
  size_t rows, length, stride;
} span;

typedef struct {
  char text[64];
  bool in_place;
  char kind; /* 'c', 'r', 'k' */
  int sign, rank, n[MOST_RANK], batch;
  fftwf_r2r_kind kinds[MOST_RANK];
  size_t points; /* of one transform */
  span in, out;
} transform;

/* false: not such a text, or larger than ints can say. */
bool transform_parse(transform *t, const char *text);

/* Bytes that one execution reads, and that it writes. */
size_t transform_bytes_in(const transform *t);
size_t transform_bytes_out(const transform *t);

/* Floats that an array with these rows takes. */
size_t span_floats(const span *s);

/* Arrays of fftwf_malloc, or (foreign) of malloc, touched; in place they are one. */
typedef struct {
  float *in, *out;
  bool foreign;
} arrays;

bool arrays_make(arrays *a, const transform *t, bool foreign);
void arrays_free(arrays *a);

/* Random input in [-0.5, 0.5), the same for the same seed.  What a real output of several dimensions takes for
 * granted holds: where a spectrum is its own mirror image it is real and constant. */
void transform_fill(const transform *t, float *in, uint64_t seed);

/* Planning functions: those that the program is linked to, or another library's. */
typedef struct {
  fftwf_plan (*dft)(int, const int *, int, fftwf_complex *, const int *, int, int, fftwf_complex *, const int *, int,
                    int, int, unsigned);
  fftwf_plan (*r2c)(int, const int *, int, float *, const int *, int, int, fftwf_complex *, const int *, int, int,
                    unsigned);
  fftwf_plan (*c2r)(int, const int *, int, fftwf_complex *, const int *, int, int, float *, const int *, int, int,
                    unsigned);
  fftwf_plan (*r2r)(int, const int *, int, float *, const int *, int, int, float *, const int *, int, int,
                    const fftwf_r2r_kind *, unsigned);
} planners;

fftwf_plan transform_plan(const transform *t, const arrays *a, unsigned flags);
fftwf_plan transform_plan_by(const planners *p, const transform *t, const arrays *a, unsigned flags);

/* The output in four numbers: its norm, and three sums of all elements with random signs.  An error of relative size e
 * moves each by about e times the norm; so does a single wrong element by its own size. */
typedef struct {
  double norm, sum[3];
} fingerprint;

fingerprint transform_fingerprint(const transform *t, const float *out);

/* They may be of the same transform of the same input, within single precision's rounding. */
bool fingerprints_agree(const fingerprint *a, const fingerprint *b);

double seconds_now(void);

/* Sorts the values; 0 if there are none. */
double median_of(double *values, int count);

#endif
