"""pyfftw_calls.py: single-precision transforms through pyFFTW, whose extension module is linked to FFTW's libraries
and is loaded by the interpreter with RTLD_LOCAL.  Lines as in show.h."""
import math
import sys

try:
    import numpy
    import pyfftw
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(77)

ESTIMATE = ("FFTW_ESTIMATE",)


def show(name, n, array):
    x = numpy.ascontiguousarray(array).reshape(-1).view(numpy.float32).astype(numpy.float64)
    k = numpy.arange(x.size)
    sums = [float(numpy.sum(x * numpy.cos(1.2345 * c * k))) / math.sqrt(x.size) for c in range(3)]
    samples = [float(x[s * (x.size - 1) // 4]) for s in range(5)]
    print(name, n, x.size, *("%.9g" % value for value in [math.sqrt(float(numpy.sum(x * x)))] + sums + samples))


def fill(array, seed):
    random = numpy.random.RandomState(seed)
    array.reshape(-1).view(numpy.float32)[:] = random.uniform(-0.5, 0.5, array.view(numpy.float32).size)
    return array


def complex_array(*shape, seed=1):
    return fill(pyfftw.empty_aligned(shape, dtype="complex64"), seed)


def plans():
    x, y = complex_array(400, seed=1), complex_array(400, seed=2)
    forward = pyfftw.FFTW(x, y, flags=ESTIMATE)
    backward = pyfftw.FFTW(y, x, direction="FFTW_BACKWARD", flags=ESTIMATE)
    forward()
    show("1d", 400, y)
    backward()
    show("1d_back_normalised", 400, x)
    forward(complex_array(400, seed=3), y)
    show("1d_other_array", 400, y)
    x = complex_array(12, 15, 10, seed=4)
    pyfftw.FFTW(x, x, axes=(0, 1, 2), flags=ESTIMATE)()
    show("3d_in_place", 1800, x)
    x, y = complex_array(6, 50, 7, seed=5), complex_array(6, 50, 7, seed=6)
    pyfftw.FFTW(x, y, axes=(1,), flags=ESTIMATE)()
    show("middle_axis", 50, y)
    pyfftw.FFTW(x, y, axes=(0, 2), threads=2, flags=ESTIMATE)()
    show("outer_axes_two_threads", 42, y)


def strided():
    x, y = complex_array(40, 60, seed=7), complex_array(40, 60, seed=8)
    pyfftw.FFTW(x[::2, ::3], y[1::2, :20], axes=(0, 1), flags=ESTIMATE + ("FFTW_UNALIGNED",))()
    show("slices", 400, y)


def real():
    x = fill(pyfftw.empty_aligned((20, 30), dtype="float32"), 9)
    f = complex_array(20, 16, seed=10)
    pyfftw.FFTW(x, f, axes=(0, 1), flags=ESTIMATE)()
    show("r2c", 600, f)
    pyfftw.FFTW(f, x, axes=(0, 1), direction="FFTW_BACKWARD", flags=ESTIMATE)()
    show("c2r", 600, x)
    y = pyfftw.empty_aligned((20, 30), dtype="float32")
    pyfftw.FFTW(x, y, axes=(1,), direction="FFTW_REDFT10", flags=ESTIMATE)()
    show("cosine", 60, y)


def interfaces():
    x = complex_array(24, 24, 24, seed=11)
    pyfftw.interfaces.cache.enable()
    pyfftw.config.PLANNER_EFFORT = "FFTW_ESTIMATE"
    for _ in range(2):
        f = pyfftw.interfaces.numpy_fft.fftn(x)
    show("numpy_fftn", 13824, f)
    show("numpy_ifftn", 13824, pyfftw.interfaces.numpy_fft.ifftn(f))
    show("numpy_rfft", 1000, pyfftw.interfaces.numpy_fft.rfft(fill(numpy.empty(1000, dtype="float32"), 12)))
    pyfftw.interfaces.cache.disable()


def wisdom():
    x, y = complex_array(96, seed=13), complex_array(96, seed=14)
    measured = pyfftw.FFTW(x, y, flags=("FFTW_MEASURE",))
    kept = pyfftw.export_wisdom()
    pyfftw.forget_wisdom()
    print("imported =", *pyfftw.import_wisdom(kept))
    measured(fill(x, 15))
    show("measured*", 96, y)


plans()
strided()
real()
interfaces()
wisdom()
