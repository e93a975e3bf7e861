/* texts.h: FFTW's data symbols: version, cc, codelet_optim. */
#ifndef FG_COMPAT_TEXTS_H
#define FG_COMPAT_TEXTS_H

#include "compat/precision.h"

/* Take over the texts of the real library with that handle (of dlsym). */
FG_HIDDEN void FG(adopt_texts)(void *handle);

#endif
