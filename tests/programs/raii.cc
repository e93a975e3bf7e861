// raii.cc: C++ as it is usually written around FFTW: std::complex, vectors with FFTW's memory, plans that free
// themselves.
#include <fftw3.h>

#include <complex>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "tests/programs/show.h"

namespace {

using complex = std::complex<float>;

template <class T>
struct Allocator {
  using value_type = T;
  Allocator() = default;
  template <class U>
  Allocator(const Allocator<U> &) {}
  T *allocate(std::size_t count) {
    void *memory = fftwf_malloc(count * sizeof(T));
    if (!memory) throw std::bad_alloc();
    return static_cast<T *>(memory);
  }
  void deallocate(T *memory, std::size_t) { fftwf_free(memory); }
};
template <class T, class U>
bool operator==(const Allocator<T> &, const Allocator<U> &) { return true; }
template <class T, class U>
bool operator!=(const Allocator<T> &, const Allocator<U> &) { return false; }

using Field = std::vector<complex, Allocator<complex>>;

fftwf_complex *raw(complex *x) { return reinterpret_cast<fftwf_complex *>(x); }

class Plan {
 public:
  Plan(const std::vector<int> &shape, Field &in, Field &out, int sign)
      : plan_(fftwf_plan_dft(static_cast<int>(shape.size()), shape.data(), raw(in.data()), raw(out.data()), sign,
                             FFTW_ESTIMATE)) {}
  void operator()() const { fftwf_execute(plan_.get()); }
  void operator()(complex *in, complex *out) const { fftwf_execute_dft(plan_.get(), raw(in), raw(out)); }

 private:
  struct Destroy {
    void operator()(fftwf_plan plan) const { fftwf_destroy_plan(plan); }
  };
  std::unique_ptr<fftwf_plan_s, Destroy> plan_;
};

// Convolution by the convolution theorem.
void convolve(const std::vector<int> &shape, std::size_t points) {
  Field a(points), b(points), sum(points);
  fill(a.data(), 2 * points, 51);
  fill(b.data(), 2 * points, 52);
  const Plan forward(shape, a, a, FFTW_FORWARD);
  Plan backward(shape, sum, sum, FFTW_BACKWARD);
  forward();
  forward(b.data(), b.data());
  for (std::size_t k = 0; k < points; k++) sum[k] = a[k] * b[k] / static_cast<float>(points);
  const Plan moved = std::move(backward);
  moved();
  show("convolution", points, sum.data(), 2 * points);
}

void many_plans() {
  std::vector<Plan> plans;
  Field in(2048), out(2048);
  for (const int n : {128, 200, 128, 90}) plans.emplace_back(std::vector<int>{n}, in, out, FFTW_FORWARD);
  fill(in.data(), 2 * in.size(), 53);
  for (const Plan &plan : plans) {
    plan();
    plan(in.data() + 1024, out.data() + 1024);
  }
  show("several_plans", 200, out.data(), 2 * out.size());
}

}  // namespace

int main() {
  convolve({36, 40}, 36 * 40);
  convolve({1000}, 1000);
  many_plans();
  return 0;
}
