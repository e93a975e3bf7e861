C common_block.f: arrays in COMMON, as old programs have them, transformed often, out of place. Each line's first output
C is the sum of its input.
      program common_block
      implicit none
      include 'fftw3.f'
      integer n, lines, i, l, time
      parameter (n = 512, lines = 64)
      complex x(n, lines), y(n, lines)
      real z(3)
      common /work/ z, x, y
      integer*8 plan
      real sum
      call sfftw_plan_many_dft(plan, 1, n, lines, x, n, 1, n,
     &  y, n, 1, n, FFTW_FORWARD, FFTW_ESTIMATE)
      print '(a)', 'common'
      flush(6)
      do time = 1, 30
        do l = 1, lines
          do i = 1, n
            x(i, l) = cmplx(mod(i * 7 + l + time, 101) / 101. - .5, 0.)
          end do
        end do
        call sfftw_execute(plan)
        do l = 1, lines
          sum = 0
          do i = 1, n
            sum = sum + real(x(i, l))
          end do
          if (abs(real(y(1, l)) - sum) .gt. 1e-2) stop 1
        end do
      end do
      call sfftw_destroy_plan(plan)
      end
