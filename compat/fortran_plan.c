/* fortran_plan.c: the legacy Fortran planners.
 *
 * Fortran's first dimension is the fastest: lists of sizes and of r2r kinds are reversed.  The guru planners name each
 * dimension's strides, so there only the kinds are. */
#include "config.h"

#include <stdlib.h>

#include "compat/fortran.h"
#include "compat/translate.h"

/* ---- lists ------------------------------------------------------------------------------------------------------- */

/* Room for that many entries for each dimension; NULL for none, a rank that FFTW refuses, or no memory. */
static void *entries(int rank, size_t size) {
  return fg_rank_finite(rank) && rank > 0 ? malloc((size_t)rank * size) : NULL;
}

/* from[0..rank) backwards into to; what there is to return. */
static int *reverse(int *to, const int *from, int rank) {
  if (!to || !from) return NULL;
  for (int d = 0; d < rank; d++) to[d] = from[rank - 1 - d];
  return to;
}

static int *reversed(int rank, const int *n) { return reverse(entries(rank, sizeof *n), n, rank); }

static X(r2r_kind) *reversed_kinds(int rank, const int *from) {
  X(r2r_kind) *to = entries(rank, sizeof *to);
  for (int d = 0; to && d < rank; d++) to[d] = (X(r2r_kind))from[rank - 1 - d];
  return to;
}

/* A guru tensor from Fortran's parallel lists; NULL as entries. */
static X(iodim) *dims_of(int rank, const int *n, const int *is, const int *os) {
  X(iodim) *dims = entries(rank, sizeof *dims);
  for (int d = 0; dims && d < rank; d++) dims[d] = (X(iodim)){n[d], is[d], os[d]};
  return dims;
}

/* The three size lists of a many planner; n is the one to free. */
typedef struct {
  int *n, *inembed, *onembed;
} sizes;

static sizes sizes_of(int rank, const int *n, const int *inembed, const int *onembed) {
  int *room = entries(rank, 3 * sizeof *room);
  if (!room) return (sizes){NULL, NULL, NULL};
  return (sizes){reverse(room, n, rank), reverse(room + rank, inembed, rank), reverse(room + 2 * rank, onembed, rank)};
}

/* The two tensors of a guru planner. */
typedef struct {
  X(iodim) *dims, *howmany;
} tensors;

static tensors tensors_of(int rank, const int *n, const int *is, const int *os, int howmany_rank, const int *h_n,
                          const int *h_is, const int *h_os) {
  return (tensors){dims_of(rank, n, is, os), dims_of(howmany_rank, h_n, h_is, h_os)};
}

static void free_tensors(tensors t) {
  free(t.dims);
  free(t.howmany);
}

/* ---- complex ----------------------------------------------------------------------------------------------------- */

FORTRAN(plan_dft, (X(plan) *p, int *rank, const int *n, C *in, C *out, int *sign, int *flags)) {
  int *nrev = reversed(*rank, n);
  *p = X(plan_dft)(*rank, nrev, in, out, *sign, (unsigned)*flags);
  free(nrev);
}

FORTRAN(plan_dft_1d, (X(plan) *p, int *n, C *in, C *out, int *sign, int *flags)) {
  *p = X(plan_dft_1d)(*n, in, out, *sign, (unsigned)*flags);
}

FORTRAN(plan_dft_2d, (X(plan) *p, int *nx, int *ny, C *in, C *out, int *sign, int *flags)) {
  *p = X(plan_dft_2d)(*ny, *nx, in, out, *sign, (unsigned)*flags);
}

FORTRAN(plan_dft_3d, (X(plan) *p, int *nx, int *ny, int *nz, C *in, C *out, int *sign, int *flags)) {
  *p = X(plan_dft_3d)(*nz, *ny, *nx, in, out, *sign, (unsigned)*flags);
}

FORTRAN(plan_many_dft, (X(plan) *p, int *rank, const int *n, int *howmany, C *in, const int *inembed, int *istride,
                        int *idist, C *out, const int *onembed, int *ostride, int *odist, int *sign, int *flags)) {
  const sizes s = sizes_of(*rank, n, inembed, onembed);
  *p = X(plan_many_dft)(*rank, s.n, *howmany, in, s.inembed, *istride, *idist, out, s.onembed, *ostride, *odist, *sign,
                        (unsigned)*flags);
  free(s.n);
}

