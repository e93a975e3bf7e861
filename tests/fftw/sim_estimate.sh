#!/bin/bash
# sim_estimate.sh: FFTW's own tests, every complex problem on the sim backend, planned with FFTW_ESTIMATE.
exec "$(dirname "$0")/check.sh" sim 300 --estimate
