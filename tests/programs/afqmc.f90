! afqmc.f90: the transforms of an auxiliary-field quantum Monte Carlo code: complex orbitals on a 24 x 24 x 24 grid, in
! bulks, propagated by exp(-i tau k^2 / 2) exp(-i tau V), single precision, through FFTW's legacy interface.
!
!   afqmc [batched] [single] [steps=N] [threads=N] [time] [BULK...]
!
! batched: one plan for a bulk; single: the same with a transform a call, by one plan of one transform.  Default: both,
! 2 steps, FFTW's threads not used, bulks of 1, 27 and 54.  Prints the propagated orbitals as show.h says; with "time"
! also seconds, of the steps and of the transforms among them, on standard error.
program afqmc
  implicit none
  include 'fftw3.f'
  integer, parameter :: m = 24, points = m**3
  real, parameter :: tau = 0.01
  complex :: potential(points), kinetic(points)
  integer :: bulks(16) = 0, given = 0, steps = 2, threads = 0, b
  logical :: batched = .false., single = .false., timed = .false.
  double precision :: in_transforms

  call read_arguments
  if (threads > 0) call use_threads
  call make_operators
  do b = 1, given
    if (batched) call run('batched', bulks(b))
    if (single) call run('single', bulks(b))
  end do

contains

  subroutine read_arguments
    character(len=16) :: argument
    integer :: a
    do a = 1, command_argument_count()
      call get_command_argument(a, argument)
      if (argument == 'batched') then
        batched = .true.
      else if (argument == 'single') then
        single = .true.
      else if (argument == 'time') then
        timed = .true.
      else if (argument(1:6) == 'steps=') then
        read (argument(7:), *) steps
      else if (argument(1:8) == 'threads=') then
        read (argument(9:), *) threads
      else
        given = given + 1
        read (argument, *) bulks(given)
      end if
    end do
    if (given == 0) then
      given = 3
      bulks(1:3) = [1, 27, 54]
    end if
    if (.not. (batched .or. single)) then
      batched = .true.
      single = .true.
    end if
  end subroutine

  subroutine use_threads
    integer :: status
    call sfftw_init_threads(status)
    if (status == 0) error stop 'afqmc: no threads'
    call sfftw_plan_with_nthreads(threads)
  end subroutine

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
          kinetic(at) = exp(cmplx(0, -tau * k2 / 2)) / points
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

  subroutine run(form, bulk)
    character(len=*), intent(in) :: form
    integer, intent(in) :: bulk
    complex, allocatable :: orbitals(:), space(:)
    integer(8) :: forward, backward
    double precision :: begun, total
    character(len=32) :: name
    allocate (orbitals(points * bulk), space(points * bulk))
    call fill(orbitals, points * bulk, 300 + bulk)
    begun = now()
    in_transforms = 0
    call make_plans(form, bulk, orbitals, space, forward, backward)
    call propagate(form, bulk, orbitals, space, forward, backward)
    call sfftw_destroy_plan(forward)
    call sfftw_destroy_plan(backward)
    total = now() - begun
    write (name, '(a, a, i0)') form, '_', bulk
    call show(trim(name), points, orbitals, points * bulk)
    if (timed) write (0, '(a, a, f10.4, a, f10.4)') trim(name), ' seconds', total, ' transforms', in_transforms
  end subroutine

  ! Out of place there, in place back.
  subroutine make_plans(form, bulk, orbitals, space, forward, backward)
    character(len=*), intent(in) :: form
    integer, intent(in) :: bulk
    complex, intent(inout) :: orbitals(*), space(*)
    integer(8), intent(out) :: forward, backward
    if (form == 'batched') then
      call sfftw_plan_many_dft(forward, 3, [m, m, m], bulk, orbitals, [m, m, m], 1, points, space, [m, m, m], 1, &
                               points, FFTW_FORWARD, FFTW_ESTIMATE)
      call sfftw_plan_many_dft(backward, 3, [m, m, m], bulk, space, [m, m, m], 1, points, space, [m, m, m], 1, &
                               points, FFTW_BACKWARD, FFTW_ESTIMATE)
    else
      call sfftw_plan_dft_3d(forward, m, m, m, orbitals, space, FFTW_FORWARD, FFTW_ESTIMATE + FFTW_UNALIGNED)
      call sfftw_plan_dft_3d(backward, m, m, m, space, space, FFTW_BACKWARD, FFTW_ESTIMATE + FFTW_UNALIGNED)
    end if
  end subroutine

  subroutine propagate(form, bulk, orbitals, space, forward, backward)
    character(len=*), intent(in) :: form
    integer, intent(in) :: bulk
    complex, intent(inout) :: orbitals(points, bulk), space(points, bulk)
    integer(8), intent(in) :: forward, backward
    integer :: step
    do step = 1, steps
      call transform(form, bulk, forward, orbitals, space)
      call multiply_in_place(space, kinetic, bulk)
      call transform(form, bulk, backward, space, space)
      call multiply(space, potential, orbitals, bulk)
    end do
  end subroutine

  subroutine transform(form, bulk, plan, from, to)
    character(len=*), intent(in) :: form
    integer, intent(in) :: bulk
    integer(8), intent(in) :: plan
    complex :: from(points, bulk), to(points, bulk)
    double precision :: begun
    integer :: c
    begun = now()
    if (form == 'batched') then
      call sfftw_execute(plan)
    else
      do c = 1, bulk
        call sfftw_execute_dft(plan, from(1, c), to(1, c))
      end do
    end if
    in_transforms = in_transforms + now() - begun
  end subroutine

  subroutine multiply_in_place(x, factor, bulk)
    integer, intent(in) :: bulk
    complex, intent(inout) :: x(points, bulk)
    complex, intent(in) :: factor(points)
    integer :: c
    do c = 1, bulk
      x(:, c) = x(:, c) * factor
    end do
  end subroutine

  subroutine multiply(x, factor, y, bulk)
    integer, intent(in) :: bulk
    complex, intent(in) :: x(points, bulk), factor(points)
    complex, intent(out) :: y(points, bulk)
    integer :: c
    do c = 1, bulk
      y(:, c) = x(:, c) * factor
    end do
  end subroutine

  double precision function now()
    integer(8) :: count, rate
    call system_clock(count, rate)
    now = dble(count) / dble(rate)
  end function
end program
