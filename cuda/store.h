/* store.h: compiled kernels on disk, shared by the backends.
 *
 * An entry is a blob (a cubin, a shared object) under a key: a text that holds everything the blob depends on (sources'
 * hash, constants, device architecture, compiler).  Folder: FFTW3_GPU_CACHE, else $XDG_CACHE_HOME/fftw3-gpu, else
 * ~/.cache/fftw3-gpu if there is a home.  No folder, a full or read-only disk: the store forgets, and says so once if
 * the folder was set. */
#ifndef FG_STORE_H
#define FG_STORE_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

/* 64-bit FNV-1a, continued from seed (0: start). */
uint64_t fg_hash(uint64_t seed, const void *data, size_t bytes);

/* Hash of all embedded kernel sources: part of every key. */
uint64_t fg_store_sources_hash(void);

/* suffix: the kind of blob, ".cubin", ".so".
 *
 * Find key: a malloc'd blob in *blob and its size; 0 if found, -1 if not.  A damaged or foreign file is not found: an
 * entry must belong to this user (or to root) and be writable by nobody else, because it will be run. */
int fg_store_get(const char *key, const char *suffix, void **blob, size_t *bytes);

/* Whether it would probably be found: there is such a file of this user's. */
bool fg_store_has(const char *key, const char *suffix);

/* Keep a blob (written to a temporary name, then renamed).  The folder is made when it is missing. */
void fg_store_put(const char *key, const char *suffix, const void *blob, size_t bytes);

/* A small text file of another kind in the same folder, under its own name and never trimmed: write it whole (0, or
 * errno's value), read it (malloc'd; NULL if it is missing, of another user, or larger than FG_STORE_TEXT). */
int fg_store_write(const char *name, const char *text, size_t bytes);
char *fg_store_read(const char *name);
#define FG_STORE_TEXT ((size_t)64 << 10)

/* Remove the entries longest unused until at most cap bytes are left.  Files that are not the store's are never
 * touched.  fg_store_put does this by itself with FG_STORE_CAP: at first, and again after a 32nd of it was put. */
void fg_store_trim(size_t cap);
#define FG_STORE_CAP ((size_t)512 << 20)

/* The folder in use (absolute; it may not exist yet), or NULL.  Decided at the first call. */
const char *fg_store_folder(void);

/* Make the folder if it is missing and try to write there: NULL, or why nothing can be kept in it. */
const char *fg_store_trouble(void);

#endif
