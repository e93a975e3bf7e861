#!/bin/bash
# double_single.sh: FFTW's own tests in double precision, every problem computed in single on the sim backend, to single
# precision's tolerance.
FG_DOUBLE=single exec "$(dirname "$0")/check.sh" sim 150 --estimate
