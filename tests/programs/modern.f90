! modern.f90: FFTW from Fortran 2003: interfaces of fftw3.f03, memory of FFTW, plans as C pointers.
program modern
  use, intrinsic :: iso_c_binding
  implicit none
  include 'fftw3.f03'
  integer, parameter :: l = 20, m = 18, n = 15, points = l * m * n

  call complex_3d
  call many
  call guru
  call real_2d
  call cosine
  call without_wisdom

contains

  subroutine complex_3d
    complex(c_float_complex), pointer :: x(:, :, :), y(:, :, :)
    type(c_ptr) :: px, py, forward, backward
    px = fftwf_alloc_complex(int(points, c_size_t))
    py = fftwf_alloc_complex(int(points, c_size_t))
    call c_f_pointer(px, x, [l, m, n])
    call c_f_pointer(py, y, [l, m, n])
    forward = fftwf_plan_dft_3d(n, m, l, x, y, FFTW_FORWARD, FFTW_ESTIMATE)
    backward = fftwf_plan_dft_3d(n, m, l, y, y, FFTW_BACKWARD, ior(FFTW_ESTIMATE, FFTW_DESTROY_INPUT))
    call fill(x, points, 21)
    call fftwf_execute_dft(forward, x, y)
    call show('forward', points, y, points)
    call fftwf_execute_dft(backward, y, y)
    call show('backward', points, y, points)
    y = y / points - x
    write (*, '(a, l1)') 'round_trip_is_the_identity = ', maxval(abs(y)) < 1e-5
    call fftwf_destroy_plan(forward)
    call fftwf_destroy_plan(backward)
    call fftwf_free(px)
    call fftwf_free(py)
  end subroutine

  ! Transforms along the second dimension of a matrix.
  subroutine many
    complex(c_float_complex) :: x(30, 64), y(64, 30)
    type(c_ptr) :: plan
    plan = fftwf_plan_many_dft(1, [64], 30, x, [64], 30, 1, y, [64], 1, 64, FFTW_FORWARD, FFTW_ESTIMATE)
    call fill(x, 30 * 64, 22)
    call fftwf_execute_dft(plan, x, y)
    call show('many', 64, y, 30 * 64)
    call fftwf_destroy_plan(plan)
  end subroutine

  subroutine guru
    complex(c_float_complex) :: x(12, 7, 10), y(12, 7, 10)
    type(fftwf_iodim) :: planes(2), batch(1)
    type(fftwf_iodim64) :: line(1), rest(2)
    type(c_ptr) :: plan
    planes = [fftwf_iodim(10, 84, 84), fftwf_iodim(12, 1, 1)]
    batch = [fftwf_iodim(7, 12, 12)]
    plan = fftwf_plan_guru_dft(2, planes, 1, batch, x, y, FFTW_BACKWARD, FFTW_ESTIMATE)
    call fill(x, 840, 23)
    call fftwf_execute_dft(plan, x, y)
    call show('guru', 120, y, 840)
    call fftwf_destroy_plan(plan)
    line = [fftwf_iodim64(7_c_intptr_t, 12_c_intptr_t, 12_c_intptr_t)]
    rest(1) = fftwf_iodim64(10_c_intptr_t, 84_c_intptr_t, 84_c_intptr_t)
    rest(2) = fftwf_iodim64(12_c_intptr_t, 1_c_intptr_t, 1_c_intptr_t)
    plan = fftwf_plan_guru64_dft(1, line, 2, rest, x, x, FFTW_FORWARD, FFTW_ESTIMATE)
    call fftwf_execute_dft(plan, x, x)
    call show('guru64_in_place', 7, x, 840)
    call fftwf_destroy_plan(plan)
  end subroutine

  subroutine real_2d
    real(c_float) :: x(24, 16)
    complex(c_float_complex) :: f(13, 16)
    type(c_ptr) :: there, back
    there = fftwf_plan_dft_r2c_2d(16, 24, x, f, FFTW_ESTIMATE)
    back = fftwf_plan_dft_c2r_2d(16, 24, f, x, FFTW_ESTIMATE)
    call fillr(x, 384, 24)
    call fftwf_execute_dft_r2c(there, x, f)
    call show('r2c', 384, f, 208)
    call fftwf_execute_dft_c2r(back, f, x)
    call showr('c2r', 384, x, 384)
    call fftwf_destroy_plan(there)
    call fftwf_destroy_plan(back)
  end subroutine

  subroutine cosine
    real(c_float) :: x(100), y(100)
    type(c_ptr) :: plan
    plan = fftwf_plan_r2r_1d(100, x, y, FFTW_REDFT00, FFTW_ESTIMATE)
    call fillr(x, 100, 25)
    call fftwf_execute_r2r(plan, x, y)
    call showr('cosine', 198, y, 100)
    call fftwf_destroy_plan(plan)
  end subroutine

  subroutine without_wisdom
    complex(c_float_complex) :: x(77)
    type(c_ptr) :: plan
    plan = fftwf_plan_dft_1d(77, x, x, FFTW_FORWARD, ior(FFTW_WISDOM_ONLY, FFTW_MEASURE))
    write (*, '(a, l1)') 'plan_without_wisdom = ', c_associated(plan)
    call fftwf_cleanup()
  end subroutine
end program
