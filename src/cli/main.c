/* main.c: the command table, help and version. */
#include "config.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "src/cli/cli.h"
#include "src/report/settings.h"

#define COMMAND_ADDRESS(name) &fg_command_##name,
static const fg_command *const commands[] = {FG_COMMANDS(COMMAND_ADDRESS) NULL};

static const fg_command *find(const char *name) {
  for (int i = 0; commands[i]; i++)
    if (!strcmp(commands[i]->name, name)) return commands[i];
  return NULL;
}

void fg_cli_error(const char *format, ...) {
  va_list args;
  va_start(args, format);
  fputs("fftw3-gpu: ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
}

int fg_cli_usage(const char *command, const char *format, ...) {
  va_list args;
  if (format) {
    va_start(args, format);
    fputs("fftw3-gpu: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
  }
  fprintf(stderr, "Try 'fftw3-gpu help%s%s'.\n", command ? " " : "", command ? command : "");
  return FG_EXIT_USAGE;
}

int fg_cli_precision(const char *command, const char *text, bool *twice) {
  *twice = strcmp(text, "double") == 0;
  if (*twice || strcmp(text, "single") == 0) return 0;
  return fg_cli_usage(command, "%s: no precision '%s'", command, text);
}

void fg_cli_print_help(const fg_command *c) {
  printf("Usage: fftw3-gpu %s%s%s\n%s.\n", c->name, *c->synopsis ? " " : "", c->synopsis, c->summary);
  if (*c->help) printf("\n%s", c->help);
}

bool fg_cli_no_options(const fg_command *command, int argc, char **argv, int *status) {
  static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
  switch (getopt_long(argc, argv, "h", options, NULL)) {
  case -1:
    if (optind == argc) return true;
    *status = fg_cli_usage(command->name, "%s: unexpected argument '%s'", command->name, argv[optind]);
    return false;
  case 'h':
    fg_cli_print_help(command);
    *status = 0;
    return false;
  default:
    *status = fg_cli_usage(command->name, NULL);
    return false;
  }
}

/* A long synopsis has its line for itself. */
static void print_line(const char *name, const char *synopsis, const char *summary) {
  enum { WIDTH = 39 };
  const bool fits = strlen(synopsis) <= WIDTH;
  if (!fits) printf("  %-8s %s\n", name, synopsis);
  printf("  %-8s %-*s %s\n", fits ? name : "", WIDTH, fits ? synopsis : "", summary);
}

static int help(void) {
  printf("Usage: fftw3-gpu COMMAND ...\nRun the transforms of unmodified FFTW programs on a GPU.\n\n");
  for (int i = 0; commands[i]; i++) print_line(commands[i]->name, commands[i]->synopsis, commands[i]->summary);
  print_line("help", "[COMMAND]", "Tell more about a command");
  printf("\nPROBLEM is in the notation of FFTW's test program: ic64x64x64*27 is 27 complex transforms in place.\n"
         "\nSettings, as environment variables:\n");
  for (const fg_setting *s = fg_setting_table; s->name; s++)
    printf("  %s=%s\n      %s\n", s->name, s->takes, s->meaning);
  return 0;
}

static int help_on(int argc, char **argv) {
  if (argc < 2 || (argc == 2 && !strcmp(argv[1], "help"))) return help();
  if (argc > 2) return fg_cli_usage(NULL, "help: unexpected argument '%s'", argv[2]);
  const fg_command *c = find(argv[1]);
  if (!c) return fg_cli_usage(NULL, "no command '%s'", argv[1]);
  fg_cli_print_help(c);
  return 0;
}

static int run_command(int argc, char **argv) {
  if (!strcmp(argv[0], "help")) return help_on(argc, argv);
  const fg_command *c = find(argv[0]);
  if (!c) return fg_cli_usage(NULL, "no command '%s'", argv[0]);
  char name[64];
  snprintf(name, sizeof name, "fftw3-gpu %s", c->name);
  argv[0] = name;
  optind = 0; /* scan anew, from the command on */
  return c->main(argc, argv);
}

static int dispatch(int argc, char **argv) {
  static const struct option options[] = {
      {"help", no_argument, NULL, 'h'}, {"version", no_argument, NULL, 'V'}, {NULL, 0, NULL, 0}};
  static char name[] = "fftw3-gpu";
  argv[0] = name;
  switch (getopt_long(argc, argv, "+hV", options, NULL)) {
  case -1:
    break;
  case 'h':
    return help();
  case 'V':
    puts(PACKAGE_STRING);
    return 0;
  default:
    return fg_cli_usage(NULL, NULL);
  }
  if (optind == argc) return fg_cli_usage(NULL, "a command is missing");
  return run_command(argc - optind, argv + optind);
}

int main(int argc, char **argv) {
  int status = dispatch(argc, argv);
  if (fflush(stdout) || ferror(stdout)) {
    perror("fftw3-gpu: standard output");
    return FG_EXIT_FAILED;
  }
  return status;
}
