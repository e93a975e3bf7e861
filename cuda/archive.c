/* archive.c: reading the kernel archive.
 *
 * Only the index is kept in memory.  A mapping would be shorter, but a file that is cut short under it ends the program
 * with a signal, and a descriptor that stays open may be closed by the program, which then owns its number. */
#include "config.h"

#include "cuda/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cuda/archive_format.h"
#include "cuda/pack.h"
#include "cuda/store.h"

struct fg_archive {
  char *path;
  fg_archive_header head;
  fg_archive_entry_record *index;
};

/* ---- opening ---- */

static bool read_at(int file, void *to, size_t bytes, uint64_t offset) {
  char *at = to;
  while (bytes > 0) {
    const ssize_t got = pread(file, at, bytes, (off_t)offset);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    offset += (uint64_t)got;
    bytes -= (size_t)got;
  }
  return true;
}

/* O_NONBLOCK: a pipe of that name must not hold us. */
static int open_file(const char *path) { return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); }

/* NULL, or why not.  The counts are small enough for the sums that follow not to overflow. */
static const char *bad_header(const fg_archive_header *h, uint64_t sources, const struct stat *status) {
  const uint32_t most = 1 << 20;
  if (memcmp(h->magic, fg_archive_magic, sizeof h->magic)) return "not a kernel archive";
  if (h->sources != sources) return "of other kernel sources than the library's";
  if (h->file_bytes != (uint64_t)status->st_size) return "cut short";
  if (h->count > most || h->dictionaries > FG_ARCHIVE_KINDS || memchr(h->compiler, 0, sizeof h->compiler) == NULL)
    return "damaged";
  return NULL;
}

static uint64_t checksum_of(const fg_archive *a) {
  fg_archive_header h = a->head;
  h.checksum = 0;
  return fg_hash(fg_hash(0, &h, sizeof h), a->index, a->head.count * sizeof *a->index);
}

/* It will be run: nobody may write to it but its owner, who could as well have changed the library beside it. */
static bool trusted(const struct stat *status) {
  return S_ISREG(status->st_mode) && !(status->st_mode & (S_IWGRP | S_IWOTH));
}

static const char *read_index(fg_archive *a, int file, uint64_t sources) {
  struct stat status;
  if (fstat(file, &status) || !trusted(&status)) return "not a file that only its owner may write to";
  if (!read_at(file, &a->head, sizeof a->head, 0)) return "cut short";
  const char *bad = bad_header(&a->head, sources, &status);
  if (bad) return bad;
  const size_t bytes = a->head.count * sizeof *a->index;
  a->index = malloc(bytes + 1);
  if (!a->index) return "out of memory";
  if (!read_at(file, a->index, bytes, sizeof a->head)) return "cut short";
  return checksum_of(a) == a->head.checksum ? NULL : "damaged";
}

fg_archive *fg_archive_open(const char *path, uint64_t sources, const char **why) {
  const int saved = errno, file = open_file(path);
  fg_archive *a = calloc(1, sizeof *a);
  *why = file < 0 ? "cannot be opened" : "out of memory";
  if (a) a->path = strdup(path);
  if (file >= 0 && a && a->path) *why = read_index(a, file, sources);
  if (file >= 0) close(file);
  errno = saved;
  if (!*why) return a;
  fg_archive_close(a);
  return NULL;
}

void fg_archive_close(fg_archive *a) {
  if (!a) return;
  free(a->index);
  free(a->path);
  free(a);
}

int fg_archive_count(const fg_archive *a) { return (int)a->head.count; }
const char *fg_archive_compiler(const fg_archive *a) { return a->head.compiler; }

/* ---- bodies ---- */

/* The piece's bytes, malloc'd with a zero behind them; NULL if they are not as they were written. */
static char *read_piece(int file, const fg_archive_piece *piece, fg_dictionary d) {
  const uint32_t most = UINT32_C(1) << 30;
  if (piece->packed > most || piece->bytes > most) return NULL;
  char *packed = malloc(piece->packed + 1), *whole = malloc(piece->bytes + 1);
  const bool good = packed && whole && read_at(file, packed, piece->packed, piece->offset) &&
                    fg_hash(0, packed, piece->packed) == piece->checksum &&
                    fg_unpack(d, packed, piece->packed, whole, piece->bytes);
  free(packed);
  if (good) whole[piece->bytes] = 0;
  if (good) return whole;
  free(whole);
  return NULL;
}

static char *read_body(const fg_archive *a, int file, const fg_archive_entry_record *e) {
  if (e->kind >= a->head.dictionaries) return NULL;
  const fg_archive_piece *piece = &a->head.dictionary[e->kind];
  char *dictionary = read_piece(file, piece, (fg_dictionary){NULL, 0});
  char *body = dictionary ? read_piece(file, &e->body, (fg_dictionary){dictionary, piece->bytes}) : NULL;
  free(dictionary);
  const bool good = body && e->key_bytes > 0 && e->key_bytes <= e->body.bytes && body[e->key_bytes - 1] == 0;
  if (good) return body;
  free(body);
  return NULL;
}

char *fg_archive_entry(const fg_archive *a, int i, void **blob, size_t *bytes) {
  const int saved = errno, file = open_file(a->path);
  const fg_archive_entry_record *e = &a->index[i];
  char *body = file >= 0 ? read_body(a, file, e) : NULL;
  if (file >= 0) close(file);
  errno = saved;
  if (!body) return NULL;
  *blob = body + e->key_bytes;
  *bytes = e->body.bytes - e->key_bytes;
  return body;
}

/* The first entry whose hash is not below that. */
static int first_of(const fg_archive *a, uint64_t hash) {
  int low = 0, high = (int)a->head.count;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (a->index[middle].hash < hash) low = middle + 1;
    else high = middle;
  }
  return low;
}

bool fg_archive_has(const fg_archive *a, const char *key) {
  const uint64_t hash = fg_hash(0, key, strlen(key));
  const int i = first_of(a, hash);
  return i < (int)a->head.count && a->index[i].hash == hash;
}

int fg_archive_get(const fg_archive *a, const char *key, void **blob, size_t *bytes) {
  const uint64_t hash = fg_hash(0, key, strlen(key));
  for (int i = first_of(a, hash); i < (int)a->head.count && a->index[i].hash == hash; i++) {
    char *body = fg_archive_entry(a, i, blob, bytes);
    if (body && !strcmp(body, key)) {
      memmove(body, *blob, *bytes + 1);
      *blob = body;
      return 0;
    }
    free(body);
  }
  return -1;
}
