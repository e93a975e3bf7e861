! condensate.f90: a Bose-Einstein condensate of several components in a trap: the Gross-Pitaevskii equations in three
! dimensions, by Strang's splitting, double precision, through FFTW's legacy interface.
!
!   condensate [steps=N] [components=N] [threads=N] [NX NY NZ] [time]
!
! Default: 4 steps, 3 components, FFTW's threads not used, 32 x 24 x 20 points.
!
! The program makes its two plans once, on a work array, and executes them on arrays of its own: each component is an
! array that it has allocated by itself.  Prints the components and their energies as show.h says; with "time" also
! seconds, of the steps and of the transforms among them, on standard error.
program condensate
  implicit none
  include 'fftw3.f'
  integer, parameter :: wide = kind(1d0)
  type component
    complex(wide), allocatable :: wave(:, :, :)
  end type
  type(component), allocatable :: gas(:)
  real(wide), allocatable :: trap(:, :, :), k2(:, :, :), density(:, :, :)
  complex(wide), allocatable :: work(:, :, :), drift(:, :, :)
  real(wide), parameter :: dt = 2d-3, length = 12d0, repulsion = 30d0, pi = 3.14159265358979324d0
  integer :: n(3) = [32, 24, 20], steps = 4, components = 3, threads = 0, c, step
  integer(8) :: there, back
  logical :: timed = .false.
  real(wide) :: in_transforms = 0, begun

  call read_arguments
  begun = now()
  call make_grid
  call make_waves
  if (threads > 0) call use_threads
  call dfftw_plan_dft_3d(there, n(1), n(2), n(3), work, work, FFTW_FORWARD, FFTW_ESTIMATE + FFTW_UNALIGNED)
  call dfftw_plan_dft_3d(back, n(1), n(2), n(3), work, work, FFTW_BACKWARD, FFTW_ESTIMATE + FFTW_UNALIGNED)
  do step = 1, steps
    call turn(dt / 2)
    do c = 1, components
      call move(gas(c)%wave)
    end do
    call turn(dt / 2)
  end do
  do c = 1, components
    call tell(c)
  end do
  call dfftw_destroy_plan(there)
  call dfftw_destroy_plan(back)
  if (timed) write (0, '(a, f10.4, a, f10.4)') 'condensate seconds', now() - begun, ' transforms', in_transforms

contains

  subroutine read_arguments
    character(len=16) :: argument
    integer :: a, given = 0
    do a = 1, command_argument_count()
      call get_command_argument(a, argument)
      if (argument == 'time') then
        timed = .true.
      else if (argument(1:6) == 'steps=') then
        read (argument(7:), *) steps
      else if (argument(1:11) == 'components=') then
        read (argument(12:), *) components
      else if (argument(1:8) == 'threads=') then
        read (argument(9:), *) threads
      else
        given = given + 1
        read (argument, *) n(given)
      end if
    end do
  end subroutine

  subroutine use_threads
    integer :: status
    call dfftw_init_threads(status)
    if (status == 0) error stop 'condensate: no threads'
    call dfftw_plan_with_nthreads(threads)
  end subroutine

  pure real(wide) function place(i, d)
    integer, intent(in) :: i, d
    place = length * (real(i - 1, wide) / n(d) - 0.5d0)
  end function

  pure real(wide) function frequency(i, d)
    integer, intent(in) :: i, d
    frequency = 2 * pi / length * merge(i - 1, i - 1 - n(d), i - 1 <= n(d) / 2)
  end function

  subroutine make_grid
    integer :: i, j, k
    allocate (trap(n(1), n(2), n(3)), k2(n(1), n(2), n(3)), density(n(1), n(2), n(3)))
    allocate (work(n(1), n(2), n(3)), drift(n(1), n(2), n(3)))
    do k = 1, n(3)
      do j = 1, n(2)
        do i = 1, n(1)
          trap(i, j, k) = (place(i, 1)**2 + 1.2d0 * place(j, 2)**2 + 1.5d0 * place(k, 3)**2) / 2
          k2(i, j, k) = frequency(i, 1)**2 + frequency(j, 2)**2 + frequency(k, 3)**2
        end do
      end do
    end do
    drift = exp(cmplx(0d0, -dt * k2 / 2, wide)) / product(n)
  end subroutine

  ! Gaussians beside each other; a sum of squares of one.
  subroutine make_waves
    integer :: i, j, k
    allocate (gas(components))
    do c = 1, components
      allocate (gas(c)%wave(n(1), n(2), n(3)))
      do k = 1, n(3)
        do j = 1, n(2)
          do i = 1, n(1)
            gas(c)%wave(i, j, k) = exp(cmplx(-((place(i, 1) - c + 2)**2 + place(j, 2)**2 + place(k, 3)**2) / 2, &
                                             0.3d0 * c * place(j, 2), wide))
          end do
        end do
      end do
      gas(c)%wave = gas(c)%wave / sqrt(sum(abs(gas(c)%wave)**2))
    end do
  end subroutine

  ! The trap and the other atoms turn the phase.
  subroutine turn(time)
    real(wide), intent(in) :: time
    density = 0
    do c = 1, components
      density = density + abs(gas(c)%wave)**2
    end do
    do c = 1, components
      gas(c)%wave = gas(c)%wave * exp(cmplx(0d0, -time * (trap + repulsion * product(n) * density / length**3), wide))
    end do
  end subroutine

  subroutine move(wave)
    complex(wide), intent(inout) :: wave(*)
    call transform(there, wave)
    call multiply(wave, drift, product(n))
    call transform(back, wave)
  end subroutine

  subroutine multiply(x, by, count)
    integer, intent(in) :: count
    complex(wide), intent(inout) :: x(count)
    complex(wide), intent(in) :: by(count)
    x = x * by
  end subroutine

  subroutine transform(plan, wave)
    integer(8), intent(in) :: plan
    complex(wide), intent(inout) :: wave(*)
    real(wide) :: start
    start = now()
    call dfftw_execute_dft(plan, wave, wave)
    in_transforms = in_transforms + now() - start
  end subroutine

  subroutine tell(which)
    integer, intent(in) :: which
    character(len=16) :: name
    write (name, '(a, i0)') 'component_', which
    call show(trim(name), product(n), gas(which)%wave, product(n))
    call dfftw_execute_dft(there, gas(which)%wave, gas(which)%wave)
    write (name, '(a, i0)') 'momenta_', which
    call show(trim(name), product(n), gas(which)%wave, product(n))
  end subroutine

  real(wide) function now()
    integer(8) :: count, rate
    call system_clock(count, rate)
    now = real(count, wide) / real(rate, wide)
  end function
end program
