/* build.c: runs of the host's C++ compiler.
 *
 * The folder holds all embedded sources, so that a kernel includes its headers by plain name; for job n the text jn.cc,
 * the object jn.so and what the compiler said, jn.log. */
#include "config.h"

#include "cuda/sim/build.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/report/quietly.h"

#ifndef FG_CXX
#define FG_CXX "c++"
#endif

extern char **environ;

/* A contraction is for the kernel to ask for, with fmaf: then all hosts compute the same.  What optimizing takes is not won back in
 * tests, which run a kernel once or twice; neither are tables that a kernel does not use, calls through the linker's table and
 * libraries: what a kernel calls of them, of cuda/kernel none does, is to be in the program. */
static const char options[] = "-std=c++17 -O0 -pipe -fPIC -shared -w -fno-exceptions -fno-rtti -ffp-contract=off "
                              "-fno-asynchronous-unwind-tables -fno-keep-static-consts -fvisibility=hidden -nostdlib -DFG_SIM";

enum { MAX_WORDS = 64 };

struct fg_build {
  char folder[PATH_MAX - 64]; /* "": not made yet */
  char path[PATH_MAX];        /* the answer of fg_build_object, fg_build_write_object */
  int jobs, blobs;
  pid_t *pids;
};

/* ---- the command ---- */

static pthread_once_t command_once = PTHREAD_ONCE_INIT;
static char command[1024];
static bool fused; /* the compiler is told that fmaf is an instruction; else it may be libm's */

static void make_command(void) {
  const char *compiler = getenv("FFTW3_GPU_CXX");
  if (!compiler || !*compiler)
    compiler = FG_CXX;
#if defined __x86_64__
  fused = __builtin_cpu_supports("fma");
#endif
  snprintf(command, sizeof command, "%s %s%s", compiler, options, fused ? " -mfma" : "");
}

const char *fg_build_command(void) {
  pthread_once(&command_once, make_command);
  return command;
}

/* Cut text (changed) at its blanks and append the pieces to words. */
static int split(char *text, char **words, int count) {
  char *rest;
  for (char *w = strtok_r(text, " \t", &rest); w && count < MAX_WORDS - 1; w = strtok_r(NULL, " \t", &rest))
    words[count++] = w;
  words[count] = NULL;
  return count;
}

/* ---- files ---- */

static int write_file(const char *folder, const char *name, const void *text, size_t bytes) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0)
    return -1;
  const bool written = fg_write_quietly(file, text, bytes, -1);
  return close(file) == 0 && written ? 0 : -1;
}

static int make_folder(fg_build *b) {
  const char *base = getenv("TMPDIR");
  if (b->folder[0])
    return 0;
  snprintf(b->folder, sizeof b->folder, "%s/fftw3-gpu-XXXXXX", base && *base ? base : "/tmp");
  if (mkdtemp(b->folder))
    return 0;
  b->folder[0] = '\0';
  return -1;
}

static int write_sources(fg_build *b) {
  if (make_folder(b) < 0)
    return -1;
  for (const fg_embedded *e = fg_embedded_sources; e->name; e++)
    if (write_file(b->folder, e->name, e->text, strlen(e->text)) < 0)
      return -1;
  return 0;
}

static void remove_folder(const char *folder) {
  DIR *d = opendir(folder);
  if (!d)
    return;
  for (struct dirent *e = readdir(d); e; e = readdir(d))
    unlinkat(dirfd(d), e->d_name, 0); /* "." and ".." refuse */
  closedir(d);
  rmdir(folder);
}

int fg_build_read_object(const char *path, void **blob, size_t *bytes) {
  FILE *f = fopen(path, "rbe");
  if (!f)
    return -1;
  long length = fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
  rewind(f);
  *blob = length > 0 ? malloc((size_t)length) : NULL;
  *bytes = *blob ? fread(*blob, 1, (size_t)length, f) : 0;
  fclose(f);
  if (*blob && *bytes == (size_t)length)
    return 0;
  free(*blob);
  return -1;
}

const char *fg_build_object(fg_build *b, int job) {
  snprintf(b->path, sizeof b->path, "%s/j%d.so", b->folder, job);
  return b->path;
}

const char *fg_build_write_object(fg_build *b, const void *blob, size_t bytes) {
  char name[32];
  snprintf(name, sizeof name, "stored%d.so", b->blobs++);
  if (make_folder(b) < 0 || write_file(b->folder, name, blob, bytes) < 0)
    return NULL;
  snprintf(b->path, sizeof b->path, "%s/%s", b->folder, name);
  return b->path;
}

/* ---- jobs ---- */

