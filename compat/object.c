/* object.c: the objects that are loaded. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr1, _dl_find_object */
#endif
#include "compat/object.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

#ifdef __GLIBC_PREREQ
#if __GLIBC_PREREQ(2, 35)
#define FIND_OBJECT /* without the loader's lock */
#endif
#endif

/* dladdr looks for the nearest symbol too, which takes 80 µs in a program that exports 50,000 of them: too long for every plan. */
bool fg_object_at(const void *address, fg_object *o) {
#ifdef FIND_OBJECT
  struct dl_find_object at;
  if (_dl_find_object((void *)address, &at)) return false;
  *o = (fg_object){at.dlfo_map_start, at.dlfo_link_map};
#else
  Dl_info at;
  struct link_map *map;
  if (!dladdr1(address, &at, (void **)&map, RTLD_DL_LINKMAP)) return false;
  *o = (fg_object){at.dli_fbase, map};
#endif
  return true;
}

void fg_object_keep(const void *address) {
  fg_object at;
  if (!fg_object_at(address, &at) || !*at.map->l_name) return; /* the program itself is none that could be closed */
  dlopen(at.map->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  dlerror();
}

static uint32_t gnu_hash(const char *name) {
  uint32_t hash = 5381;
  for (; *name; name++) hash = hash * 33 + (unsigned char)*name;
  return hash;
}

static uint32_t plain_hash(const char *name) {
  uint32_t hash = 0;
  for (; *name; name++) {
    hash = (hash << 4) + (unsigned char)*name;
    hash = (hash ^ (hash >> 28 << 4)) & 0x0fffffff;
  }
  return hash;
}

/* By its own table of symbols (System V ABI; DT_GNU_HASH, or DT_HASH), since dlsym takes the loader's lock, which a
 * thread that waits for this one may have. */
void *fg_object_exports(const struct link_map *map, const char *name) {
  const ElfW(Sym) *symbols = NULL;
  const char *strings = NULL;
  const uint32_t *table = NULL, *plain = NULL;
  for (const ElfW(Dyn) *d = map->l_ld; d && d->d_tag != DT_NULL; d++) {
    const void *const at = fg_object_address(map, d);
    if (d->d_tag == DT_SYMTAB) symbols = at;
    if (d->d_tag == DT_STRTAB) strings = at;
    if (d->d_tag == DT_GNU_HASH) table = at;
    if (d->d_tag == DT_HASH) plain = at;
  }
  if (!symbols || !strings) return NULL;
  if (!table && plain && plain[0] > 0) {
    const uint32_t *const buckets = plain + 2, *const chains = buckets + plain[0];
    for (uint32_t i = buckets[plain_hash(name) % plain[0]]; i; i = chains[i])
      if (!strcmp(strings + symbols[i].st_name, name) && symbols[i].st_shndx != SHN_UNDEF)
        return (void *)(map->l_addr + symbols[i].st_value);
  }
  if (!table || table[0] == 0) return NULL;
  const uint32_t *const buckets = table + 4 + table[2] * (sizeof(ElfW(Addr)) / sizeof *table);
  const uint32_t *const chains = buckets + table[0];
  const uint32_t hash = gnu_hash(name);
  uint32_t i = buckets[hash % table[0]];
  for (bool last = i < table[1]; !last; i++) {
    const uint32_t chain = chains[i - table[1]];
    if ((chain | 1) == (hash | 1) && !strcmp(strings + symbols[i].st_name, name) && symbols[i].st_shndx != SHN_UNDEF)
      return (void *)(map->l_addr + symbols[i].st_value);
    last = chain & 1;
  }
  return NULL;
}
