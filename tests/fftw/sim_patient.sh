#!/bin/bash
# sim_patient.sh: FFTW's own tests, every complex problem on the sim backend, planned with FFTW_PATIENT.
exec "$(dirname "$0")/check.sh" sim 300 --patient
