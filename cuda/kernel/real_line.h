/* real_line.h: a real to real transform of N elements in a thread's registers, in place: each of FFTW's kinds.
 *
 * Even lengths are N/2 complex points x[2k] + i·x[2k + 1], whose bins are then taken apart; odd ones have no imaginary part,
 * of which the compiler leaves half of the butterfly out.  Kinds 10 and 01 are that in Makhoul's order, with bins turned by
 * exp(−2πi·k/4N) (Makhoul, A fast cosine transform in one and two dimensions, 1980); 11 of even length N/2 points, turned by
 * exp(−2πi·(8p + 1)/16N) before and after.
 *
 * REDFT00 and RODFT00 of period 2P, P = N ∓ 1.  P even: of the sums (RODFT00: differences) of mirrored elements the same kind
 * at half of the length, of the others one of kind 01.  P odd: the period is 2 times P, coprime, so that both are a transform
 * of P points without factors between (Good 1958), whose real and imaginary parts they are.
 *
 * Factors are constants of the instructions. */
#ifndef FG_REAL_LINE_H
#define FG_REAL_LINE_H

#include "args.h"
#include "butterfly.h"
#include "orders.h"
#include "unit_circle.h"

namespace real_line {

/* Short even lengths are done as odd ones are, without imaginary parts: taking bins apart is one rounding more. */
FG_CONSTANT bool is_whole(int n) { return n % 2 || n <= (sizeof(real) == 4 ? 48 : 32); }

/* ---- a real sequence and the lower half of its spectrum ---- */

template <int N> FG_DEVICE void forward(const real *x, cplx *bin) {
  constexpr int M = N / 2;
  if constexpr (is_whole(N)) {
    cplx v[N];
#pragma unroll
    for (int j = 0; j < N; j++) v[j] = {x[j], 0};
    butterfly<N>::apply(v);
#pragma unroll
    for (int k = 0; k <= M; k++) bin[k] = v[k];
    bin[0].y = 0;
    if (N % 2 == 0) bin[M].y = 0;
  } else {
    constexpr auto root = roots_of<M / 2 + 1>(0, 1, N);
    cplx z[M];
#pragma unroll
    for (int k = 0; k < M; k++) z[k] = {x[2 * k], x[2 * k + 1]};
    butterfly<M>::apply(z);
    bin[0] = {z[0].x + z[0].y, 0};
    bin[M] = {z[0].x - z[0].y, 0};
#pragma unroll
    for (int k = 1; 2 * k < M; k++) {
      const cplx mirror = conjugate(z[M - k]), sum = scale(real(0.5), z[k] + mirror);
      const cplx t = quarter(scale(real(0.5), z[k] - mirror) * factor(root, k));
      bin[k] = sum + t;
      bin[M - k] = conjugate(sum - t);
    }
    if constexpr (M % 2 == 0) bin[M / 2] = conjugate(z[M / 2]);
  }
}

template <int N> FG_DEVICE void backward(const cplx *bin, real *x) {
  constexpr int M = N / 2;
  if constexpr (is_whole(N)) {
    cplx v[N];
    v[0] = {0, bin[0].x};
#pragma unroll
    for (int k = 1; 2 * k < N; k++) {
      v[k] = swapped(bin[k]);
      v[N - k] = swapped(conjugate(bin[k]));
    }
    if (N % 2 == 0) v[M] = {0, bin[M].x};
    butterfly<N>::apply(v);
#pragma unroll
    for (int j = 0; j < N; j++) x[j] = v[j].y;
  } else {
    constexpr auto root = roots_of<M / 2 + 1>(0, 1, N);
    cplx z[M];
    z[0] = {bin[0].x - bin[M].x, bin[0].x + bin[M].x}; /* these are swapped */
#pragma unroll
    for (int k = 1; 2 * k < M; k++) {
      const cplx mirror = conjugate(bin[M - k]), sum = bin[k] + mirror;
      const cplx t = quarter((bin[k] - mirror) * conjugate(factor(root, k)));
      z[k] = swapped(sum - t);
      z[M - k] = swapped(conjugate(sum + t));
    }
    if constexpr (M % 2 == 0) z[M / 2] = swapped(scale(2, conjugate(bin[M / 2])));
    butterfly<M>::apply(z);
#pragma unroll
    for (int k = 0; k < M; k++) {
      x[2 * k] = z[k].y;
      x[2 * k + 1] = z[k].x;
    }
  }
}

/* ---- kinds ---- */

FG_CONSTANT bool is_odd(int kind) { return kind >= FG_KIND_RODFT00; }
FG_CONSTANT bool is_edge(int n, int k) { return k == 0 || 2 * k == n; }

template <int N> FG_DEVICE void to_halfcomplex(real *x, bool hartley) {
  cplx bin[N / 2 + 1];
  forward<N>(x, bin);
#pragma unroll
  for (int k = 0; k <= N / 2; k++) {
    x[k] = hartley && !is_edge(N, k) ? bin[k].x - bin[k].y : bin[k].x;
    if (!is_edge(N, k)) x[N - k] = hartley ? bin[k].x + bin[k].y : bin[k].y;
  }
}

template <int N> FG_DEVICE void from_halfcomplex(real *x) {
  cplx bin[N / 2 + 1];
#pragma unroll
  for (int k = 0; k <= N / 2; k++) bin[k] = {x[k], is_edge(N, k) ? real(0) : x[N - k]};
  backward<N>(bin, x);
}

template <int N, bool ODD> FG_DEVICE void kind_10(real *x) {
  constexpr auto turn = roots_of<N / 2 + 1>(0, 1, 4 * N);
  real y[N];
  cplx bin[N / 2 + 1];
#pragma unroll
  for (int p = 0; p < N; p++) {
    const int e = makhoul(N, p);
    y[p] = ODD && e % 2 ? -x[e] : x[e];
  }
  forward<N>(y, bin);
#pragma unroll
  for (int k = 0; k <= N / 2; k++) {
    const cplx c = k ? bin[k] * factor(turn, k) : bin[0];
    x[ODD ? N - 1 - k : k] = 2 * c.x;
    if (!is_edge(N, k)) x[ODD ? k - 1 : N - k] = -2 * c.y;
  }
}

template <int N, bool ODD> FG_DEVICE void kind_01(real *x) {
  constexpr auto turn = roots_of<N / 2 + 1>(0, 1, 4 * N);
  real y[N];
  cplx bin[N / 2 + 1];
  bin[0] = {x[ODD ? N - 1 : 0], 0};
#pragma unroll
  for (int k = 1; k <= N / 2; k++) {
    bin[k] = cplx{x[ODD ? N - 1 - k : k], -x[ODD ? k - 1 : N - k]} * conjugate(factor(turn, k));
    if (2 * k == N) bin[k].y = 0;
  }
  backward<N>(bin, y);
#pragma unroll
  for (int p = 0; p < N; p++) {
    const int e = makhoul(N, p);
    x[e] = ODD && e % 2 ? -y[p] : y[p];
  }
}

template <int N, bool ODD> FG_DEVICE void kind_11(real *x) {
  if constexpr (N % 2 == 0) {
    constexpr int M = N / 2;
    constexpr auto turn = roots_of<M>(M == 1 ? 2 : 1, 8, 16 * N); /* of one point both at once: one error */
    cplx z[M];
#pragma unroll
    for (int p = 0; p < M; p++) {
      const real one = x[2 * p], two = x[N - 1 - 2 * p];
      z[p] = (ODD ? cplx{two, one} : cplx{one, two}) * factor(turn, p);
    }
    butterfly<M>::apply(z);
#pragma unroll
    for (int p = 0; p < M; p++) {
      const cplx c = M == 1 ? z[p] : z[p] * factor(turn, p);
      x[2 * p] = 2 * c.x;
      x[N - 1 - 2 * p] = ODD ? 2 * c.y : -2 * c.y;
    }
  } else {
    real y[N];
    cplx bin[N / 2 + 1];
#pragma unroll
    for (int p = 0; p < N; p++) {
      const signed_element<int> s = quarter_wave_input(N, p);
      const real one = x[ODD ? N - 1 - s.e : s.e];
      y[p] = s.negative ? -one : one;
    }
    forward<N>(y, bin);
#pragma unroll
    for (int p = 0; p <= N / 2; p++) {
      const two_results both = quarter_wave_results(N, bin[p]);
      const signed_element<int> one = quarter_wave_output(N, p), two = quarter_wave_output(N, N - p);
      x[one.e] = one.negative != (ODD && one.e % 2) ? -both.first : both.first;
      if (p > 0) x[two.e] = two.negative != (ODD && two.e % 2) ? -both.second : both.second;
    }
  }
}

/* x[j] for j = 0 … P, of which RODFT00, for which the first and the last would be zero, has those between: at x[−1 + j]. */
template <int P, bool ODD> FG_DEVICE void kind_00(real *x) {
  if constexpr (P % 2) {
    cplx z[P];
    z[0] = {0, 0};
#pragma unroll
    for (int j = ODD; j < P; j++) z[j] = odd_period_point(ODD, j, x[j - ODD], x[P - j - ODD]);
    butterfly<P>::apply(z);
#pragma unroll
    for (int m = ODD; 2 * m < P; m++) {
      const two_results both = odd_period_results(ODD, z[m]);
      x[2 * m - ODD] = both.first;
      x[P - 2 * m - ODD] = both.second;
    }
  } else {
    constexpr int M = P / 2;
    real same[M + 1], other[M];
#pragma unroll
    for (int j = ODD; j < M; j++) {
      const real one = x[j - ODD], two = x[P - j - ODD];
      same[j - ODD] = ODD ? one - two : one + two;
      other[j - ODD] = ODD ? one + two : one - two;
    }
    (ODD ? other[M - 1] : same[M]) = 2 * x[M - ODD];
    if constexpr (!ODD || M > 1) kind_00<M, ODD>(same);
    kind_01<M, ODD>(other);
#pragma unroll
    for (int m = 0; m < M; m++) {
      if (!ODD || m) x[2 * m - ODD] = same[m - ODD];
      x[2 * m + 1 - ODD] = other[m];
    }
    if (!ODD) x[P] = same[M];
  }
}

template <int N, int KIND> FG_DEVICE void transform(real *x) {
  constexpr bool odd = is_odd(KIND);
  if constexpr (KIND == FG_KIND_R2HC || KIND == FG_KIND_DHT) to_halfcomplex<N>(x, KIND == FG_KIND_DHT);
  else if constexpr (KIND == FG_KIND_HC2R) from_halfcomplex<N>(x);
  else if constexpr (KIND == FG_KIND_REDFT10 || KIND == FG_KIND_RODFT10) kind_10<N, odd>(x);
  else if constexpr (KIND == FG_KIND_REDFT01 || KIND == FG_KIND_RODFT01) kind_01<N, odd>(x);
  else if constexpr (KIND == FG_KIND_REDFT11 || KIND == FG_KIND_RODFT11) kind_11<N, odd>(x);
  else if constexpr (KIND == FG_KIND_REDFT00 || KIND == FG_KIND_RODFT00) kind_00<odd ? N + 1 : N - 1, odd>(x);
  else static_assert(KIND < 0, "no such kind");
}

} // namespace real_line

#endif
