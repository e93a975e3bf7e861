#!/bin/bash
# double_auto.sh: FFTW's own tests with the default settings, in double precision.
FG_DOUBLE=default exec "$(dirname "$0")/check.sh" auto
