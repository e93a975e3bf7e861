C     show.f: input and printed results of the Fortran test programs, in
C     the line format of show.h.  Complex arrays: FILL and SHOW; real
C     ones: FILLR and SHOWR.
      SUBROUTINE FILL(X, COUNT, SEED)
      INTEGER COUNT, SEED, K
      COMPLEX X(COUNT)
      REAL RE, IM, NEXTR
      INTEGER STATE
      STATE = MOD(SEED * 7919 + 12345, 2147483)
      DO 10 K = 1, COUNT
        RE = NEXTR(STATE)
        IM = NEXTR(STATE)
        X(K) = CMPLX(RE, IM)
   10 CONTINUE
      END

      SUBROUTINE FILLR(X, COUNT, SEED)
      INTEGER COUNT, SEED, K
      REAL X(COUNT), NEXTR
      INTEGER STATE
      STATE = MOD(SEED * 7919 + 12345, 2147483)
      DO 10 K = 1, COUNT
        X(K) = NEXTR(STATE)
   10 CONTINUE
      END

C     A small linear congruence that never overflows 32 bits.
      REAL FUNCTION NEXTR(STATE)
      INTEGER STATE
      STATE = MOD(STATE * 421 + 54773, 259200)
      NEXTR = REAL(STATE) / 259200.0 - 0.5
      END

      SUBROUTINE SHOW(NAME, N, X, COUNT)
      CHARACTER*(*) NAME
      INTEGER N, COUNT, K, C, S
      COMPLEX X(COUNT)
      DOUBLE PRECISION SQUARE, SUMS(3), FLOATS
      REAL SAMPLE(5), PART
      SQUARE = 0
      FLOATS = 2D0 * COUNT
      DO 10 K = 1, COUNT
        SQUARE = SQUARE + DBLE(REAL(X(K)))**2 + DBLE(AIMAG(X(K)))**2
   10 CONTINUE
      DO 30 C = 1, 3
        SUMS(C) = 0
        DO 20 K = 1, COUNT
          SUMS(C) = SUMS(C)
     &      + REAL(X(K)) * COS(1.2345D0 * (C - 1) * (2 * K - 2))
     &      + AIMAG(X(K)) * COS(1.2345D0 * (C - 1) * (2 * K - 1))
   20   CONTINUE
        SUMS(C) = SUMS(C) / SQRT(FLOATS)
   30 CONTINUE
      DO 40 S = 1, 5
        K = 1 + (S - 1) * (COUNT - 1) / 4
        PART = REAL(X(K))
        IF (MOD(S, 2) .EQ. 0) PART = AIMAG(X(K))
        SAMPLE(S) = PART
   40 CONTINUE
      CALL PUTROW(NAME, N, 2 * COUNT, SQRT(SQUARE), SUMS, SAMPLE)
      END

      SUBROUTINE SHOWR(NAME, N, X, COUNT)
      CHARACTER*(*) NAME
      INTEGER N, COUNT, K, C, S
      REAL X(COUNT), SAMPLE(5)
      DOUBLE PRECISION SQUARE, SUMS(3)
      SQUARE = 0
      DO 10 K = 1, COUNT
        SQUARE = SQUARE + DBLE(X(K))**2
   10 CONTINUE
      DO 30 C = 1, 3
        SUMS(C) = 0
        DO 20 K = 1, COUNT
          SUMS(C) = SUMS(C)
     &      + X(K) * COS(1.2345D0 * (C - 1) * (K - 1))
   20   CONTINUE
        SUMS(C) = SUMS(C) / SQRT(DBLE(COUNT))
   30 CONTINUE
      DO 40 S = 1, 5
        SAMPLE(S) = X(1 + (S - 1) * (COUNT - 1) / 4)
   40 CONTINUE
      CALL PUTROW(NAME, N, COUNT, SQRT(SQUARE), SUMS, SAMPLE)
      END

      SUBROUTINE PUTROW(NAME, N, FLOATS, NORM, SUMS, SAMPLE)
      CHARACTER*(*) NAME
      INTEGER N, FLOATS
      DOUBLE PRECISION NORM, SUMS(3)
      REAL SAMPLE(5)
      WRITE (*, 100) NAME, N, FLOATS, NORM, SUMS, SAMPLE
  100 FORMAT (A, 1X, I0, 1X, I0, 9(1X, 1PE25.16))
      END
