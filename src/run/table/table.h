/* table.h: tables of constant factors on the device, one of each kind for all plans. */
#ifndef FG_TABLE_H
#define FG_TABLE_H

#include "src/pass/pass.h"
#include "src/run/target.h"

typedef struct fg_device_table fg_device_table;

/* The table on the device, computed and copied there by the first who asks.  Each get needs one release. */
int fg_table_get(const fg_target *, const fg_table *, fg_device_table **table);
void fg_table_release(const fg_target *, fg_device_table *table);
const void *fg_table_memory(const fg_device_table *table);

/* Entries (complex; POWERS: int) of a table, their bytes, and its content computed on the host, malloc'd; NULL on lack of
 * memory. */
size_t fg_table_entries(const fg_table *);
size_t fg_table_bytes(const fg_table *);
void *fg_table_compute(const fg_table *);

#endif
