/* lazy_backend.h: a backend in front of sim whose streams do nothing until the host waits, and then only what that
 * needs: the latest order that the events allow. What relies on luck instead of events goes wrong on it. */
#ifndef LAZY_BACKEND_H
#define LAZY_BACKEND_H

#include "cuda/backend.h"

extern const fg_backend lazy_backend;

extern int lazy_backend_graphs; /* recordings that were played */
extern int lazy_backend_chains; /* launched */

/* With each operation that is done, one of every other stream is done too: what streams have in common shows. */
extern bool lazy_backend_fair;

#endif
