/* pipeline.h: one execution of a program on arrays of the host: the steps of its schedule, overlapped.
 *
 * Arrivals, launches and departures go to a stream each, ordered by events. An array in memory of the arena's, without
 * gaps or with some between its rows only, is reached by DMA directly; any other through a ring of pinned staging pieces,
 * which the calling thread and the movers fill and drain while other pieces are on the link. */
#ifndef FG_PIPELINE_H
#define FG_PIPELINE_H

#include "src/run/program.h"

/* As fg_program_execute_partly, for a program that has something to do; rest: NULL if nobody can finish one. */
enum fg_outcome fg_pipeline_run(const fg_program *, const fg_arrays *, fg_rest *rest);

/* Bytes of a row from which on an array with gaps is reached directly, if its gaps are between rows only. */
extern size_t fg_pipeline_row;

/* Pin those of a's arrays that can be reached directly, so that the first execution need not. */
void fg_pipeline_pin(const fg_program *, const fg_arrays *a);

/* Bytes of input up to which kernels reach the program's arrays themselves, where that is possible. */
extern size_t fg_pipeline_mapped;

/* Bytes of input up to which executions are recorded; and below which one pass behind a copy of it is not. */
extern size_t fg_pipeline_recorded, fg_pipeline_unrecorded;

/* Bytes of a staging piece, and of what one thread copies of it at a time, for tests; 0: as it is best. */
extern size_t fg_pipeline_piece, fg_pipeline_part;

#endif
