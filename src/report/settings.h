/* settings.h: the environment variables FFTW3_GPU…, read once. */
#ifndef FG_SETTINGS_H
#define FG_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "src/problem/problem.h"

enum fg_mode { FG_MODE_AUTO, FG_MODE_STEADY, FG_MODE_OFF, FG_MODE_FORCE };
enum fg_pin { FG_PIN_OWN, FG_PIN_REGISTER, FG_PIN_NEVER };
enum fg_level { FG_LOG_NONE, FG_LOG_ERROR, FG_LOG_WARN, FG_LOG_INFO, FG_LOG_DEBUG };

/* Their words: "error", … */
extern const char *const fg_level_names[]; /* ends with NULL */

typedef struct {
  enum fg_mode mode;       /* FFTW3_GPU=auto|steady|off|force */
  int sim;                 /* FFTW3_GPU_BACKEND=cuda|sim */
  const char *cache;       /* FFTW3_GPU_CACHE=dir, or NULL */
  enum fg_level log_level; /* FFTW3_GPU_LOG=error|warn|info|debug; NONE if neither it nor LOG_FILE is set */
  const char *log_file;    /* FFTW3_GPU_LOG_FILE=path, or NULL: stderr */
  const char *nvrtc;       /* FFTW3_GPU_NVRTC=path or a name for the loader, or NULL */
  const char *report;      /* FFTW3_GPU_REPORT=-|path, or NULL */
  const char *trace;       /* FFTW3_GPU_TRACE=path, or NULL */
  enum fg_pin pin;         /* FFTW3_GPU_PIN=own|register|never: memory of fftwf_malloc that GPU plans use; all */
  int copy_threads;        /* FFTW3_GPU_COPY_THREADS=n, or 0: by the machine */
  int device;              /* FFTW3_GPU_DEVICE=n, or -1: by the rank among the program's processes */
  size_t memory;           /* FFTW3_GPU_MEMORY=bytes of device memory, or 0 */
  double memory_percent;   /* FFTW3_GPU_MEMORY=percent of the device's memory, or 0; neither: by the machine */
  enum fg_doubles doubles; /* FFTW3_GPU_DOUBLE=host|single|double, or AUTO */
  double verify;           /* FFTW3_GPU_VERIFY=tolerance, or 0: off; or FG_VERIFY_AUTO: by the precision */
} fg_settings;

enum { FG_VERIFY_AUTO = -1 };

/* Parsed at the first call, then constant.  A bad value is reported on stderr, naming the setting and what it takes;
 * the default stands.  So is a name that is like theirs and none of them (misspelt.h).  An empty value is as good as
 * none.  Paths are made absolute, for programs that change directory. */
const fg_settings *fg_settings_get(void);

/* All settings as a table. */
typedef struct {
  const char *name, *takes, *meaning;
  bool (*parse)(const char *value, fg_settings *into); /* false: a bad value, nothing changed */
  void (*show)(const fg_settings *from, char *text, size_t size);
} fg_setting;
extern const fg_setting fg_setting_table[]; /* ends with a NULL name */
const fg_setting *fg_setting_named(const char *name); /* one of these */

#endif
