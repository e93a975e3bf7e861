/* svg.c: what the program's plots are made of. */
#include "src/cli/svg.h"

#include <time.h>

void fg_svg_begin(FILE *f, int width, int height) {
  fprintf(f,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
          "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
          width, height);
}

void fg_svg_end(FILE *f) { fputs("</svg>\n", f); }

void fg_svg_title(FILE *f, double x, double y, const char *command, const char *device) {
  char text[200], date[20] = "";
  const time_t now = time(NULL);
  struct tm local;
  if (localtime_r(&now, &local)) strftime(date, sizeof date, "%Y-%m-%d", &local);
  snprintf(text, sizeof text, "fftw3-gpu %s, %s, %s", command, device, date);
  fg_svg_text(f, x, y, "start", text);
}

void fg_svg_text(FILE *f, double x, double y, const char *anchor, const char *text) {
  fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
  for (; *text; text++) {
    if (*text == '<') fputs("&lt;", f);
    else if (*text == '&') fputs("&amp;", f);
    else if (*text == '"') fputs("&quot;", f);
    else fputc(*text, f);
  }
  fputs("</text>\n", f);
}

void fg_svg_line(FILE *f, double x1, double y1, double x2, double y2, const char *colour) {
  fprintf(f, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n", x1, y1, x2, y2, colour);
}
