/* elf.c: whether a program can be preloaded into at all. */
#define _GNU_SOURCE
#include "src/cli/cli.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

/* The file that execvp would start; false if there is none. */
static bool find(const char *program, char path[PATH_MAX]) {
  if (strchr(program, '/')) return snprintf(path, PATH_MAX, "%s", program) < PATH_MAX;
  const char *const folders = getenv("PATH");
  for (const char *folder = folders ? folders : "/bin:/usr/bin"; folder;
       folder = strchr(folder, ':') ? strchr(folder, ':') + 1 : NULL) {
    struct stat st;
    const int length = (int)strcspn(folder, ":"); /* none: here */
    const int n = snprintf(path, PATH_MAX, "%.*s%s%s", length, folder, length ? "/" : "./", program);
    if (n < PATH_MAX && !access(path, X_OK) && !stat(path, &st) && S_ISREG(st.st_mode)) return true;
  }
  return false;
}

static bool read_at(int file, void *to, size_t bytes, size_t offset) {
  return pread(file, to, bytes, (off_t)offset) == (ssize_t)bytes;
}

/* Of this machine's word size, executable, and without the entry that names a dynamic linker. */
static bool lacks_linker(int file) {
  ElfW(Ehdr) head;
  ElfW(Phdr) part;
  const int class = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
  if (!read_at(file, &head, sizeof head, 0) || memcmp(head.e_ident, ELFMAG, SELFMAG)) return false;
  if (head.e_ident[EI_CLASS] != class || head.e_phentsize != sizeof part) return false;
  for (size_t i = 0; i < head.e_phnum; i++)
    if (!read_at(file, &part, sizeof part, head.e_phoff + i * sizeof part) || part.p_type == PT_INTERP) return false;
  return head.e_phnum > 0;
}

/* The dynamic linker itself, which can be started as a program with another as its argument. */
static bool is_linker(const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  return !strncmp(name, "ld-linux", 8) || !strncmp(name, "ld.so", 5) || !strncmp(name, "ld64.so", 7);
}

static bool is_elf(int file) {
  char magic[SELFMAG];
  return read_at(file, magic, sizeof magic, 0) && !memcmp(magic, ELFMAG, SELFMAG);
}

/* With another user's or group's rights, or with capabilities, which root has anyway, where the system grants them: the
 * dynamic linker then loads nothing of the caller's. */
static bool is_privileged(int file) {
  struct stat st;
  struct statvfs fs;
  if (fstat(file, &st) || fstatvfs(file, &fs) || !is_elf(file)) return false;
  if (fs.f_flag & ST_NOSUID) return false;
  if (getuid() != 0 && fgetxattr(file, "security.capability", NULL, 0) > 0) return true;
  if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1) return false;
  if (st.st_mode & S_ISUID && st.st_uid != getuid()) return true;
  return st.st_mode & S_ISGID && st.st_mode & S_IXGRP && st.st_gid != getgid();
}

const char *fg_cli_obstacle(const char *program) {
  char path[PATH_MAX];
  const int file = find(program, path) && !is_linker(path) ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
  if (file < 0) return NULL;
  const bool is_static = lacks_linker(file), privileged = is_privileged(file);
  close(file);
  if (is_static) return "is linked statically";
  return privileged ? "runs with other rights than yours (set-uid, set-gid, capabilities)" : NULL;
}