FORTRAN(plan_guru_dft, (X(plan) *p, int *rank, const int *n, const int *is, const int *os, int *howmany_rank,
                        const int *h_n, const int *h_is, const int *h_os, C *in, C *out, int *sign, int *flags)) {
  const tensors t = tensors_of(*rank, n, is, os, *howmany_rank, h_n, h_is, h_os);
  *p = X(plan_guru_dft)(*rank, t.dims, *howmany_rank, t.howmany, in, out, *sign, (unsigned)*flags);
  free_tensors(t);
}

FORTRAN(plan_guru_split_dft, (X(plan) *p, int *rank, const int *n, const int *is, const int *os, int *howmany_rank,
                              const int *h_n, const int *h_is, const int *h_os, R *ri, R *ii, R *ro, R *io,
                              int *flags)) {
  const tensors t = tensors_of(*rank, n, is, os, *howmany_rank, h_n, h_is, h_os);
  *p = X(plan_guru_split_dft)(*rank, t.dims, *howmany_rank, t.howmany, ri, ii, ro, io, (unsigned)*flags);
  free_tensors(t);
}

/* ---- real to complex --------------------------------------------------------------------------------------------- */

FORTRAN(plan_dft_r2c, (X(plan) *p, int *rank, const int *n, R *in, C *out, int *flags)) {
  int *nrev = reversed(*rank, n);
  *p = X(plan_dft_r2c)(*rank, nrev, in, out, (unsigned)*flags);
  free(nrev);
}

FORTRAN(plan_dft_r2c_1d, (X(plan) *p, int *n, R *in, C *out, int *flags)) {
  *p = X(plan_dft_r2c_1d)(*n, in, out, (unsigned)*flags);
}

FORTRAN(plan_dft_r2c_2d, (X(plan) *p, int *nx, int *ny, R *in, C *out, int *flags)) {
  *p = X(plan_dft_r2c_2d)(*ny, *nx, in, out, (unsigned)*flags);
}

FORTRAN(plan_dft_r2c_3d, (X(plan) *p, int *nx, int *ny, int *nz, R *in, C *out, int *flags)) {
  *p = X(plan_dft_r2c_3d)(*nz, *ny, *nx, in, out, (unsigned)*flags);
}

FORTRAN(plan_many_dft_r2c, (X(plan) *p, int *rank, const int *n, int *howmany, R *in, const int *inembed, int *istride,
                            int *idist, C *out, const int *onembed, int *ostride, int *odist, int *flags)) {
  const sizes s = sizes_of(*rank, n, inembed, onembed);
  *p = X(plan_many_dft_r2c)(*rank, s.n, *howmany, in, s.inembed, *istride, *idist, out, s.onembed, *ostride, *odist,
                            (unsigned)*flags);
  free(s.n);
}

FORTRAN(plan_guru_dft_r2c, (X(plan) *p, int *rank, const int *n, const int *is, const int *os, int *howmany_rank,
                            const int *h_n, const int *h_is, const int *h_os, R *in, C *out, int *flags)) {
  const tensors t = tensors_of(*rank, n, is, os, *howmany_rank, h_n, h_is, h_os);
  *p = X(plan_guru_dft_r2c)(*rank, t.dims, *howmany_rank, t.howmany, in, out, (unsigned)*flags);
  free_tensors(t);
}

FORTRAN(plan_guru_split_dft_r2c, (X(plan) *p, int *rank, const int *n, const int *is, const int *os, int *howmany_rank,
                                  const int *h_n, const int *h_is, const int *h_os, R *in, R *ro, R *io, int *flags)) {
  const tensors t = tensors_of(*rank, n, is, os, *howmany_rank, h_n, h_is, h_os);
  *p = X(plan_guru_split_dft_r2c)(*rank, t.dims, *howmany_rank, t.howmany, in, ro, io, (unsigned)*flags);
  free_tensors(t);
}

/* ---- complex to real --------------------------------------------------------------------------------------------- */

FORTRAN(plan_dft_c2r, (X(plan) *p, int *rank, const int *n, C *in, R *out, int *flags)) {
  int *nrev = reversed(*rank, n);
  *p = X(plan_dft_c2r)(*rank, nrev, in, out, (unsigned)*flags);
  free(nrev);
}

FORTRAN(plan_dft_c2r_1d, (X(plan) *p, int *n, C *in, R *out, int *flags)) {
  *p = X(plan_dft_c2r_1d)(*n, in, out, (unsigned)*flags);
}

FORTRAN(plan_dft_c2r_2d, (X(plan) *p, int *nx, int *ny, C *in, R *out, int *flags)) {
  *p = X(plan_dft_c2r_2d)(*ny, *nx, in, out, (unsigned)*flags);
}

