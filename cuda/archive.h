/* archive.h: many compiled kernels in one file, written once at build time, read by any number of processes.
 *
 *     header, index (sorted by hash), dictionaries, bodies
 *
 * A body is the key's text and the blob, packed (cuda/pack.h) against the dictionary of its kind.  The numbers are this
 * machine's, as the kernels are this library's.  What opens with a foreign magic, other kernel sources, a size that is
 * not the file's, or a checksum that does not fit is refused as a whole; a body that has changed since is not found. */
#ifndef FG_ARCHIVE_H
#define FG_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct fg_archive fg_archive;

/* Read the index of the archive at path, made of the kernel sources with that hash.  NULL: *why is a few words, a
 * literal.  The file is not kept open: bodies are read when they are asked for. */
fg_archive *fg_archive_open(const char *path, uint64_t sources, const char **why);
void fg_archive_close(fg_archive *);

/* Find key: a malloc'd blob and its size; 0 if found, -1 if not. */
int fg_archive_get(const fg_archive *, const char *key, void **blob, size_t *bytes);

/* Whether it is in the index. */
bool fg_archive_has(const fg_archive *, const char *key);

int fg_archive_count(const fg_archive *);
const char *fg_archive_compiler(const fg_archive *); /* as its writer said */

/* Entry i (0 <= i < count), in no order that means anything: key and blob in one malloc'd block, the key first and
 * ended by a zero.  NULL if it cannot be read. */
char *fg_archive_entry(const fg_archive *, int i, void **blob, size_t *bytes);

/* ---- writing ---- */

/* One kernel; those of a kind (small numbers from 0, below FG_ARCHIVE_KINDS) are likely to resemble each other. */
typedef struct {
  const char *key;
  const void *blob;
  size_t bytes;
  int kind;
} fg_archive_item;

enum { FG_ARCHIVE_KINDS = 8 };

/* Write an archive of items, whose keys all differ, to a temporary file beside path, then rename it.  compiler: up to
 * 63 characters, for people.  0 or errno's value. */
int fg_archive_write(const char *path, uint64_t sources, const char *compiler, const fg_archive_item *items, int count);

#endif
