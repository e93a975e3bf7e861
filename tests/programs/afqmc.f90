! afqmc.f90: the transforms of an auxiliary-field quantum Monte Carlo code: complex orbitals on a 24 x 24 x 24
! grid, in bulks, propagated by exp(-tau k^2 / 2) exp(-i tau V) exp(-tau k^2 / 2), single precision, through
! FFTW's legacy interface. Arguments: the bulk sizes (default 1 27 54).
program afqmc
  implicit none
  include 'fftw3.f'
  integer, parameter :: m = 24, points = m**3
  real, parameter :: tau = 0.01
  complex :: potential(points)
  real :: kinetic(points)
  integer :: a, bulk
  character(len=16) :: argument
  integer, parameter :: defaults(3) = [1, 27, 54]

  call make_operators
  do a = 1, command_argument_count()
    call get_command_argument(a, argument)
    read (argument, *) bulk
    call propagate(bulk)
  end do
  if (command_argument_count() == 0) then
    do a = 1, 3
      call propagate(defaults(a))
    end do
  end if

contains

  subroutine make_operators
    real :: k2
    real, parameter :: pi = 3.14159265
    integer :: i, j, k, at
    at = 0
    do k = 0, m - 1
      do j = 0, m - 1
        do i = 0, m - 1
          at = at + 1
          k2 = real(wave(i)**2 + wave(j)**2 + wave(k)**2)
          kinetic(at) = exp(-tau * k2 / 2)
          potential(at) = exp(cmplx(0, -tau * 20 * (cos(2 * pi * i / m) + sin(4 * pi * j / m) * cos(2 * pi * k / m))))
        end do
      end do
    end do
  end subroutine

  integer function wave(i)
    integer, intent(in) :: i
    wave = i
    if (i > m / 2) wave = i - m
  end function

  ! The application's own loop: out of place there, in place back, a few steps with the same two plans.
  subroutine propagate(bulk)
    integer, intent(in) :: bulk
    complex, allocatable :: orbitals(:), space(:)
    integer(8) :: forward, backward
    integer :: step
    character(len=32) :: name
    allocate (orbitals(points * bulk), space(points * bulk))
    call sfftw_plan_many_dft(forward, 3, [m, m, m], bulk, orbitals, [m, m, m], 1, points, space, [m, m, m], 1, points, &
                             FFTW_FORWARD, FFTW_ESTIMATE)
    call sfftw_plan_many_dft(backward, 3, [m, m, m], bulk, space, [m, m, m], 1, points, space, [m, m, m], 1, points, &
                             FFTW_BACKWARD, FFTW_ESTIMATE)
    call fill(orbitals, points * bulk, 300 + bulk)
    do step = 1, 2
      call sfftw_execute(forward)
      call multiply_real(space, kinetic, bulk)
      call sfftw_execute(backward)
      call multiply(space, potential, orbitals, bulk)
    end do
    write (name, '(a, i0)') 'propagated_', bulk
    call show(trim(name), points, orbitals, points * bulk)
    call each_alone(orbitals, space, bulk)
    call sfftw_destroy_plan(forward)
    call sfftw_destroy_plan(backward)
  end subroutine

  ! The same transforms orbital by orbital with one plan, as older parts of such codes do.
  subroutine each_alone(orbitals, space, bulk)
    complex, intent(inout) :: orbitals(points, *), space(points, *)
    integer, intent(in) :: bulk
    integer(8) :: plan
    integer :: b
    call sfftw_plan_dft_3d(plan, m, m, m, orbitals, space, FFTW_FORWARD, FFTW_ESTIMATE + FFTW_UNALIGNED)
    do b = 1, bulk
      call sfftw_execute_dft(plan, orbitals(1, b), space(1, b))
    end do
    call show('each_alone', points, space, points * bulk)
    call sfftw_destroy_plan(plan)
  end subroutine

  subroutine multiply_real(x, factor, bulk)
    complex, intent(inout) :: x(points, *)
    real, intent(in) :: factor(points)
    integer, intent(in) :: bulk
    integer :: b
    do b = 1, bulk
      x(:, b) = x(:, b) * factor / points
    end do
  end subroutine

  subroutine multiply(x, factor, y, bulk)
    complex, intent(in) :: x(points, *), factor(points)
    complex, intent(out) :: y(points, *)
    integer, intent(in) :: bulk
    integer :: b
    do b = 1, bulk
      y(:, b) = x(:, b) * factor
    end do
  end subroutine
end program
