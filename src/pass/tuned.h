/* tuned.h: what measurements have shown to be better than the model's geometry: corrections of it by architecture and pass.
 *
 * Those that come with the library are src/pass/tuned.txt, measured with `fftw3-gpu tune --geometry`; those that this
 * process has measured (FFTW_MEASURE and above) or read from wisdom go before them. */
#ifndef FG_TUNED_H
#define FG_TUNED_H

#include <stdio.h>

#include "src/pass/choice.h"

/* Give p, whose geometry the model has chosen, the measured one, if one is known and fits.  It keeps its price, so that
 * the same passes are planned as without; what is planned only where it was measured has another (solver four_step), and solver
 * overlap tells its own cuts apart by what measured geometries cost. */
void fg_tuned_correct(fg_pass *p, const fg_device_info *device);

/* Of a pass with p's key on a device of that architecture c is the fastest known, found with that patience (0 … 3: that
 * of FFTW's four modes): it stands if nobody more patient knew otherwise. */
void fg_tuned_learn(const fg_pass *p, int arch, const fg_choice *c, int patience);

/* Whether what has p's key was measured already with at least that patience, on a device of arch. */
bool fg_tuned_known(const fg_pass *p, int arch, int patience);

/* Whether the table that came with the library has p, of that device or of its architecture. */
bool fg_tuned_shipped_has(const fg_pass *p, const fg_device_info *device);

/* One line: "90 KEY PATIENCE CHOICE", read as printed; what follows a '#' is for people.  False if it is none;
 * one that is not trusted any more (choice.h) is read, and not kept. */
void fg_tuned_print(FILE *f, int arch, const char *key, int patience, const fg_choice *c);
bool fg_tuned_read(const char *line);

/* Grows whenever another geometry may be the known one. */
unsigned long fg_tuned_generation(void);

/* All that was learned here or read since the start, a line each, in the order of learning; how many. */
int fg_tuned_write(FILE *f);

/* Forget what was learned and read (of keys with that part; NULL: all), or leave out what came with the library as
 * well (tests, tune --geometry). */
void fg_tuned_forget(const char *part);
void fg_tuned_ignore_shipped(bool ignored);

/* The table that came with the library, as text (generated from tuned.txt).  A line there may begin with "90@H100": it is of
 * devices in whose names that word is (15 characters at most), and goes before those of the architecture; of several the first
 * does. */
extern const char *const fg_tuned_shipped[]; /* lines; ends with NULL */

#endif
