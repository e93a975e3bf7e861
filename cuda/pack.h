/* pack.h: bytes made smaller by references to what came before, in them or in a dictionary that both sides know.
 *
 * Compiled kernels repeat each other: against a few of their kind most of one is references.  No entropy coding: it is
 * for the kernel archive, whose reader is to be small, quick and safe on any input. */
#ifndef FG_PACK_H
#define FG_PACK_H

#include <stdbool.h>
#include <stddef.h>

/* A dictionary may be any bytes; NULL and 0: none.  Dictionary and data together are below 2^31 bytes. */
typedef struct {
  const void *data;
  size_t bytes;
} fg_dictionary;

/* The packed form of from, malloc'd, its size in *packed; NULL on lack of memory. */
void *fg_pack(fg_dictionary, const void *from, size_t bytes, size_t *packed);

/* Fill to with exactly bytes bytes; false if from is not what fg_pack made of so many with that dictionary.  Nothing
 * outside of the three arrays is touched whatever from holds. */
bool fg_unpack(fg_dictionary, const void *from, size_t packed, void *to, size_t bytes);

#endif
