C     legacy.f: FFTW as Fortran 77 programs call it: integer*8 plans,
C     results first, sizes in Fortran's order, implicit interfaces.
      PROGRAM LEGACY
      CALL BASIC
      CALL MANY
      CALL GURU
      CALL SPLITS
      CALL REALS
      CALL KINDS
      CALL WISDOM
      CALL COSTS
      END

      SUBROUTINE BASIC
      INCLUDE 'fftw3.f'
      INTEGER N0, N1, N2, N, SHAPE(4)
      PARAMETER (N0 = 12, N1 = 10, N2 = 9, N = N0 * N1 * N2)
      COMPLEX IN(N), OUT(N), OTHER(N)
      INTEGER*8 PLAN, BACK
      DATA SHAPE /6, 5, 4, 9/
      CALL FILL(IN, N, 1)
      CALL SFFTW_PLAN_DFT_3D(PLAN, N0, N1, N2, IN, OUT, FFTW_FORWARD,
     &                       FFTW_ESTIMATE)
      CALL SFFTW_PLAN_DFT_3D(BACK, N0, N1, N2, OUT, OUT,
     &                       FFTW_BACKWARD, FFTW_ESTIMATE)
      CALL SFFTW_EXECUTE(PLAN)
      CALL SHOW('dft_3d', N, OUT, N)
      CALL SFFTW_EXECUTE(BACK)
      CALL SHOW('dft_3d_back_in_place', N, OUT, N)
      CALL SFFTW_EXECUTE_DFT(PLAN, OUT, OTHER)
      CALL SHOW('execute_dft', N, OTHER, N)
      CALL SFFTW_DESTROY_PLAN(PLAN)
      CALL SFFTW_DESTROY_PLAN(BACK)
      CALL SFFTW_PLAN_DFT_1D(PLAN, 500, IN, OUT, FFTW_FORWARD,
     &                       FFTW_ESTIMATE)
      CALL SFFTW_EXECUTE(PLAN)
      CALL SHOW('dft_1d', 500, OUT, N)
      CALL SFFTW_DESTROY_PLAN(PLAN)
      CALL SFFTW_PLAN_DFT_2D(PLAN, 40, 25, IN, OUT, FFTW_BACKWARD,
     &                       FFTW_ESTIMATE)
      CALL SFFTW_EXECUTE(PLAN)
      CALL SHOW('dft_2d', 1000, OUT, N)
      CALL SFFTW_DESTROY_PLAN(PLAN)
      CALL SFFTW_PLAN_DFT(PLAN, 4, SHAPE, IN, OUT, FFTW_FORWARD,
     &                    FFTW_ESTIMATE)
      CALL SFFTW_EXECUTE(PLAN)
      CALL SHOW('dft_rank_4', N, OUT, N)
      CALL SFFTW_DESTROY_PLAN(PLAN)
      CALL SFFTW_PLAN_DFT_1D(PLAN, 0, IN, OUT, FFTW_FORWARD,
     &                       FFTW_ESTIMATE)
      IF (PLAN .EQ. 0) WRITE (*, '(A)') 'length_0 = NULL'
      CALL SFFTW_CLEANUP
      END

C     Six 8 x 10 transforms, out of a larger array, to interleaved ones.
      SUBROUTINE MANY
      INCLUDE 'fftw3.f'
      INTEGER SHAPE(2), EMBED(2), DENSE(2)
      COMPLEX IN(9 * 12 * 6), OUT(8 * 10 * 6)
      INTEGER*8 PLAN
      DATA SHAPE /8, 10/, EMBED /9, 12/, DENSE /8, 10/
      CALL FILL(IN, 648, 2)
      CALL SFFTW_PLAN_MANY_DFT(PLAN, 2, SHAPE, 6, IN, EMBED, 1, 108,
     &  OUT, DENSE, 6, 1, FFTW_FORWARD, FFTW_ESTIMATE)
      CALL SFFTW_EXECUTE(PLAN)
      CALL SHOW('many_dft', 80, OUT, 480)
      CALL SFFTW_EXECUTE_DFT(PLAN, IN, OUT)
      CALL SHOW('many_dft_again', 80, OUT, 480)
      CALL SFFTW_DESTROY_PLAN(PLAN)
      END

