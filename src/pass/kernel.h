/* kernel.h: from a pass to its kernel: the constants it is compiled with, the arguments and the grid of a launch. */
#ifndef FG_KERNEL_H
#define FG_KERNEL_H

#include "src/pass/pass.h"

#define FG_DEFINES_SIZE 2048

/* The kernel of p.  defines must hold FG_DEFINES_SIZE characters and live as long as the request. */
fg_kernel_request fg_kernel_request_of(const fg_pass *p, char *defines);

/* Device memory of the arrays; im is used of split arrays only. */
typedef struct {
  void *re, *im;
} fg_planes;

/* Device memory of p's tables: all NULL that p does not use. */
typedef struct {
  const void *stages, *high, *low, *load, *store, *filter;
} fg_pass_tables;

/* The tables that p uses, in the order of fg_pass_tables; kind FG_TABLE_NONE where it uses none. */
void fg_pass_table_list(const fg_pass *p, fg_table list[6]);

fg_tile_args fg_kernel_args(const fg_pass *p, const fg_planes arrays[FG_ARRAYS], const fg_pass_tables *tables);
unsigned fg_kernel_grid(const fg_pass *p);

#endif
