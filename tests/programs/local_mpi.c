/* local_mpi.c: FFTW's MPI transforms, whose plans libfftw3f_mpi makes by internal calls, but which are executed and
 * destroyed through the public functions; beside ordinary plans of each rank.  Rank 0 prints. */
#include <fftw3-mpi.h>
#include <mpi.h>
#include <stdio.h>

#include "tests/programs/show.h"

enum { N0 = 24, N1 = 20, N2 = 18, N = N0 * N1 * N2 };

static int rank, ranks;
static fftwf_complex whole[N];

/* Collect the slabs of all ranks in rank order and print them. */
static void show_slabs(const char *name, int n, fftwf_complex *local, int complexes) {
  int counts[16], starts[16], floats = 2 * complexes, total = 0;
  MPI_Gather(&floats, 1, MPI_INT, counts, 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (int r = 0; rank == 0 && r < ranks; total += counts[r++]) starts[r] = total;
  MPI_Gatherv(local, floats, MPI_FLOAT, whole, counts, starts, MPI_FLOAT, 0, MPI_COMM_WORLD);
  if (rank == 0) show(name, (size_t)n, whole, (size_t)total);
}

static void transform_2d(void) {
  ptrdiff_t rows, start;
  const ptrdiff_t space = fftwf_mpi_local_size_2d(N0, N1, MPI_COMM_WORLD, &rows, &start);
  fftwf_complex *x = fftwf_alloc_complex((size_t)space), *y = fftwf_alloc_complex((size_t)space);
  const int own = (int)(rows * N1);
  fftwf_plan plan = fftwf_mpi_plan_dft_2d(N0, N1, x, x, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
  fill(x, 2 * (size_t)own, 101 + (unsigned)rank);
  fill(y, 2 * (size_t)own, 111 + (unsigned)rank);
  fftwf_execute(plan);
  show_slabs("2d_execute", N0 * N1, x, own);
  fftwf_mpi_execute_dft(plan, y, y);
  show_slabs("2d_mpi_execute_dft", N0 * N1, y, own);
  fftwf_destroy_plan(plan);
  fftwf_free(x);
  fftwf_free(y);
}

static void transform_3d(void) {
  ptrdiff_t planes, start;
  const ptrdiff_t space = fftwf_mpi_local_size_3d(N0, N1, N2, MPI_COMM_WORLD, &planes, &start);
  fftwf_complex *x = fftwf_alloc_complex((size_t)space), *y = fftwf_alloc_complex((size_t)space);
  const int own = (int)(planes * N1 * N2);
  fftwf_plan forward = fftwf_mpi_plan_dft_3d(N0, N1, N2, x, y, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
  fftwf_plan backward = fftwf_mpi_plan_dft_3d(N0, N1, N2, y, x, MPI_COMM_WORLD, FFTW_BACKWARD, FFTW_ESTIMATE);
  fill(x, 2 * (size_t)own, 121 + (unsigned)rank);
  fftwf_execute(forward);
  show_slabs("3d_forward", N, y, own);
  fftwf_execute(backward);
  show_slabs("3d_backward", N, x, own);
  fftwf_destroy_plan(forward);
  fftwf_destroy_plan(backward);
  fftwf_free(x);
  fftwf_free(y);
}

static void transform_real(void) {
  ptrdiff_t rows, start;
  const ptrdiff_t space = fftwf_mpi_local_size_2d(N0, N1 / 2 + 1, MPI_COMM_WORLD, &rows, &start);
  fftwf_complex *x = fftwf_alloc_complex((size_t)space);
  const int own = (int)(rows * (N1 / 2 + 1));
  fftwf_plan plan = fftwf_mpi_plan_dft_r2c_2d(N0, N1, (float *)x, x, MPI_COMM_WORLD, FFTW_ESTIMATE);
  fill(x, 2 * (size_t)own, 131 + (unsigned)rank);
  fftwf_mpi_execute_dft_r2c(plan, (float *)x, x);
  show_slabs("r2c_in_place", N0 * N1, x, own);
  fftwf_destroy_plan(plan);
  fftwf_free(x);
}

static void transform_alone(void) {
  fftwf_complex *x = fftwf_alloc_complex(N1 * N2);
  fftwf_plan plan = fftwf_plan_dft_2d(N1, N2, x, x, FFTW_FORWARD, FFTW_ESTIMATE);
  fill(x, 2 * N1 * N2, 141 + (unsigned)rank);
  fftwf_execute(plan);
  show_slabs("each_alone", N1 * N2, x, N1 * N2);
  fftwf_destroy_plan(plan);
  fftwf_free(x);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  fftwf_mpi_init();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks > 16) MPI_Abort(MPI_COMM_WORLD, 2);
  transform_2d();
  transform_3d();
  transform_real();
  transform_alone();
  fftwf_mpi_cleanup();
  MPI_Finalize();
  return 0;
}
