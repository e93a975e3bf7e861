/* pages.h: whether addresses still stand for the pages that they stood for.
 *
 * A real device reaches registered memory by its pages. If the program unmaps them and gets others at the same
 * addresses, the device goes on with the old ones, where nobody sees it. This finds such memory out: pages at up to
 * sixteen places of a range are kept in a pipe, by reference, and their bytes compared with what is at their addresses
 * now. */
#ifndef FG_SIM_PAGES_H
#define FG_SIM_PAGES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct fg_sim_pages fg_sim_pages;

/* NULL unless FFTW3_GPU_SIM_PAGES=1, or if the system cannot do it. */
fg_sim_pages *fg_sim_pages_keep(char *memory, size_t bytes);

/* The address of a page that is another one now, and has other contents; NULL if there is none. */
const char *fg_sim_pages_changed(const fg_sim_pages *);

void fg_sim_pages_drop(fg_sim_pages *);

#endif
