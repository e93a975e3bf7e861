/* svg.h: what the program's plots are made of. */
#ifndef FG_SVG_H
#define FG_SVG_H

#include <stdio.h>

void fg_svg_begin(FILE *, int width, int height);
void fg_svg_end(FILE *);

/* "fftw3-gpu COMMAND, DEVICE, date" */
void fg_svg_title(FILE *, double x, double y, const char *command, const char *device);

/* anchor: start, middle or end. */
void fg_svg_text(FILE *, double x, double y, const char *anchor, const char *text);

void fg_svg_line(FILE *, double x1, double y1, double x2, double y2, const char *colour);

#endif
