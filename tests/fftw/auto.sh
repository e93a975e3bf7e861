#!/bin/bash
# auto.sh: FFTW's own tests with the default settings.
exec "$(dirname "$0")/check.sh" auto