FORTRAN(plan_dft_c2r_3d, (X(plan) *p, int *nx, int *ny, int *nz, C *in, R *out, int *flags)) {
  *p = X(plan_dft_c2r_3d)(*nz, *ny, *nx, in, out, (unsigned)*flags);
}

FORTRAN(plan_many_dft_c2r, (X(plan) *p, int *rank, const int *n, int *howmany, C *in, const int *inembed, int *istride,
                            int *idist, R *out, const int *onembed, int *ostride, int *odist, int *flags)) {
  const sizes s = sizes_of(*rank, n, inembed, onembed);
  *p = X(plan_many_dft_c2r)(*rank, s.n, *howmany, in, s.inembed, *istride, *idist, out, s.onembed, *ostride, *odist,
                            (unsigned)*flags);
  free(s.n);
}

FORTRAN(plan_guru_dft_c2r, (X(plan) *p, int *rank, const int *n, const int *is, const int *os, int *howmany_rank,
                            const int *h_n, const int *h_is, const int *h_os, C *in, R *out, int *flags)) {
  const tensors t = tensors_of(*rank, n, is, os, *howmany_rank, h_n, h_is, h_os);
  *p = X(plan_guru_dft_c2r)(*rank, t.dims, *howmany_rank, t.howmany, in, out, (unsigned)*flags);
  free_tensors(t);
}

FORTRAN(plan_guru_split_dft_c2r, (X(plan) *p, int *rank, const int *n, const int *is, const int *os, int *howmany_rank,
                                  const int *h_n, const int *h_is, const int *h_os, R *ri, R *ii, R *out, int *flags)) {
  const tensors t = tensors_of(*rank, n, is, os, *howmany_rank, h_n, h_is, h_os);
  *p = X(plan_guru_split_dft_c2r)(*rank, t.dims, *howmany_rank, t.howmany, ri, ii, out, (unsigned)*flags);
  free_tensors(t);
}

/* ---- real to real ------------------------------------------------------------------------------------------------ */

FORTRAN(plan_r2r, (X(plan) *p, int *rank, const int *n, R *in, R *out, int *kind, int *flags)) {
  int *nrev = reversed(*rank, n);
  X(r2r_kind) *k = reversed_kinds(*rank, kind);
  *p = X(plan_r2r)(*rank, nrev, in, out, k, (unsigned)*flags);
  free(k);
  free(nrev);
}

FORTRAN(plan_r2r_1d, (X(plan) *p, int *n, R *in, R *out, int *kind, int *flags)) {
  *p = X(plan_r2r_1d)(*n, in, out, (X(r2r_kind))*kind, (unsigned)*flags);
}

FORTRAN(plan_r2r_2d, (X(plan) *p, int *nx, int *ny, R *in, R *out, int *kindx, int *kindy, int *flags)) {
  *p = X(plan_r2r_2d)(*ny, *nx, in, out, (X(r2r_kind))*kindy, (X(r2r_kind))*kindx, (unsigned)*flags);
}

FORTRAN(plan_r2r_3d, (X(plan) *p, int *nx, int *ny, int *nz, R *in, R *out, int *kindx, int *kindy, int *kindz,
                      int *flags)) {
  *p = X(plan_r2r_3d)(*nz, *ny, *nx, in, out, (X(r2r_kind))*kindz, (X(r2r_kind))*kindy, (X(r2r_kind))*kindx,
                      (unsigned)*flags);
}

FORTRAN(plan_many_r2r, (X(plan) *p, int *rank, const int *n, int *howmany, R *in, const int *inembed, int *istride,
                        int *idist, R *out, const int *onembed, int *ostride, int *odist, int *kind, int *flags)) {
  const sizes s = sizes_of(*rank, n, inembed, onembed);
  X(r2r_kind) *k = reversed_kinds(*rank, kind);
  *p = X(plan_many_r2r)(*rank, s.n, *howmany, in, s.inembed, *istride, *idist, out, s.onembed, *ostride, *odist, k,
                        (unsigned)*flags);
  free(k);
  free(s.n);
}

FORTRAN(plan_guru_r2r, (X(plan) *p, int *rank, const int *n, const int *is, const int *os, int *howmany_rank,
                        const int *h_n, const int *h_is, const int *h_os, R *in, R *out, int *kind, int *flags)) {
  const tensors t = tensors_of(*rank, n, is, os, *howmany_rank, h_n, h_is, h_os);
  X(r2r_kind) *k = reversed_kinds(*rank, kind);
  *p = X(plan_guru_r2r)(*rank, t.dims, *howmany_rank, t.howmany, in, out, k, (unsigned)*flags);
  free(k);
  free_tensors(t);
}