C     A matrix of lines, transposed on the way.
      SUBROUTINE GURU
      INCLUDE 'fftw3.f'
      INTEGER N(1), IS(1), OS(1), HN(2), HIS(2), HOS(2)
      COMPLEX IN(24, 5, 4), OUT(5, 4, 24)
      INTEGER*8 PLAN
      DATA N /24/, IS /1/, OS /20/
      DATA HN /5, 4/, HIS /24, 120/, HOS /1, 5/
      CALL FILL(IN, 480, 3)
      CALL SFFTW_PLAN_GURU_DFT(PLAN, 1, N, IS, OS, 2, HN, HIS, HOS,
     &  IN, OUT, FFTW_BACKWARD, FFTW_ESTIMATE)
      CALL SFFTW_EXECUTE(PLAN)
      CALL SHOW('guru_dft', 24, OUT, 480)
      CALL SFFTW_DESTROY_PLAN(PLAN)
      END

      SUBROUTINE SPLITS
      INCLUDE 'fftw3.f'
      INTEGER N(2), S(2), H
      REAL RI(300), II(300), RO(300), IO(300)
      INTEGER*8 PLAN
      DATA N /15, 20/, S /20, 1/
      CALL FILLR(RI, 300, 4)
      CALL FILLR(II, 300, 5)
      H = 0
      CALL SFFTW_PLAN_GURU_SPLIT_DFT(PLAN, 2, N, S, S, 0, H, H, H,
     &  RI, II, RO, IO, FFTW_ESTIMATE)
      CALL SFFTW_EXECUTE(PLAN)
      CALL SHOWR('split_real', 300, RO, 300)
      CALL SHOWR('split_imaginary', 300, IO, 300)
      CALL SFFTW_EXECUTE_SPLIT_DFT(PLAN, IO, RO, II, RI)
      CALL SHOWR('execute_split_dft', 300, RI, 300)
      CALL SFFTW_DESTROY_PLAN(PLAN)
      END

      SUBROUTINE REALS
      INCLUDE 'fftw3.f'
      REAL X(16, 18), Y(16, 18)
      COMPLEX F(9, 18), G(9, 18)
      INTEGER*8 THERE, BACK
      CALL SFFTW_PLAN_DFT_R2C_2D(THERE, 16, 18, X, F, FFTW_ESTIMATE)
      CALL SFFTW_PLAN_DFT_C2R_2D(BACK, 16, 18, F, X, FFTW_ESTIMATE)
      CALL FILLR(X, 288, 6)
      CALL SFFTW_EXECUTE(THERE)
      CALL SHOW('r2c_2d', 288, F, 162)
      CALL SFFTW_EXECUTE(BACK)
      CALL SHOWR('c2r_2d', 288, X, 288)
      CALL SFFTW_EXECUTE_DFT_R2C(THERE, X, G)
      CALL SHOW('execute_dft_r2c', 288, G, 162)
      CALL SFFTW_EXECUTE_DFT_C2R(BACK, G, Y)
      CALL SHOWR('execute_dft_c2r', 288, Y, 288)
      CALL SFFTW_DESTROY_PLAN(THERE)
      CALL SFFTW_DESTROY_PLAN(BACK)
      END

C     Different kinds along the dimensions show whether the order of
C     dimensions and of kinds are turned round together.
      SUBROUTINE KINDS
      INCLUDE 'fftw3.f'
      INTEGER N(2), S(2), H, KIND(2)
      REAL X(12, 14), Y(12, 14)
      INTEGER*8 PLAN
      DATA N /12, 14/, S /1, 12/
      CALL FILLR(X, 168, 7)
      CALL SFFTW_PLAN_R2R_2D(PLAN, 12, 14, X, Y, FFTW_REDFT10,
     &                       FFTW_RODFT01, FFTW_ESTIMATE)
      CALL SFFTW_EXECUTE(PLAN)
      CALL SHOWR('r2r_2d', 168, Y, 168)
      CALL SFFTW_EXECUTE_R2R(PLAN, Y, X)
      CALL SHOWR('execute_r2r', 168, X, 168)
      CALL SFFTW_DESTROY_PLAN(PLAN)
      KIND(1) = FFTW_DHT
      KIND(2) = FFTW_REDFT11
      H = 0
      CALL SFFTW_PLAN_GURU_R2R(PLAN, 2, N, S, S, 0, H, H, H, X, Y,
     &                         KIND, FFTW_ESTIMATE)
      CALL SFFTW_EXECUTE(PLAN)
      CALL SHOWR('guru_r2r', 168, Y, 168)
      CALL SFFTW_DESTROY_PLAN(PLAN)
      END

