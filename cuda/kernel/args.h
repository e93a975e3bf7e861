/* args.h: the run-time arguments of the kernels, shared by host and device.  What is constant for a pass is a
 * #define of its kernel; what may change from launch to launch is here.  Plain C, no includes: NVRTC reads it too. */
#ifndef FG_ARGS_H
#define FG_ARGS_H

/* Loop dimensions that a pass may have around its lines; FFTW problems beyond that stay on the host. */
#define FG_MAX_LOOPS 12

/* In the arguments of a kernel those that it has (of none one, unused), since a launch costs more with more bytes; the host's
 * struct has room for all. */
#ifdef FG_LOOPS
#define FG_LOOPS_OF_ARGS (FG_LOOPS ? FG_LOOPS : 1)
#else
#define FG_LOOPS_OF_ARGS FG_MAX_LOOPS
#endif

/* Dimensions of a box: transforms of this rank are done whole in a block. */
#define FG_MAX_BOX 3

/* What the points of one side of a line are in memory.  COMPLEX: themselves.  All others belong to a transform of
 * real data, whose points are numbered by their position in the whole transform of length L; a row of memory has N
 * elements. Each is either a sequence of real numbers or the Hermitian half spectrum (positions 0 … L/2) of one. */
enum fg_form {
  FG_FORM_COMPLEX,
  FG_FORM_REAL,        /* real; L = N */
  FG_FORM_HERMITIAN,   /* complex, N/2 + 1 elements a row */
  FG_FORM_HALFCOMPLEX, /* Hermitian in N reals: r0 … r(N/2), i((N+1)/2 − 1) … i1 */
  FG_FORM_DHT,         /* stored only: Hermitian as re − im and re + im */
  FG_FORM_REDFT10, FG_FORM_RODFT10, /* loaded: reals in another order; stored: Hermitian, turned */
  FG_FORM_REDFT01, FG_FORM_RODFT01, /* the other way round */
  FG_FORM_REDFT11, FG_FORM_RODFT11, /* N odd: reals and Hermitian in another order.  N even: L = N/2 complex numbers */
  FG_FORM_REDFT00, FG_FORM_RODFT00, /* L = 2(N − 1), 2(N + 1): loaded extended, stored half of it */
  FG_FORM_REDFT00_ODD, FG_FORM_RODFT00_ODD /* N ∓ 1 odd: L = N ∓ 1 complex numbers */
};

/* FFTW's kinds of real to real transforms, in the order of its fftw_r2r_kind: what a dimension of a box of them is. */
enum fg_r2r_kind {
  FG_KIND_R2HC, FG_KIND_HC2R, FG_KIND_DHT,
  FG_KIND_REDFT00, FG_KIND_REDFT01, FG_KIND_REDFT10, FG_KIND_REDFT11,
  FG_KIND_RODFT00, FG_KIND_RODFT01, FG_KIND_RODFT10, FG_KIND_RODFT11
};

/* ⌊u/n⌋ = (⌊magic·u/2³²⌋ + u) >> shift for u < 2³¹ (Granlund, Montgomery, Division by invariant integers using
 * multiplication, PLDI 1994). */
typedef struct {
  unsigned magic, shift;
} fg_divisor;

/* Strides count elements of the array: complex numbers, or the reals of one plane of a split array. */
typedef struct {
  long long n;       /* points */
  long long in, out; /* strides of load and store */
  long long twiddle; /* weight of this index in the twiddle's exponent */
  long long load, store; /* weights of this index in the position in the load and store tables */
  fg_divisor by;         /* n; only in arguments of kernels, of all loops but the outermost */
} fg_loop;

typedef struct {
  const void *in_re, *in_im; /* in_im only of split input */
  void *out_re, *out_im;
  long long lines;             /* product of all loops' points */
  long long in, out;           /* strides along the line */
  long long load_weight, store_weight; /* weights of the index along the line in the table positions */
  long long load_limit, store_limit;   /* positions from here on are zero (not read) or dropped (not written) */
  const void *stages;          /* twiddles between the stages of this kernel */
  const void *high, *low;      /* the two-level table of the twiddle: w^m = high[m >> shift] · low[m & mask]; with
                                  FG_TWIDDLE_SHORT one of all: high[m] */
  unsigned shift, mask;
  const void *load_table, *store_table; /* factors by position */
  long long load_step, store_step; /* elements from position to position, where the side has a form */
  const void *form_table;      /* factors of the form by position; FG_ORDERED: places of elements, integers (rows.h) */
  const void *half_row_table;  /* FG_HALF_ROW: exp(−2πi·k/2n)/2, k ≤ n/2 (box.cu: k ≤ n) */
  const void *filter;          /* transformed filter of an in-tile convolution */
  const int *order;            /* FG_RADER: the place in the tile of point k of the stages, a power of g, 0 ≤ k < N;
                                  FG_SUMS 2: the places of elements (mirrored_sums.h) */
  long long box_in[FG_MAX_BOX], box_out[FG_MAX_BOX]; /* strides of a box's dimensions, slowest first */
  const void *box_stages[FG_MAX_BOX];                /* twiddles between the stages of each of them */
  fg_loop loop[FG_LOOPS_OF_ARGS]; /* innermost first */
} fg_tile_args;

#endif
