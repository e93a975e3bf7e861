! cosine.f90: Poisson's equation in boxes by sine and cosine transforms, and a boundary value problem by Chebyshev
! polynomials, single precision, through FFTW's legacy interface. The solutions are known.
!
!   cosine [scale=N] [repeat=N] [error] [time]
!
! scale: the grids' lengths times N; repeat: each problem solved N times. Prints spectra and solutions as show.h says,
! and whether they agree with the known ones; with "error" also by how much, with "time" seconds, on standard error.
! Exit status 1 if one is wrong.
program cosine
  implicit none
  include 'fftw3.f'
  double precision, parameter :: pi = 3.14159265358979324d0, bound = 1d-6
  integer :: scale = 1, repeat = 1
  logical :: told = .false., timed = .false., good = .true.

  call read_arguments
  call insulated_plate
  call grounded_box
  call mixed_box
  call chebyshev_lines
  if (.not. good) stop 1

contains

  subroutine read_arguments
    character(len=16) :: argument
    integer :: a
    do a = 1, command_argument_count()
      call get_command_argument(a, argument)
      if (argument == 'error') then
        told = .true.
      else if (argument == 'time') then
        timed = .true.
      else if (argument(1:6) == 'scale=') then
        read (argument(7:), *) scale
      else if (argument(1:7) == 'repeat=') then
        read (argument(8:), *) repeat
      else
        error stop 'cosine [scale=N] [repeat=N] [error] [time]'
      end if
    end do
  end subroutine

  ! ---- the problems ----

  ! No flow through the edges; out of place.
  subroutine insulated_plate
    integer, parameter :: there(3) = [FFTW_REDFT10, FFTW_REDFT10, FFTW_REDFT10]
    integer :: n(3)
    integer(8) :: forward, backward
    real, allocatable :: f(:), s(:)
    n = [48 * scale, 35 * scale, 1]
    allocate (f(product(n)), s(product(n)))
    call sfftw_plan_r2r_2d(forward, n(1), n(2), f, s, FFTW_REDFT10, FFTW_REDFT10, FFTW_ESTIMATE)
    call sfftw_plan_r2r_2d(backward, n(1), n(2), s, f, FFTW_REDFT01, FFTW_REDFT01, FFTW_ESTIMATE)
    call solve('insulated_plate', 2, n, there, forward, backward, f, s)
  end subroutine

  ! Zero on all faces; in place, by plans of two other arrays.
  subroutine grounded_box
    integer, parameter :: there(3) = [FFTW_RODFT00, FFTW_RODFT10, FFTW_RODFT00]
    integer :: n(3)
    integer(8) :: forward, backward
    real, allocatable :: f(:), other(:)
    n = [24 * scale - 1, 18 * scale, 16 * scale - 1]
    allocate (f(product(n)), other(product(n)))
    call sfftw_plan_r2r_3d(forward, n(1), n(2), n(3), other, other, FFTW_RODFT00, FFTW_RODFT10, FFTW_RODFT00, &
                           FFTW_ESTIMATE + FFTW_UNALIGNED)
    call sfftw_plan_r2r_3d(backward, n(1), n(2), n(3), other, other, FFTW_RODFT00, FFTW_RODFT01, FFTW_RODFT00, &
                           FFTW_ESTIMATE + FFTW_UNALIGNED)
    call solve('grounded_box', 3, n, there, forward, backward, f, f)
  end subroutine

  ! Insulated at both ends of x; insulated at the beginning of y and zero at its end; in z the other way round.
  subroutine mixed_box
    integer, parameter :: there(3) = [FFTW_REDFT00, FFTW_REDFT11, FFTW_RODFT11]
    integer :: n(3)
    integer(8) :: plan
    real, allocatable :: f(:), s(:)
    n = [20 * scale + 1, 24 * scale, 15 * scale]
    allocate (f(product(n)), s(product(n)))
    call sfftw_plan_r2r(plan, 3, n, f, s, there, FFTW_ESTIMATE + FFTW_UNALIGNED)
    call solve('mixed_box', 3, n, there, plan, plan, f, s)
  end subroutine

  ! u'' = f on [-1, 1], u(-1) = u(1) = 0, by integrating f's Chebyshev series twice; for many f at once, whose values at
  ! cos(pi j / (n - 1)) lie next to each other, while the series' coefficients lie one f after the other in the columns
  ! of a matrix.
  subroutine chebyshev_lines
    integer, parameter :: lines = 37
    integer :: n, line, r
    integer(8) :: forward, backward
    real, allocatable :: f(:, :), a(:, :), integral(:)
    double precision :: begun
    n = 32 * scale + 1
    allocate (f(n, lines), a(lines, n), integral(lines))
    call sfftw_plan_many_r2r(forward, 1, [n], lines, f, [n], 1, n, a, [n], lines, 1, [FFTW_REDFT00], FFTW_ESTIMATE)
    call sfftw_plan_many_r2r(backward, 1, [n], lines, a, [n], lines, 1, f, [n], 1, n, [FFTW_REDFT00], FFTW_ESTIMATE)
    begun = now()
    do r = 1, repeat
      do line = 1, lines
        f(:, line) = real(growth(line, lines)**2 * exp(growth(line, lines) * chebyshev_points(n)))
      end do
      call sfftw_execute(forward)
      if (r == 1) call showr('chebyshev_coefficients', n, a, size(a))
      do line = 1, lines
        call integrate_twice(n, a(line, :), integral(line))
      end do
      call sfftw_execute(backward)
    end do
    call showr('clenshaw_curtis', n, integral, lines)
    call showr('chebyshev_solution', n, f, size(f))
    call judge_lines(n, lines, f, integral)
    if (timed) write (0, '(a, f10.4)') 'chebyshev_lines seconds', now() - begun
    call sfftw_destroy_plan(forward)
    call sfftw_destroy_plan(backward)
  end subroutine

  ! ---- Poisson's equation in the unit box ----

  ! Its Laplacian in f, its solution back there; s: room for the spectrum, or f itself. Destroys the plans.
  subroutine solve(name, rank, n, kind, forward, backward, f, s)
    character(len=*), intent(in) :: name
    integer, intent(in) :: rank, n(3), kind(3)
    integer(8), intent(inout) :: forward, backward
    real :: f(*), s(*)
    double precision :: begun, values(product(n)), laplacian(product(n))
    integer :: r
    begun = now()
    call known(rank, n, kind, values, laplacian)
    do r = 1, repeat
      f(:size(values)) = real(laplacian)
      call sfftw_execute_r2r(forward, f, s)
      if (r == 1) call showr(name // '_spectrum', product(n), s, product(n))
      call divide_by_laplacian(rank, n, kind, s)
      call sfftw_execute_r2r(backward, s, f)
    end do
    call showr(name, product(n), f, product(n))
    ! Without a face where the solution is zero it is known but for a constant.
    if (all(wave(kind(:rank), 0) == 0)) values = values + sum(f(:size(values)) - values) / size(values)
    call judge(name, f(:size(values)) - values, values)
    if (timed) write (0, '(a, f10.4)') name // ' seconds', now() - begun
    call sfftw_destroy_plan(forward)
    if (backward /= forward) call sfftw_destroy_plan(backward)
  end subroutine

  ! u = g(x) g(y) g(z) and its Laplacian.
  subroutine known(rank, n, kind, values, laplacian)
    integer, intent(in) :: rank, n(3), kind(3)
    double precision, intent(out) :: values(n(1), n(2), n(3)), laplacian(n(1), n(2), n(3))
    double precision :: g(maxval(n), 3), bent(maxval(n), 3)
    integer :: d, i, j, k
    g = 1
    bent = 0
    do d = 1, rank
      do i = 1, n(d)
        call factor(kind(d), place(kind(d), i - 1, n(d)), g(i, d), bent(i, d))
      end do
    end do
    do k = 1, n(3)
      do j = 1, n(2)
        do i = 1, n(1)
          values(i, j, k) = g(i, 1) * g(j, 2) * g(k, 3)
          laplacian(i, j, k) = bent(i, 1) * g(j, 2) * g(k, 3) + g(i, 1) * bent(j, 2) * g(k, 3) &
                             + g(i, 1) * g(j, 2) * bent(k, 3)
        end do
      end do
    end do
  end subroutine

  ! g = b(t) exp(cos t) with t = pi x, and its second derivative by x: b the lowest wave that fits the ends, so that g
  ! is a series of the waves of this kind, one that converges fast and needs them all.
  subroutine factor(kind, x, g, bent)
    integer, intent(in) :: kind
    double precision, intent(in) :: x
    double precision, intent(out) :: g, bent
    double precision :: t, w, b, slope
    t = pi * x
    w = wave(kind, 0)
    if (odd(kind)) then
      b = sin(w * t)
      slope = w * cos(w * t)
    else
      b = cos(w * t)
      slope = -w * sin(w * t)
    end if
    g = b * exp(cos(t))
    bent = pi**2 * exp(cos(t)) * (b * (sin(t)**2 - cos(t) - w**2) - 2 * slope * sin(t))
  end subroutine

  ! And by the transforms' own factor. The constant of the solution, where it is free, becomes zero.
  subroutine divide_by_laplacian(rank, n, kind, s)
    integer, intent(in) :: rank, n(3), kind(3)
    real, intent(inout) :: s(n(1), n(2), n(3))
    double precision :: square(maxval(n), 3), total, both
    integer :: d, i, j, k
    square = 0
    both = 1
    do d = 1, rank
      square(:n(d), d) = [((pi * wave(kind(d), i - 1))**2, i = 1, n(d))]
      both = both * period(kind(d), n(d))
    end do
    do k = 1, n(3)
      do j = 1, n(2)
        do i = 1, n(1)
          total = square(i, 1) + square(j, 2) + square(k, 3)
          if (total == 0) s(i, j, k) = 0
          if (total /= 0) s(i, j, k) = real(-s(i, j, k) / (total * both))
        end do
      end do
    end do
  end subroutine

  ! ---- the kinds (FFTW's manual, section 4.8) ----

  elemental logical function odd(kind)
    integer, intent(in) :: kind
    odd = kind == FFTW_RODFT00 .or. kind == FFTW_RODFT10 .or. kind == FFTW_RODFT11
  end function

  ! Half waves of element k of the spectrum in [0, 1].
  elemental double precision function wave(kind, k)
    integer, intent(in) :: kind, k
    wave = k
    if (kind == FFTW_RODFT00 .or. kind == FFTW_RODFT10) wave = k + 1
    if (kind == FFTW_REDFT11 .or. kind == FFTW_RODFT11) wave = k + 0.5d0
  end function

  ! Where in [0, 1] element j of n lies.
  double precision function place(kind, j, n)
    integer, intent(in) :: kind, j, n
    place = (j + 0.5d0) / n
    if (kind == FFTW_REDFT00) place = dble(j) / (n - 1)
    if (kind == FFTW_RODFT00) place = dble(j + 1) / (n + 1)
  end function

  ! What a transform there and back multiplies by.
  integer function period(kind, n)
    integer, intent(in) :: kind, n
    period = 2 * n
    if (kind == FFTW_REDFT00) period = 2 * (n - 1)
    if (kind == FFTW_RODFT00) period = 2 * (n + 1)
  end function

  ! ---- Chebyshev series ----

  function chebyshev_points(n) result(x)
    integer, intent(in) :: n
    double precision :: x(n)
    integer :: j
    x = [(cos(pi * j / (n - 1)), j = 0, n - 1)]
  end function

  ! The f of a line is c**2 exp(c x), c from -2 to 2 but not 0.
  double precision function growth(line, lines)
    integer, intent(in) :: line, lines
    growth = -2 + 4 * (line - 0.75d0) / lines
  end function

  ! From REDFT00 of f's values to the input of REDFT00 that gives u's; integral: f's over [-1, 1]. The integral of a
  ! series with coefficients c has (c(k-1) - c(k+1)) / 2k, c(0) taken twice; and u has no constant and linear part but
  ! what makes it zero at the ends.
  subroutine integrate_twice(n, a, integral)
    integer, intent(in) :: n
    real, intent(inout) :: a(0:n - 1)
    real, intent(out) :: integral
    double precision :: c(0:n + 1)
    integer :: k
    c = 0
    c(:n - 1) = a / dble(n - 1)
    c(n - 1) = c(n - 1) / 2
    integral = real(c(0) + sum([(2 * c(k) / (1 - dble(k)**2), k = 2, n - 1, 2)]))
    call integrate(n, c)
    call integrate(n, c)
    c(0) = -2 * sum(c(2:n - 1:2))
    c(1) = -sum(c(3:n - 1:2))
    a = real(c(:n - 1) / 2)
    a(n - 1) = real(c(n - 1))
  end subroutine

  subroutine integrate(n, c)
    integer, intent(in) :: n
    double precision, intent(inout) :: c(0:n + 1)
    integer :: k
    double precision :: before, here
    before = c(0)
    c(0) = 0
    do k = 1, n - 1
      here = c(k)
      c(k) = (before - c(k + 1)) / (2 * k)
      before = here
    end do
  end subroutine

  subroutine judge_lines(n, lines, f, integral)
    integer, intent(in) :: n, lines
    real, intent(in) :: f(n, lines), integral(lines)
    double precision :: x(n), u(n, lines), exact(lines), c
    integer :: line
    x = chebyshev_points(n)
    do line = 1, lines
      c = growth(line, lines)
      u(:, line) = exp(c * x) - cosh(c) - x * sinh(c)
      exact(line) = 2 * c * sinh(c)
    end do
    call judge('clenshaw_curtis', integral - exact, exact)
    call judge('chebyshev_solution', reshape(f - u, [n * lines]), reshape(u, [n * lines]))
  end subroutine

  ! ---- ends ----

  subroutine judge(name, difference, expected)
    character(len=*), intent(in) :: name
    double precision, intent(in) :: difference(:), expected(:)
    double precision :: error
    error = sqrt(sum(difference**2) / sum(expected**2))
    if (error <= bound) then
      write (*, '(a, es7.1)') name // '_error = at most ', bound
    else
      write (*, '(a, es9.2)') name // '_error = ', error
      good = .false.
    end if
    if (told) write (0, '(a, es9.2)') name // ' error', error
  end subroutine

  double precision function now()
    integer(8) :: count, rate
    call system_clock(count, rate)
    now = dble(count) / dble(rate)
  end function
end program
