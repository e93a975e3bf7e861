/* begin.c: what has to be done when the library is loaded, once for both precisions. */
#include "config.h"

#include "src/report/report.h"
#include "src/run/arena/watch.h"

__attribute__((constructor)) static void loaded(void) {
  fg_report_loaded();
  fg_watch_begin();
}
