/* installed.h: the kernel archive that was installed with the library: the common kernels, compiled when it was built.
 *
 * fftw3-gpu/kernels.fgk in the library's folder, wherever that lies; in a build folder cuda/kernels.fgk.  Without it, or
 * if it does not belong to this library, kernels are compiled when they are needed.  Looked for at the first call. */
#ifndef FG_INSTALLED_H
#define FG_INSTALLED_H

#include <limits.h>

#include "cuda/archive.h"
#include "cuda/backend.h"

/* The cubin of that request for a device of that architecture (90): its own, or that of an earlier one of its
 * generation; malloc'd, 0 if found, -1 if not. */
int fg_installed_get(int arch, const fg_kernel_request *, void **cubin, size_t *bytes);
bool fg_installed_has(int arch, const fg_kernel_request *);

/* The same of PTX, which the driver compiles for any device from FG_INSTALLED_PTX on. */
int fg_installed_ptx(int arch, const fg_kernel_request *, void **ptx, size_t *bytes);
bool fg_installed_has_ptx(int arch, const fg_kernel_request *);
enum { FG_INSTALLED_PTX = 90 };

/* The driver does not take what came from the archive: from now on nothing is found in it. */
void fg_installed_refuse(void);

/* The archive in use, NULL if there is none, and where it is or should be. */
const fg_archive *fg_installed_archive(const char **path);

/* From the folder of programs to that of libraries, as they were configured: "../lib/".  So an installation may be moved. */
void fg_installed_beside(char below[PATH_MAX]);

/* For tests, before the first call of the others: look at this path alone. */
void fg_installed_at(const char *path);

/* The key of a kernel in the archive, malloc'd: everything that the code depends on but the compiler's version.
 * target: "sm_90", "ptx". */
char *fg_installed_key(const char *target, const fg_kernel_request *);

#endif
