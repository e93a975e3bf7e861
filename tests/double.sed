# double.sed: a test program in single precision becomes the same in double: FFTW's names, its libraries, the numbers.
# (Fortran's real and complex: see tests/programs/double.sh.)
s/fftwf_/fftw_/g
s/SFFTW_/DFFTW_/g
s/\bsfftw_/dfftw_/g
s/fftw3f/fftw3/g
s/\bfloat\b\([^(]\|$\)/double\1/g
s/c_float/c_double/g
s/MPI_FLOAT/MPI_DOUBLE/g
s/float32/float64/g
s/complex64/complex128/g
s/%\.9g/%.17g/g
s/\b\(sin\|cos\|sqrt\|fabs\|exp\|floor\)f(/\1(/g
