/* log.h: one line a happening, to stderr or FFTW3_GPU_LOG_FILE; nothing unless a FFTW3_GPU_LOG… setting asks for it. */
#ifndef FG_LOG_H
#define FG_LOG_H

#include "src/report/settings.h"

void fg_log(enum fg_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What errno means; not to be freed. */
const char *fg_error_text(int error);

/* A setting that turns out to be unusable: on stderr whatever the log's level, as settings.h tells bad values. */
void fg_log_setting(const char *name, const char *value, const char *why);

/* A result that cannot be made right: a message on stderr whatever the settings say, then abort(). */
void fg_die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif
