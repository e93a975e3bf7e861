#!/bin/bash
# off.sh: FFTW's own tests with the library switched off: it must change nothing.
exec "$(dirname "$0")/check.sh" off
