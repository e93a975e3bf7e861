/* cuda_program.c: whether the program, or a library of its, was made with CUDA, though nothing of that may have run yet. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dl_iterate_phdr, memmem */
#endif
#include "config.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/cuda_device.h"

/* ---- one file ---- */

enum { MOST_SECTIONS = 4096, MOST_NAMES = 1 << 20, MOST_STRINGS = 16 << 20 };

/* Of a file, at that place; NULL if it is too long or not all there. */
static char *part_of(int fd, size_t at, size_t bytes, size_t most) {
  char *const part = bytes > 0 && bytes <= most ? malloc(bytes + 1) : NULL;
  if (!part) return NULL;
  if (pread(fd, part, bytes, (off_t)at) != (ssize_t)bytes) {
    free(part);
    return NULL;
  }
  part[bytes] = 0;
  return part;
}

/* It is linked to the driver or the runtime. */
static bool is_linked(int fd, const ElfW(Shdr) *strings) {
  char *const names = part_of(fd, strings->sh_offset, strings->sh_size, MOST_STRINGS);
  const size_t bytes = strings->sh_size;
  const bool linked = names && (memmem(names, bytes, "libcuda.so", 10) || memmem(names, bytes, "libcudart", 9));
  free(names);
  return linked;
}

static bool sections_tell(int fd, const ElfW(Shdr) *section, size_t count, const char *names, size_t bytes) {
  for (size_t i = 0; i < count; i++) {
    const char *const name = section[i].sh_name < bytes ? names + section[i].sh_name : "";
    if (!strcmp(name, ".nv_fatbin") || !strcmp(name, ".nvFatBinSegment")) return true; /* kernels */
    if (!strcmp(name, ".dynstr") && is_linked(fd, &section[i])) return true;
  }
  return false;
}

static bool file_tells(int fd) {
  ElfW(Ehdr) head;
  if (pread(fd, &head, sizeof head, 0) != (ssize_t)sizeof head || memcmp(head.e_ident, ELFMAG, SELFMAG)) return false;
  const size_t count = head.e_shnum;
  if (head.e_shentsize != sizeof(ElfW(Shdr)) || head.e_shstrndx >= count || count > MOST_SECTIONS) return false;
  ElfW(Shdr) *const section = (ElfW(Shdr) *)part_of(fd, head.e_shoff, count * sizeof *section, MOST_SECTIONS * sizeof *section);
  if (!section) return false;
  const size_t bytes = section[head.e_shstrndx].sh_size;
  char *const names = part_of(fd, section[head.e_shstrndx].sh_offset, bytes, MOST_NAMES);
  const bool tells = names && sections_tell(fd, section, count, names, bytes);
  free(names);
  free(section);
  return tells;
}

bool fg_cuda_in_file(const char *path) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  const bool tells = fd >= 0 && file_tells(fd);
  if (fd >= 0) close(fd);
  return tells;
}

/* ---- all that is loaded ---- */

typedef struct {
  char *at, *end;           /* of the names, one behind the other */
  unsigned long long loads; /* of objects, ever */
} listing;

/* The loader has locks here, and is asked nothing; nor is memory. */
static int list_one(struct dl_phdr_info *object, size_t size, void *data) {
  listing *const l = data;
  const char *const name = *object->dlpi_name ? object->dlpi_name : "/proc/self/exe";
  const size_t bytes = strlen(name) + 1;
  if (size >= offsetof(struct dl_phdr_info, dlpi_adds) + sizeof object->dlpi_adds) l->loads = object->dlpi_adds;
  if (bytes > (size_t)(l->end - l->at)) return 1;
  memcpy(l->at, name, bytes);
  l->at += bytes;
  return 0;
}

/* The driver's own libraries have kernels, too, and are loaded by us. */
static bool is_drivers(const char *path) {
  static const char *const names[] = {"libcuda.so", "libnvidia-", "libnvrtc"};
  const char *const slash = strrchr(path, '/'), *const name = slash ? slash + 1 : path;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strncmp(name, names[i], strlen(names[i]))) return true;
  return false;
}

static bool files_tell(void) {
  enum { NAMES = 256 << 10 };
  char *const names = malloc(NAMES);
  if (!names) return true;
  listing l = {names, names + NAMES, 0};
  dl_iterate_phdr(list_one, &l);
  bool tells = false;
  for (const char *name = names; !tells && name < l.at; name += strlen(name) + 1)
    tells = strchr(name, '/') && !is_drivers(name) && fg_cuda_in_file(name);
  free(names);
  return tells;
}

/* Who goes on loading is taken for one that was: files may lie far away. */
bool fg_cuda_made_with(void) {
  enum { MOST_LOOKS = 4 };
  static atomic_bool known;
  static atomic_int looks;
  static atomic_ullong looked; /* at so many loads, and it was not */
  if (atomic_load(&known)) return true;
  listing none = {NULL, NULL, 0}; /* stops at the first, and has the number */
  dl_iterate_phdr(list_one, &none);
  if (none.loads && none.loads == atomic_load(&looked)) return false;
  const bool made = atomic_fetch_add(&looks, 1) >= MOST_LOOKS || files_tell();
  if (made) atomic_store(&known, true);
  else atomic_store(&looked, none.loads);
  return made;
}
