/* store.c: compiled kernels on disk.  One entry is one file,
 *
 *     fg-HASHSUFFIX = header, key text, blob          (fg-0123456789abcdef.cubin)
 *
 * HASH being that of the key.  Readers check everything, so writers need no lock and no fsync: a file is complete under
 * its name because rename is atomic, and one that a crash tore is refused by its checksum.  Nothing here holds a lock,
 * so that a fork at any moment leaves the child a working store. */
#include "config.h"

#include "cuda/store.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cuda/backend.h"
#include "src/report/log.h"
#include "src/report/quietly.h"
#include "src/report/settings.h"

#define ENTRY_PREFIX "fg-"
#define HASH_DIGITS 16
#define TEMPORARY_PREFIX ".fg-"

static const char file_magic[8] = {'f', 'g', 's', 't', 'o', 'r', 'e', '1'};

typedef struct {
  char magic[8];
  uint64_t key_bytes, blob_bytes;
  uint64_t checksum; /* of key, then blob */
} header;

uint64_t fg_hash(uint64_t seed, const void *data, size_t bytes) {
  const unsigned char *byte = data;
  uint64_t hash = seed ? seed : UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < bytes; ++i) hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
  return hash;
}

static uint64_t sources_hash;

static void hash_sources(void) {
  uint64_t hash = 0;
  for (const fg_embedded *file = fg_embedded_sources; file->name; ++file) {
    hash = fg_hash(hash, file->name, strlen(file->name) + 1);
    hash = fg_hash(hash, file->text, strlen(file->text) + 1);
  }
  sources_hash = hash;
}

uint64_t fg_store_sources_hash(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, hash_sources);
  return sources_hash;
}

/* ---- the folder ---- */