C     Out through one subroutine, one character a call, and back in
C     through another; two transforms of one input stay with FFTW itself,
C     and so does their wisdom.
      SUBROUTINE WISDOM
      INCLUDE 'fftw3.f'
      EXTERNAL PUTC, GETC
      INTEGER STORE(100002), OK
      SAVE STORE
      REAL X(96)
      COMPLEX F(98)
      INTEGER*8 PLAN
      INTEGER N(1), M(1)
      N(1) = 96
      M(1) = 49
      CALL SFFTW_PLAN_MANY_DFT_R2C(PLAN, 1, N, 2, X, N, 1, 0, F, M, 1,
     &                             49, FFTW_MEASURE)
      CALL SFFTW_DESTROY_PLAN(PLAN)
      STORE(1) = 0
      STORE(2) = 0
      CALL SFFTW_EXPORT_WISDOM(PUTC, STORE)
      IF (STORE(1) .GT. 20) WRITE (*, '(A)') 'exported = yes'
      CALL SFFTW_FORGET_WISDOM
      CALL SFFTW_PLAN_MANY_DFT_R2C(PLAN, 1, N, 2, X, N, 1, 0, F, M, 1,
     &                           49, FFTW_MEASURE + FFTW_WISDOM_ONLY)
      IF (PLAN .EQ. 0) WRITE (*, '(A)') 'forgotten = yes'
      CALL SFFTW_IMPORT_WISDOM(OK, GETC, STORE)
      WRITE (*, '(A, I0)') 'imported = ', OK
      CALL SFFTW_PLAN_MANY_DFT_R2C(PLAN, 1, N, 2, X, N, 1, 0, F, M, 1,
     &                           49, FFTW_MEASURE + FFTW_WISDOM_ONLY)
      IF (PLAN .NE. 0) WRITE (*, '(A)') 'remembered = yes'
      CALL FILLR(X, 96, 8)
      CALL SFFTW_EXECUTE(PLAN)
      CALL SHOW('r2c_from_wisdom*', 96, F, 49)
      CALL SFFTW_DESTROY_PLAN(PLAN)
      CALL SFFTW_IMPORT_SYSTEM_WISDOM(OK)
      END

C     STORE: characters held, characters read, then the characters.
      SUBROUTINE PUTC(C, STORE)
      CHARACTER C
      INTEGER STORE(*)
      IF (STORE(1) .LT. 100000) THEN
        STORE(1) = STORE(1) + 1
        STORE(2 + STORE(1)) = ICHAR(C)
      END IF
      END

      SUBROUTINE GETC(IC, STORE)
      INTEGER IC, STORE(*)
      IC = -1
      IF (STORE(2) .LT. STORE(1)) THEN
        STORE(2) = STORE(2) + 1
        IC = STORE(2 + STORE(2))
      END IF
      END

      SUBROUTINE COSTS
      INCLUDE 'fftw3.f'
      DOUBLE PRECISION ADDS, MULS, FMAS, COST
      COMPLEX X(64)
      INTEGER*8 PLAN
      CALL SFFTW_SET_TIMELIMIT(10D0)
      CALL SFFTW_PLAN_DFT_1D(PLAN, 64, X, X, FFTW_FORWARD,
     &                       FFTW_ESTIMATE)
      CALL SFFTW_FLOPS(PLAN, ADDS, MULS, FMAS)
      IF (ADDS .GT. 0 .AND. MULS .GE. 0 .AND. FMAS .GE. 0)
     &  WRITE (*, '(A)') 'flops = counted'
      COST = -1
      CALL SFFTW_ESTIMATE_COST(COST, PLAN)
      IF (COST .GE. 0) WRITE (*, '(A)') 'cost = estimated'
      CALL SFFTW_DESTROY_PLAN(PLAN)
      END
