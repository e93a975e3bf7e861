/* doubles.h: FFTW3_GPU_DOUBLE: what becomes of transforms of double-precision arrays.
 *
 * host: the real FFTW's; single: computed in single precision, converted on the way in and back on the way out; double:
 * computed in double precision, where the route finds that faster.  If nobody says: host (double on devices that are made
 * for it once its kernels have run on one; on sim, and where the GPU is forced, already now). */
#ifndef FG_DOUBLES_H
#define FG_DOUBLES_H

#include "cuda/backend.h"
#include "src/problem/problem.h"

/* What the calling thread asks for in the plans that it makes from now on; AUTO: what the settings say. */
void fg_doubles_of_thread(enum fg_doubles);

/* Put into p, which is new, what this thread and the settings ask for.  Nothing if its arrays are single. */
void fg_doubles_ask(fg_problem *p);

/* Why p is the real FFTW's whatever it costs, a literal; NULL if it need not be. */
const char *fg_doubles_refuse(const fg_problem *p);

/* Why p is not for this device, a literal; NULL if it is. */
const char *fg_doubles_object(const fg_problem *p, const fg_device_info *);

/* What p is computed in, by the real FFTW or on the device: "single", "double", "double as single". */
const char *fg_doubles_name(const fg_problem *p, bool on_device);

#endif
