/* common.h: the common problems, whose kernels are compiled when the library is built, and the devices they are
 * compiled for. */
#ifndef FG_COMMON_H
#define FG_COMMON_H

#include "src/pass/kernel.h"

/* What the planner is told of: the archive has cubins for their architectures.  Ends with arch 0.  Geometry depends on
 * little of a device, so that most kernels serve its whole family. */
extern const fg_device_info fg_common_devices[];

/* One pass of a common problem, and its kernel; the request lives until the function returns. */
typedef void (*fg_common_each)(void *context, const char *problem, const fg_pass *, const fg_kernel_request *);

/* Plan part i of parts of the list (0 and 1: all of it) for the device and tell each pass, equal kernels again and again.
 * The number of problems that could not be planned. */
int fg_common_walk(const fg_device_info *device, int i, int parts, fg_common_each each, void *context);

/* The same for one problem, as text; false if it cannot be planned. */
bool fg_common_problem(const char *problem, enum fg_precision precision, const fg_device_info *device,
                       fg_common_each each, void *context);

#endif
