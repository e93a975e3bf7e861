/* trace_file.h: the file of a trace: text that stands, and behind it a tail that is written anew each time, so that a
 * program that crashes leaves a complete file although loops are still growing. */
#ifndef FG_TRACE_FILE_H
#define FG_TRACE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Open the trace that pattern (an absolute path; %p is the process's number) names, for this process alone: where
 * another process writes it, or for the child of a fork, the process's number is appended.  An existing trace is
 * written over; any other file is left alone.  false: a message was written. */
bool fg_trace_file_open(const char *pattern, bool child);

/* Bytes that stand so far. */
size_t fg_trace_file_size(void);

/* Let text stand at the end, then write the tail behind it.  Either may be empty.  false, and a message the first time,
 * if it cannot be written. */
bool fg_trace_file_write(const char *text, size_t length, const char *tail, size_t tail_length);

/* Without touching the file. */
void fg_trace_file_close(void);

#endif
