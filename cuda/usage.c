/* usage.c: the attributes of a cubin, which is an ELF file. */
#include "cuda/usage.h"

#include <elf.h>
#include <string.h>

enum { FORMAT_SIZED = 4, FRAME_SIZE = 0x11, REGISTER_COUNT = 0x2f }; /* the only format that those two have */

static bool read_attributes(const unsigned char *at, const unsigned char *end, fg_usage *u) {
  bool found = false;
  while (end - at >= 4) {
    const unsigned size = at[0] == FORMAT_SIZED ? at[2] | (unsigned)at[3] << 8 : 0;
    unsigned value;
    if (size + 4 > (size_t)(end - at)) break;
    if (size >= 8) memcpy(&value, at + 8, sizeof value);
    if (size >= 8 && at[1] == FRAME_SIZE) u->spilled = value;
    if (size >= 8 && at[1] == REGISTER_COUNT) {
      u->registers = value;
      found = true;
    }
    at += 4 + size;
  }
  return found;
}

/* Section i of the file; false where it lies outside. */
static bool section_of(const unsigned char *file, size_t bytes, const Elf64_Ehdr *header, int i, Elf64_Shdr *section) {
  if (header->e_shoff > bytes || (bytes - header->e_shoff) / sizeof *section <= (size_t)i) return false;
  memcpy(section, file + header->e_shoff + (size_t)i * sizeof *section, sizeof *section);
  return section->sh_offset <= bytes && section->sh_size <= bytes - section->sh_offset;
}

static bool is_called(const unsigned char *file, const Elf64_Shdr *section, const Elf64_Shdr *names, const char *name) {
  const size_t size = strlen(name) + 1;
  return section->sh_name < names->sh_size && names->sh_size - section->sh_name >= size
         && !memcmp(file + names->sh_offset + section->sh_name, name, size);
}

bool fg_usage_of(const void *cubin, size_t bytes, fg_usage *u) {
  const unsigned char *const file = cubin;
  Elf64_Ehdr header;
  Elf64_Shdr section, names;
  memset(u, 0, sizeof *u);
  if (bytes < sizeof header || memcmp(cubin, ELFMAG, SELFMAG) != 0) return false;
  memcpy(&header, cubin, sizeof header);
  if (!section_of(file, bytes, &header, header.e_shstrndx, &names)) return false;
  for (int i = 1; i < header.e_shnum; i++)
    if (section_of(file, bytes, &header, i, &section) && is_called(file, &section, &names, ".nv.info"))
      return read_attributes(file + section.sh_offset, file + section.sh_offset + section.sh_size, u);
  return false;
}
