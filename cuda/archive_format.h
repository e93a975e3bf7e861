/* archive_format.h: the kernel archive's bytes; for archive.c and archive_write.c. */
#ifndef FG_ARCHIVE_FORMAT_H
#define FG_ARCHIVE_FORMAT_H

#include <stdint.h>

#include "cuda/archive.h"

static const char fg_archive_magic[8] = {'f', 'g', 'k', 'e', 'r', 'n', '0', '1'};

/* Some bytes of the file, as they are packed, and what they become. */
typedef struct {
  uint64_t offset, checksum; /* checksum: of the packed bytes */
  uint32_t packed, bytes;
} fg_archive_piece;

typedef struct {
  char magic[8];
  uint64_t checksum; /* of the header with this one zero, then the index */
  uint64_t sources;
  uint64_t file_bytes;
  char compiler[64];
  uint32_t count, dictionaries;
  fg_archive_piece dictionary[FG_ARCHIVE_KINDS]; /* packed against none */
} fg_archive_header;

typedef struct {
  uint64_t hash; /* of the key */
  fg_archive_piece body;
  uint32_t kind, key_bytes; /* key_bytes: with its zero, at the beginning of the body */
} fg_archive_entry_record;

#endif
