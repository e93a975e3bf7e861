/* small_device.h: a device whose blocks hold little, so that small problems take the passes of large ones. */
#ifndef FG_TEST_SMALL_DEVICE_H
#define FG_TEST_SMALL_DEVICE_H

#include "src/plan/planner.h"

static inline fg_device_info test_small_device(size_t shared_block) {
  fg_device_info device = fg_reference_device;
  device.cluster = 1;
  device.shared_block = shared_block;
  device.multiprocessors = 4;
  return device;
}

#endif
