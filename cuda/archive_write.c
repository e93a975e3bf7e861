/* archive_write.c: writing the kernel archive, at build time only. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cuda/archive_format.h"
#include "cuda/pack.h"
#include "cuda/store.h"

enum { IN_DICTIONARY = 2 }; /* items of a kind, whole: more gain little and are unpacked for every kernel */

typedef struct {
  FILE *file;
  fg_archive_header head;
  fg_archive_entry_record *index;
  char *dictionary[FG_ARCHIVE_KINDS];
  uint64_t at;
} writer;

/* Key, zero, blob; malloc'd. */
static char *body_of(const fg_archive_item *item, size_t *bytes) {
  const size_t key_bytes = strlen(item->key) + 1;
  char *body = malloc(key_bytes + item->bytes);
  *bytes = key_bytes + item->bytes;
  if (!body) return NULL;
  memcpy(body, item->key, key_bytes);
  memcpy(body + key_bytes, item->blob, item->bytes);
  return body;
}

static bool put_piece(writer *w, fg_dictionary d, const void *data, size_t bytes, fg_archive_piece *piece) {
  size_t packed = 0;
  void *small = fg_pack(d, data, bytes, &packed);
  const bool put = small && fwrite(small, 1, packed, w->file) == packed;
  *piece = (fg_archive_piece){w->at, small ? fg_hash(0, small, packed) : 0, (uint32_t)packed, (uint32_t)bytes};
  w->at += packed;
  free(small);
  return put;
}

/* The items of that kind that lie a third and two thirds through the list: the first may be unlike the others. */
static bool gather(writer *w, int kind, const fg_archive_item *items, int count, size_t *bytes) {
  int all = 0, seen = 0;
  *bytes = 0;
  for (int i = 0; i < count; i++) all += items[i].kind == kind;
  for (int i = 0, taken = 0; i < count && taken < IN_DICTIONARY; i++) {
    if (items[i].kind != kind || seen++ < (taken + 1) * all / (IN_DICTIONARY + 1)) continue;
    size_t more;
    char *body = body_of(&items[i], &more), *grown = realloc(w->dictionary[kind], *bytes + more);
    if (grown) w->dictionary[kind] = grown;
    if (grown && body) memcpy(grown + *bytes, body, more);
    free(body);
    if (!grown || !body) return false;
    *bytes += more;
    taken++;
  }
  return true;
}

static bool put_dictionaries(writer *w, const fg_archive_item *items, int count) {
  for (int i = 0; i < count; i++)
    if (items[i].kind >= (int)w->head.dictionaries) w->head.dictionaries = (uint32_t)items[i].kind + 1;
  for (int kind = 0; kind < (int)w->head.dictionaries; kind++) {
    size_t bytes;
    if (!gather(w, kind, items, count, &bytes)) return false;
    if (!put_piece(w, (fg_dictionary){NULL, 0}, w->dictionary[kind], bytes, &w->head.dictionary[kind])) return false;
  }
  return true;
}

static bool put_body(writer *w, const fg_archive_item *item, fg_archive_entry_record *e) {
  size_t bytes;
  char *body = body_of(item, &bytes);
  const fg_dictionary d = {w->dictionary[item->kind], w->head.dictionary[item->kind].bytes};
  e->hash = fg_hash(0, item->key, strlen(item->key));
  e->kind = (uint32_t)item->kind;
  e->key_bytes = (uint32_t)strlen(item->key) + 1;
  const bool put = body && put_piece(w, d, body, bytes, &e->body);
  free(body);
  return put;
}

static int by_hash(const void *a, const void *b) {
  const uint64_t x = ((const fg_archive_entry_record *)a)->hash, y = ((const fg_archive_entry_record *)b)->hash;
  return (x > y) - (x < y);
}

/* Header and index come last, in the room left for them. */
static bool put_front(writer *w) {
  const size_t count = w->head.count;
  qsort(w->index, count, sizeof *w->index, by_hash);
  w->head.file_bytes = w->at;
  w->head.checksum = fg_hash(fg_hash(0, &w->head, sizeof w->head), w->index, count * sizeof *w->index);
  rewind(w->file);
  return fwrite(&w->head, sizeof w->head, 1, w->file) == 1 && fwrite(w->index, sizeof *w->index, count, w->file) == count;
}

static bool put_all(writer *w, const fg_archive_item *items, int count) {
  w->index = calloc((size_t)count + 1, sizeof *w->index);
  w->at = sizeof w->head + (size_t)count * sizeof *w->index;
  if (!w->index || fseek(w->file, (long)w->at, SEEK_SET) || !put_dictionaries(w, items, count)) return false;
  for (int i = 0; i < count; i++)
    if (!put_body(w, &items[i], &w->index[i])) return false;
  return put_front(w);
}

static int write_to(const char *path, writer *w, const fg_archive_item *items, int count) {
  errno = 0;
  w->file = fopen(path, "wb");
  if (!w->file) return errno;
  bool good = put_all(w, items, count);
  good = fclose(w->file) == 0 && good;
  good = good && chmod(path, 0644) == 0;
  for (int kind = 0; kind < FG_ARCHIVE_KINDS; kind++) free(w->dictionary[kind]);
  free(w->index);
  return good ? 0 : errno ? errno : EIO;
}

int fg_archive_write(const char *path, uint64_t sources, const char *compiler, const fg_archive_item *items,
                     int count) {
  writer w = {.head = {.sources = sources, .count = (uint32_t)count}};
  char *temporary;
  memcpy(w.head.magic, fg_archive_magic, sizeof w.head.magic);
  snprintf(w.head.compiler, sizeof w.head.compiler, "%s", compiler);
  if (asprintf(&temporary, "%s.new", path) < 0) return ENOMEM;
  int error = write_to(temporary, &w, items, count);
  if (!error && rename(temporary, path)) error = errno;
  if (error) unlink(temporary);
  free(temporary);
  return error;
}
