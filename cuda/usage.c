/* usage.c: the attributes of a cubin, which is an ELF file, and what its instructions do to the stack. */
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

static bool name_begins(const unsigned char *file, const Elf64_Shdr *section, const Elf64_Shdr *names, const char *name,
                      size_t size) {
  return section->sh_name < names->sh_size && names->sh_size - section->sh_name >= size
         && !memcmp(file + names->sh_offset + section->sh_name, name, size);
}

/* Instructions, 16 bytes each from compute capability 7.0 on, with register 1 as their destination, which is the third byte; of what
 * branches and of barriers' moves that is a barrier (nvdisasm --print-instruction-encoding).  Not seen: the second half of a
 * destination of 64 bits, which begins with an even register. */
static int writes_to_stack_pointer(const unsigned char *code, size_t bytes) {
  enum { BYTES = 16, DESTINATION = 2, STACK_POINTER = 1 };
  enum { BRANCHES = 0x940, BRANCHES_END = 0x960, TO_BARRIER = 0x356, TO_BARRIERS_END = 0x358 };
  int count = 0;
  for (size_t at = 0; at + BYTES <= bytes; at += BYTES) {
    const int operation = code[at] | (code[at + 1] & 15) << 8;
    const bool branches = operation >= BRANCHES && operation < BRANCHES_END;
    const bool none = branches || (operation >= TO_BARRIER && operation < TO_BARRIERS_END);
    count += code[at + DESTINATION] == STACK_POINTER && !none;
  }
  return count;
}

bool fg_usage_of(const void *cubin, size_t bytes, fg_usage *u) {
  static const char attributes[] = ".nv.info", code[] = ".text.";
  enum { SET_UP = 2 }; /* its address, and room for what is spilled */
  const unsigned char *const file = cubin;
  Elf64_Ehdr header;
  Elf64_Shdr section, names;
  bool found = false;
  int writes = 0;
  memset(u, 0, sizeof *u);
  if (bytes < sizeof header || memcmp(cubin, ELFMAG, SELFMAG) != 0) return false;
  memcpy(&header, cubin, sizeof header);
  if (!section_of(file, bytes, &header, header.e_shstrndx, &names)) return false;
  for (int i = 1; i < header.e_shnum; i++) {
    if (!section_of(file, bytes, &header, i, &section)) continue;
    const unsigned char *const from = file + section.sh_offset;
    if (name_begins(file, &section, &names, attributes, sizeof attributes))
      found = read_attributes(from, from + section.sh_size, u);
    if (name_begins(file, &section, &names, code, sizeof code - 1)) writes += writes_to_stack_pointer(from, section.sh_size);
  }
  u->loses_stack = u->spilled && writes > SET_UP;
  return found;
}