static char *join(const char *folder, const char *name) {
  char *path;
  return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

/* A relative path is fixed now: the program may change its directory later. */
static char *absolute(const char *path) {
  char *here, *whole;
  if (path[0] == '/') return strdup(path);
  here = getcwd(NULL, 0);
  whole = here ? join(here, path) : NULL;
  free(here);
  return whole;
}

static bool is_folder(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static char *choose_folder(void) {
  const char *setting = fg_settings_get()->cache, *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  if (getauxval(AT_SECURE)) return NULL; /* who started a set-uid program must not choose what it loads */
  if (setting && *setting) return absolute(setting);
  if (xdg && xdg[0] == '/') return join(xdg, "fftw3-gpu");
  if (home && home[0] == '/' && is_folder(home)) return join(home, ".cache/fftw3-gpu");
  return NULL;
}

static pthread_once_t folder_once = PTHREAD_ONCE_INIT;
static char *the_folder;

static void find_folder(void) { the_folder = choose_folder(); }

const char *fg_store_folder(void) {
  int saved = errno;
  pthread_once(&folder_once, find_folder);
  errno = saved;
  return the_folder;
}

static void make_one(const char *path, int *error) {
  if (mkdir(path, 0700) && errno != EEXIST && !*error) *error = errno;
}

/* mkdir -p: every missing folder on the way, for this user alone.  0, or errno's value of the first that failed. */
static int make_folder(const char *folder) {
  char *path = strdup(folder);
  int error = 0;
  if (!path) return ENOMEM;
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    make_one(path, &error);
    *slash = '/';
  }
  make_one(path, &error);
  free(path);
  return is_folder(folder) ? 0 : error ? error : ENOTDIR;
}

static char *entry_path(const char *folder, const char *key, const char *suffix) {
  char *path;
  unsigned long long hash = fg_hash(0, key, strlen(key));
  return asprintf(&path, "%s/" ENTRY_PREFIX "%016llx%s", folder, hash, suffix) < 0 ? NULL : path;
}

/* ---- reading ---- */

static bool read_all(int file, void *to, size_t bytes) {
  char *at = to;
  while (bytes > 0) {
    ssize_t got = read(file, at, bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    bytes -= (size_t)got;
  }
  return true;
}

static bool trusted(const struct stat *status) {
  return S_ISREG(status->st_mode) && (status->st_uid == geteuid() || status->st_uid == 0) &&
         !(status->st_mode & (S_IWGRP | S_IWOTH));
}

/* The sizes in the header must add up to the file's, compared so that no sum can overflow. */
static bool header_fits(const header *head, const char *key, size_t file_bytes) {
  size_t key_bytes = strlen(key);
  return memcmp(head->magic, file_magic, sizeof file_magic) == 0 && head->key_bytes == key_bytes &&
         file_bytes - sizeof *head >= key_bytes && head->blob_bytes == file_bytes - sizeof *head - key_bytes;
}

/* Key and blob in one buffer, checked; NULL if anything is not as it was written. */
static char *read_body(int file, const char *key, header *head) {
  struct stat status;
  char *body;
  size_t bytes;
  if (fstat(file, &status) || !trusted(&status) || (size_t)status.st_size < sizeof *head) return NULL;
  if (!read_all(file, head, sizeof *head) || !header_fits(head, key, (size_t)status.st_size)) return NULL;
  bytes = (size_t)status.st_size - sizeof *head;
  body = malloc(bytes + 1);
  if (body && read_all(file, body, bytes) && memcmp(body, key, head->key_bytes) == 0 &&
      fg_hash(0, body, bytes) == head->checksum)
    return body;
  free(body);
  return NULL;
}

static int get_from(const char *path, const char *key, void **blob, size_t *bytes) {
  header head;
  char *body;
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* O_NONBLOCK: a pipe of that name must not hold us */
  if (file < 0) return -1;
  body = read_body(file, key, &head);
  if (body) futimens(file, NULL); /* used now: fg_store_trim removes the others first */
  close(file);
  if (!body) return -1;
  memmove(body, body + head.key_bytes, head.blob_bytes);
  *blob = body;
  *bytes = head.blob_bytes;
  return 0;
}

int fg_store_get(const char *key, const char *suffix, void **blob, size_t *bytes) {
  int saved = errno, result;
  const char *folder = fg_store_folder();
  char *path = folder ? entry_path(folder, key, suffix) : NULL;
  result = path ? get_from(path, key, blob, bytes) : -1;
  free(path);
  errno = saved;
  return result;
}

bool fg_store_has(const char *key, const char *suffix) {
  int saved = errno;
  struct stat status;
  const char *folder = fg_store_folder();
  char *path = folder ? entry_path(folder, key, suffix) : NULL;
  bool found = path && stat(path, &status) == 0 && trusted(&status);
  free(path);
  errno = saved;
  return found;
}

/* ---- writing ---- */

static bool write_entry(int file, const char *key, const void *blob, size_t bytes) {
  header head = {.key_bytes = strlen(key), .blob_bytes = bytes};
  memcpy(head.magic, file_magic, sizeof file_magic);
  head.checksum = fg_hash(fg_hash(0, key, head.key_bytes), blob, bytes);
  return fg_write_quietly(file, &head, sizeof head, -1) && fg_write_quietly(file, key, head.key_bytes, -1) &&
         fg_write_quietly(file, blob, bytes, -1);
}

/* A new file in the folder, made if it is missing, and its name (to be freed); else errno's value in *error. */
static int open_temporary(const char *folder, char **name, int *error) {
  *name = NULL;
  *error = make_folder(folder);
  if (*error) return -1;
  *name = join(folder, TEMPORARY_PREFIX "XXXXXX");
  const int file = *name ? mkostemp(*name, O_CLOEXEC) : -1;
  if (file < 0) *error = *name ? errno : ENOMEM;
  return file;
}

/* Returns errno's value, 0 for success and where another process removed the file. */
static int put_in(int file, const char *temporary, const char *path, const char *key, const void *blob,
                  size_t bytes) {
  errno = EFBIG;
  const bool written = write_entry(file, key, blob, bytes);
  const int error = written ? 0 : errno;
  if (!close(file) && written && !rename(temporary, path)) return 0;
  const int later = errno;
  unlink(temporary);
  if (written && later == ENOENT) return 0;
  return error ? error : later ? later : EIO;
}

static void tell_trouble(const char *folder, int error) {
  static atomic_flag told = ATOMIC_FLAG_INIT;
  if (atomic_flag_test_and_set(&told)) return;
  if (fg_settings_get()->cache) fg_log_setting("FFTW3_GPU_CACHE", folder, fg_error_text(error));
  else fg_log(FG_LOG_WARN, "compiled kernels are not kept in %s: %s", folder, fg_error_text(error));
}

const char *fg_store_trouble(void) {
  const char *folder = fg_store_folder();
  char *temporary;
  int error, file;
  if (!folder) return "no folder";
  file = open_temporary(folder, &temporary, &error);
  if (file >= 0) {
    close(file);
    unlink(temporary);
  }
  free(temporary);
  return file >= 0 ? NULL : fg_error_text(error);
}

/* Listing a large folder takes longer than writing an entry, on a network much longer: a process does it when it
 * puts its first entry, and then once for every so many bytes. */
static void trim_now_and_then(size_t bytes) {
  static atomic_size_t since = FG_STORE_CAP;
  if (atomic_fetch_add(&since, bytes) + bytes < FG_STORE_CAP / 32) return;
  atomic_store(&since, 0);
  fg_store_trim(FG_STORE_CAP);
}

void fg_store_put(const char *key, const char *suffix, const void *blob, size_t bytes) {
  int saved = errno;
  const char *folder = fg_store_folder();
  char *path = folder ? entry_path(folder, key, suffix) : NULL, *temporary = NULL;
  int error = 0, file = path ? open_temporary(folder, &temporary, &error) : -1;
  if (file >= 0) {
    error = put_in(file, temporary, path, key, blob, bytes);
    trim_now_and_then(bytes);
  }
  if (error) tell_trouble(folder, error);
  free(temporary);
  free(path);
  errno = saved;
}

/* ---- text files beside the kernels ---- */

int fg_store_write(const char *name, const char *text, size_t bytes) {
  const char *folder = fg_store_folder();
  char *path = folder ? join(folder, name) : NULL, *temporary = NULL;
  int error = folder ? ENOMEM : ENOENT, file = path ? open_temporary(folder, &temporary, &error) : -1;
  if (file >= 0) {
    const bool written = fg_write_quietly(file, text, bytes, -1);
    if (close(file) || !written || rename(temporary, path)) {
      error = errno ? errno : EIO;
      unlink(temporary);
    }
  }
  free(temporary);
  free(path);
  return error;
}

static char *read_text(int file) {
  struct stat status;
  if (fstat(file, &status) || !trusted(&status) || (size_t)status.st_size > FG_STORE_TEXT) return NULL;
  char *text = calloc(1, (size_t)status.st_size + 1);
  if (text && read_all(file, text, (size_t)status.st_size)) return text;
  free(text);
  return NULL;
}

char *fg_store_read(const char *name) {
  int saved = errno;
  const char *folder = fg_store_folder();
  char *path = folder ? join(folder, name) : NULL;
  int file = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
  char *text = file >= 0 ? read_text(file) : NULL;
  if (file >= 0) close(file);
  free(path);
  errno = saved;
  return text;
}

/* ---- trimming ---- */

typedef struct {
  char name[NAME_MAX + 1];
  size_t bytes;
  struct timespec used;
} entry;

typedef struct {
  entry *at;
  size_t count, room, bytes;
} entry_list;

/* FFTW3_GPU_CACHE may name a folder that holds other things: only names exactly like ours count. */
static bool ours(const char *name) {
  const char *temporary = TEMPORARY_PREFIX, *prefix = ENTRY_PREFIX;
  size_t digits = 0;
  if (!strncmp(name, temporary, strlen(temporary))) return strlen(name) == strlen(temporary) + 6;
  if (strncmp(name, prefix, strlen(prefix))) return false;
  while (isxdigit((unsigned char)name[strlen(prefix) + digits])) ++digits;
  return digits == HASH_DIGITS && name[strlen(prefix) + digits] == '.';
}

static void list_add(entry_list *list, const char *name, const struct stat *status) {
  if (list->count == list->room) {
    size_t room = list->room ? 2 * list->room : 64;
    entry *more = realloc(list->at, room * sizeof *more);
    if (!more) return;
    list->at = more;
    list->room = room;
  }
  entry *new = &list->at[list->count++];
  snprintf(new->name, sizeof new->name, "%s", name);
  new->bytes = (size_t)status->st_size;
  new->used = status->st_mtim;
  list->bytes += new->bytes;
}

static void list_folder(entry_list *list, DIR *folder) {
  const struct dirent *file;
  struct stat status;
  while ((file = readdir(folder)))
    if (ours(file->d_name) && fstatat(dirfd(folder), file->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(status.st_mode))
      list_add(list, file->d_name, &status);
}

static int older_first(const void *a, const void *b) {
  const struct timespec *x = &((const entry *)a)->used, *y = &((const entry *)b)->used;
  if (x->tv_sec != y->tv_sec) return x->tv_sec < y->tv_sec ? -1 : 1;
  return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

void fg_store_trim(size_t cap) {
  int saved = errno;
  entry_list list = {0};
  const char *path = fg_store_folder();
  DIR *folder = path ? opendir(path) : NULL;
  if (folder) {
    list_folder(&list, folder);
    if (list.bytes > cap) {
      qsort(list.at, list.count, sizeof *list.at, older_first);
      for (size_t i = 0; i < list.count && list.bytes > cap; list.bytes -= list.at[i++].bytes)
        unlinkat(dirfd(folder), list.at[i].name, 0);
    }
    closedir(folder);
  }
  free(list.at);
  errno = saved;
}
