/* kernel.h: from a pass to its kernel: the constants it is compiled with, the arguments and the grid of a launch. */
#ifndef FG_KERNEL_H
#define FG_KERNEL_H

#include "src/pass/pass.h"

#define FG_DEFINES_SIZE 3072

/* The kernel of p.  defines must hold FG_DEFINES_SIZE characters and live as long as the request. */
fg_kernel_request fg_kernel_request_of(const fg_pass *p, char *defines);

/* Device memory of the arrays; im is used of split arrays only. */
typedef struct {
  void *re, *im;
} fg_planes;

/* The tables that a pass may use. */
enum fg_pass_table {
  FG_OF_STAGES,
  FG_OF_HIGH,
  FG_OF_LOW,
  FG_OF_LOAD,
  FG_OF_STORE,
  FG_OF_FILTER,
  FG_OF_FORM,
  FG_OF_HALF_ROW,
  FG_OF_ORDER,
  FG_OF_BOX, /* between the stages of each dimension */
  FG_PASS_TABLES = FG_OF_BOX + FG_MAX_BOX
};

/* Those that p uses; kind FG_TABLE_NONE where it uses none. */
void fg_pass_table_list(const fg_pass *p, fg_table list[FG_PASS_TABLES]);

/* Of a loop of n points, 1 ≤ n < 2³¹; others are not divided by it. */
fg_divisor fg_divisor_of(long long n);

/* All that a launch needs beside the kernel; bytes: of the arguments that the kernel takes; first_in, first_out: how far
 * the first block's element is behind the pass' first, in elements. */
typedef struct {
  unsigned grid, threads;
  size_t shared, bytes;
  ptrdiff_t first_in, first_out;
  fg_tile_args args;
} fg_launch;

/* Of p, without its arrays: tables are the device memory of that list, NULL where p uses none. */
fg_launch fg_launch_of(const fg_pass *p, const void *const tables[FG_PASS_TABLES]);

/* Let the blocks of such a launch begin with the last turn of the outermost loop, which is a batch's where there are more:
 * what the pass before has written last is still in the L2.  Not where tables go with that loop. */
void fg_launch_turn_round(fg_launch *l, const fg_pass *p);

/* Put the arrays into a copy of the launch's arguments.  p is that of fg_launch_of, or the same with other arrays. */
void fg_launch_place(fg_tile_args *args, const fg_launch *l, const fg_pass *p, const fg_planes arrays[FG_ARRAYS]);

unsigned fg_kernel_grid(const fg_pass *p);

#endif
