#!/bin/bash
# double_off.sh: FFTW's own tests with the library switched off, in double precision.
FG_DOUBLE=default exec "$(dirname "$0")/check.sh" off