fg_build *fg_build_new(int jobs) {
  fg_build *b = calloc(1, sizeof *b);
  if (b && !(b->pids = calloc((size_t)jobs + 1, sizeof *b->pids))) {
    free(b);
    b = NULL;
  }
  return b;
}

void fg_build_free(fg_build *b) {
  if (b->folder[0])
    remove_folder(b->folder);
  free(b->pids);
  free(b);
}

int fg_build_add(fg_build *b, const fg_kernel_request *r) {
  bool literal = strchr(r->source, '\n') != NULL;
  char name[32], *text;
  if (b->jobs == 0 && write_sources(b) < 0)
    return fg_backend_fail(FG_ECOMPILE, "sim: cannot write into a temporary folder: %s", strerror(errno));
  int length = asprintf(&text, "#include \"cuda_on_cpu.h\"\n%s\n%s%s%s\n"
                        "#ifndef FG_CLUSTER\n#define FG_CLUSTER 1\n#endif\nFG_SIM_EXPORT(%s)\n",
                        r->defines ? r->defines : "", literal ? "#line 1\n" : "#include \"", r->source,
                        literal ? "" : "\"", r->entry);
  snprintf(name, sizeof name, "j%d.cc", b->jobs);
  int written = length < 0 ? -1 : write_file(b->folder, name, text, (size_t)length);
  if (length >= 0)
    free(text);
  if (written < 0)
    return fg_backend_fail(FG_ECOMPILE, "sim: cannot write into a temporary folder: %s", strerror(errno));
  b->jobs++;
  return 0;
}

/* The program's environment without its preloads: the compiler is not to run under this library. */
static char **environment_without_preload(void) {
  size_t count = 0, kept = 0;
  while (environ && environ[count])
    count++;
  char **copy = malloc((count + 1) * sizeof *copy);
  for (size_t i = 0; copy && i < count; i++)
    if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0)
      copy[kept++] = environ[i];
  if (copy)
    copy[kept] = NULL;
  return copy;
}

/* Start the compiler on a job: 0 or an errno. */
static int start(fg_build *b, int job, char **environment) {
  char words_text[sizeof command], paths[4][PATH_MAX], *words[MAX_WORDS];
  static const char *const forms[] = {"%s/j%d.cc", "%s/j%d.so", "%s/j%d.log", "-I%s"};
  for (int i = 0; i < 4; i++)
    snprintf(paths[i], sizeof paths[i], forms[i], b->folder, job);
  strcpy(words_text, fg_build_command());
  int count = split(words_text, words, 0);
  char *own[] = {paths[3], "-o", paths[1], paths[0], fused ? NULL : "-lm", NULL};
  for (int i = 0; i < 5 && count < MAX_WORDS - 1; i++)
    words[count++] = own[i];
  words[count] = NULL;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, paths[2], O_WRONLY | O_CREAT | O_TRUNC, 0600);
  int error = posix_spawnp(&b->pids[job], words[0], &actions, NULL, words, environment);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/* Wait for a job's compiler.  A program that ignores SIGCHLD or reaps all children itself takes the status from us:
 * then the object tells by being there, as the linker writes it last. */
static bool finished_well(fg_build *b, int job) {
  int status;
  pid_t waited;
  do
    waited = waitpid(b->pids[job], &status, 0);
  while (waited < 0 && errno == EINTR);
  return waited < 0 ? access(fg_build_object(b, job), R_OK) == 0 : WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int complaint(fg_build *b, int job) {
  char path[PATH_MAX];
  void *log = NULL;
  size_t bytes = 0;
  snprintf(path, sizeof path, "%s/j%d.log", b->folder, job);
  int length = fg_build_read_object(path, &log, &bytes) == 0 ? (int)bytes : 0;
  fg_backend_fail(FG_ECOMPILE, "sim: the host compiler failed: %.*s", length < 400 ? length : 400,
                  length ? (char *)log : "");
  if (length)
    free(log);
  return FG_ECOMPILE;
}

int fg_build_run(fg_build *b) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  char **environment = environment_without_preload();
  int started = 0, result = 0;
  if (!environment)
    return fg_backend_fail(FG_ECOMPILE, "sim: no host memory");
  for (int done = 0; done < b->jobs; done++) {
    while (result == 0 && started < b->jobs && started - done < (cores > 1 ? cores : 1)) {
      int error = start(b, started, environment);
      if (error)
        result = fg_backend_fail(FG_ECOMPILE, "sim: cannot run '%s': %s", command, strerror(error));
      else
        started++;
    }
    if (done == started)
      break;
    if (!finished_well(b, done) && result == 0)
      result = complaint(b, done);
  }
  free(environment);
  return result;
}
