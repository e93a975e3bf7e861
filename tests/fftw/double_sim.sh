#!/bin/bash
# double_sim.sh: FFTW's own tests in double precision, every problem on the sim backend, planned with FFTW_ESTIMATE.
FG_DOUBLE=double exec "$(dirname "$0")/check.sh" sim 150 --estimate
