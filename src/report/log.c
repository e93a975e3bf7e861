/* log.c: lines to stderr or FFTW3_GPU_LOG_FILE, each in one write so that threads and processes do not mix. */
#include "config.h"

#include "src/report/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/report/quietly.h"
#include "src/report/standard_error.h"

enum { LINE = 1024 };

const char *fg_error_text(int error) {
#ifdef HAVE_STRERRORDESC_NP
  return strerrordesc_np(error);
#else /* before glibc 2.32 */
  return strerror(error);
#endif
}

/* One line, "fftw3-gpu: level: text", without line breaks inside and with one at its end; its length. */
static size_t format_line(char line[LINE], const char *level, const char *format, va_list args) {
  int head = snprintf(line, LINE, "fftw3-gpu: %s: ", level);
  int text = vsnprintf(line + head, (size_t)(LINE - head), format, args);
  size_t length = (size_t)head + (text > 0 ? (size_t)text : 0);
  if (length > LINE - 1) {
    length = LINE - 1;
    memcpy(line + length - 3, "...", 3);
  }
  for (size_t i = 0; i < length; i++)
    if (line[i] == '\n' || line[i] == '\r') line[i] = ' ';
  line[length] = '\n'; /* in place of the terminator */
  return length + 1;
}

static void put(int fd, const char *line, size_t length) {
  fg_write_quietly(fd, line, length, -1); /* a log that cannot be written must not harm the program */
}

void fg_log_setting(const char *name, const char *value, const char *why) {
  char message[LINE];
  int n = snprintf(message, sizeof message, "fftw3-gpu: error: %s=%.800s: %s\n", name, value, why);
  if (n > 0) fg_standard_error_write(message, (size_t)n);
}

/* Opened for each line: a descriptor that we kept could be closed by the program and come back as a file of its own. */
static void put_file(const char *path, const char *line, size_t length) {
  static atomic_flag told = ATOMIC_FLAG_INIT;
  const int fd = fg_open_quietly(path);
  if (fd >= 0) {
    put(fd, line, length);
    close(fd);
    return;
  }
  if (!atomic_flag_test_and_set(&told)) fg_log_setting("FFTW3_GPU_LOG_FILE", path, fg_error_text(errno));
}

void fg_log(enum fg_level level, const char *format, ...) {
  const fg_settings *s = fg_settings_get();
  if (level > s->log_level) return;
  int saved = errno;
  char line[LINE];
  va_list args;
  va_start(args, format);
  size_t length = format_line(line, fg_level_names[level], format, args);
  va_end(args);
  if (s->log_file)
    put_file(s->log_file, line, length);
  else
    fg_standard_error_write(line, length);
  errno = saved;
}

void fg_die(const char *format, ...) {
  char line[LINE];
  va_list args;
  va_start(args, format);
  size_t length = format_line(line, "fatal", format, args);
  va_end(args);
  fg_standard_error_write(line, length);
  abort();
}
