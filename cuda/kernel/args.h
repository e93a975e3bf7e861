/* args.h: the run-time arguments of the kernels, shared by host and device.  What is constant for a pass is a #define of
 * its kernel; what may change from launch to launch is here.  Plain C, no includes: NVRTC reads it too. */
#ifndef FG_ARGS_H
#define FG_ARGS_H

/* Loop dimensions that a pass may have around its lines; FFTW problems beyond that stay on the host. */
#define FG_MAX_LOOPS 12

/* Dimensions of a box: transforms of this rank are done whole in a block. */
#define FG_MAX_BOX 3

/* Strides count elements of the array: complex numbers, or the reals of one plane of a split array. */
typedef struct {
  long long n;       /* points */
  long long in, out; /* strides of load and store */
  long long twiddle; /* weight of this index in the twiddle's exponent */
  long long load, store; /* weights of this index in the position in the load and store tables */
} fg_loop;

typedef struct {
  const void *in_re, *in_im; /* in_im only of split input */
  void *out_re, *out_im;
  long long lines;             /* product of all loops' points */
  long long in, out;           /* strides along the line */
  long long load_weight, store_weight; /* weights of the index along the line in the table positions */
  long long load_limit, store_limit;   /* positions from here on are zero (not read) or dropped (not written) */
  const void *stages;          /* twiddles between the stages of this kernel */
  const void *high, *low;      /* the two-level table of the twiddle: w^m = high[m >> shift] · low[m & mask] */
  unsigned shift, mask;
  const void *load_table, *store_table; /* factors by position */
  const void *filter;          /* transformed filter of an in-tile convolution */
  long long box_in[FG_MAX_BOX], box_out[FG_MAX_BOX]; /* strides of a box's dimensions, slowest first */
  const void *box_stages[FG_MAX_BOX];                /* twiddles between the stages of each of them */
  fg_loop loop[FG_MAX_LOOPS];  /* innermost first */
} fg_tile_args;

#endif
