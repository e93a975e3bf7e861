/* object.h: the objects that are loaded, the program, libraries and plugins. */
#ifndef FG_COMPAT_OBJECT_H
#define FG_COMPAT_OBJECT_H

#include <link.h>
#include <stdbool.h>

/* Where it begins, and what the loader says of it (of the program itself the file is ""). */
typedef struct {
  const void *base;
  const struct link_map *map;
} fg_object;

/* That which address is in. */
bool fg_object_at(const void *address, fg_object *);

/* What an entry of its dynamic section points to: some loaders leave addresses as in the file. */
static inline const void *fg_object_address(const struct link_map *map, const ElfW(Dyn) *d) {
  return (const void *)(d->d_un.d_ptr < map->l_addr ? d->d_un.d_ptr + map->l_addr : d->d_un.d_ptr);
}

/* Keep that which address is in loaded, whatever the program closes. */
void fg_object_keep(const void *address);

/* What the object itself exports under that name, or NULL. */
void *fg_object_exports(const struct link_map *, const char *name);

#endif
