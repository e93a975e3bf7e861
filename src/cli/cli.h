/* cli.h: the program fftw3-gpu: a table of commands, each in its own file.
 *
 * To add a command: a file that defines fg_command_NAME, and one line in FG_COMMANDS. */
#ifndef FG_CLI_H
#define FG_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { FG_EXIT_FAILED = 1, FG_EXIT_USAGE = 2 };

typedef struct {
  const char *name;
  const char *synopsis; /* what follows the name */
  const char *summary;  /* one line */
  const char *help;     /* the options, ready to print */
  /* argv[0] is "fftw3-gpu NAME", for getopt's messages.  Returns the exit status. */
  int (*main)(int argc, char **argv);
} fg_command;

#define FG_COMMANDS(X) \
  X(run)               \
  X(info)              \
  X(plan)              \
  X(tune)              \
  X(bench)             \
  X(accuracy)          \
  X(replay)            \
  X(path)

#define FG_COMMAND_DECLARE(name) extern const fg_command fg_command_##name;
FG_COMMANDS(FG_COMMAND_DECLARE)

/* A message "fftw3-gpu: text" on stderr. */
void fg_cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same, and where help is: for a command line that was not understood.  Returns FG_EXIT_USAGE. */
int fg_cli_usage(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* --precision: whether "double", not "single"; 0, or what fg_cli_usage returns. */
int fg_cli_precision(const char *command, const char *text, bool *twice);

/* For commands without options: false (and *status) when argv holds one, --help included, or an argument too many. */
bool fg_cli_no_options(const fg_command *command, int argc, char **argv, int *status);
void fg_cli_print_help(const fg_command *command);

/* Where files for a while are: TMPDIR, else /tmp. */
const char *fg_cli_tmpdir(void);

/* A file to write to; no path: none.  fg_cli_open: false after a message.  fg_cli_close: 0, or after a message an exit
 * status, if not all could be written. */
bool fg_cli_open(const char *command, const char *path, FILE **file);
int fg_cli_close(const char *command, const char *path, FILE *file);

/* The preloadable library's path: in the build tree beside this program, in the installation that it belongs to, wherever that is
 * now, or where it was installed.  false, and the place where it should be, if it is not there. */
bool fg_cli_library(char *path, size_t size);

/* Likewise those of the libraries that answer the program's dlsym, and that watch its memory. */
bool fg_cli_lookup_library(char *path, size_t size);
bool fg_cli_watch_library(char *path, size_t size);

/* Put the library, what answers dlsym where that was built (with a message if it is missing), and with
 * FFTW3_GPU_PIN=register what watches memory, in front of LD_PRELOAD's; 0, or an exit status after a message. */
int fg_cli_preload(const char *command);

/* Why nothing can be preloaded into a program, found as execvp does: a literal to follow its name; NULL if it can. */
const char *fg_cli_obstacle(const char *program);

#endif
