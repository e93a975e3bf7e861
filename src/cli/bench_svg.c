/* bench_svg.c: the plot of `fftw3-gpu bench --device --svg`: two charts of all cases against the size, each class in a
 * colour: the better peer's time as a multiple of ours, and ours as a multiple of a copy's. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/bench.h"
#include "src/cli/svg.h"

enum { WIDTH = 1000, LEFT = 60, RIGHT = 780, HEIGHT = 320, FIRST_TOP = 70, GAP = 80, CLASSES = 64 };

typedef struct {
  const char *title, *name; /* name: in an attribute of the marks */
  int top;
  int value; /* index into a mark's values */
  double low, high; /* decades of the axis */
} chart;

static const char *class_of(const fg_bench_mark *m) { return *m->class ? m->class : "problems"; }

/* Classes in their order; the number of them. */
static int classes_of(const fg_bench_plot *p, const char *class[CLASSES]) {
  int count = 0;
  for (int i = 0; i < p->count; i++) {
    int c = 0;
    while (c < count && strcmp(class[c], class_of(&p->mark[i]))) c++;
    if (c == count && count < CLASSES) class[count++] = class_of(&p->mark[i]);
  }
  return count;
}

/* As many hues as there are classes. */
static void put_colour(FILE *f, int c, int count) {
  fprintf(f, "hsl(%d,70%%,%d%%)", 360 * c / (count ? count : 1), c % 2 ? 35 : 50);
}

/* The decades of points. */
static double decades_of(const fg_bench_plot *p) {
  double most = 1;
  for (int i = 0; i < p->count; i++) most = fmax(most, ceil(log10(p->mark[i].points)));
  return most;
}

static double across(double decade, double high) { return LEFT + (RIGHT - LEFT) * decade / high; }

static double down(const chart *c, double decade) {
  return c->top + HEIGHT * (c->high - decade) / (c->high - c->low);
}

/* From where the smallest value is to where the largest is, 1 among them. */
static void fit(chart *c, const fg_bench_plot *p) {
  c->low = -0.1;
  c->high = 0.5;
  for (int i = 0; i < p->count; i++) {
    const double v = p->mark[i].value[c->value];
    if (!(v > 0) || isinf(v)) continue;
    c->low = fmin(c->low, log10(v) - 0.05);
    c->high = fmax(c->high, log10(v) + 0.05);
  }
}

static void put_axes(FILE *f, const chart *c, double decades) {
  static const double ticks[] = {0.01, 0.1, 0.2, 0.5, 0.8, 1, 1.5, 2, 3, 5, 10, 100, 1000};
  fg_svg_text(f, LEFT, c->top - 12, "start", c->title);
  for (size_t i = 0; i < sizeof ticks / sizeof *ticks; i++) {
    const double at = log10(ticks[i]);
    char text[24];
    if (at < c->low || at > c->high) continue;
    snprintf(text, sizeof text, "%g", ticks[i]);
    fg_svg_line(f, LEFT, down(c, at), RIGHT, down(c, at), ticks[i] == 1 ? "black" : "#ddd");
    fg_svg_text(f, LEFT - 6, down(c, at) + 4, "end", text);
  }
  for (double d = 0; d <= decades; d++) {
    char text[24];
    snprintf(text, sizeof text, "1e%.0f", d);
    fg_svg_line(f, across(d, decades), c->top, across(d, decades), c->top + HEIGHT, "#ddd");
    fg_svg_text(f, across(d, decades), c->top + HEIGHT + 16, "middle", text);
  }
}

static void put_marks(FILE *f, const chart *c, const fg_bench_plot *p, const char *const *class, int classes) {
  const double decades = decades_of(p);
  put_axes(f, c, decades);
  for (int i = 0; i < p->count; i++) {
    const fg_bench_mark *m = &p->mark[i];
    const double v = m->value[c->value];
    int k = 0;
    if (!(v > 0) || isinf(v)) continue;
    while (k + 1 < classes && strcmp(class[k], class_of(m))) k++;
    fprintf(f, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"", c->name,
            across(log10(m->points), decades), down(c, log10(v)));
    put_colour(f, k, classes);
    fprintf(f, "\" fill-opacity=\"0.7\"><title>%s: %.3g</title></circle>\n", m->problem, v);
  }
}

static void put_legend(FILE *f, const char *const *class, int classes) {
  for (int k = 0; k < classes; k++) {
    const int y = FIRST_TOP + 18 * k;
    fprintf(f, "<rect x=\"%d\" y=\"%d\" width=\"10\" height=\"10\" fill=\"", RIGHT + 30, y);
    put_colour(f, k, classes);
    fputs("\"/>\n", f);
    fg_svg_text(f, RIGHT + 46, y + 10, "start", class[k]);
  }
}

void fg_bench_plot_add(fg_bench_plot *p, const fg_bench_row *row, double points, double per_peer, double per_copy) {
  fg_bench_mark *grown = realloc(p->mark, ((size_t)p->count + 1) * sizeof *grown);
  if (!grown) return; /* a mark less */
  p->mark = grown;
  fg_bench_mark *m = &p->mark[p->count++];
  *m = (fg_bench_mark){.class = row->class, .points = points, .value = {per_peer, per_copy}};
  snprintf(m->problem, sizeof m->problem, "%s", row->problem);
}

void fg_bench_plot_write(FILE *f, const fg_bench_plot *p, const char *device) {
  chart charts[] = {
      {"time of the better peer ÷ ours, against the points of one transform", "peer", FIRST_TOP, 0, 0, 0},
      {"our time ÷ that of a copy of the same bytes", "copy", FIRST_TOP + HEIGHT + GAP, 1, 0, 0}};
  const char *class[CLASSES];
  const int classes = classes_of(p, class);
  const int legend = FIRST_TOP + 18 * classes, both = FIRST_TOP + 2 * HEIGHT + GAP;
  fg_svg_begin(f, WIDTH, (legend > both ? legend : both) + 40);
  fg_svg_title(f, LEFT, 28, "bench", device);
  for (int i = 0; i < 2; i++) {
    fit(&charts[i], p);
    put_marks(f, &charts[i], p, class, classes);
  }
  put_legend(f, class, classes);
  fg_svg_end(f);
}

void fg_bench_plot_free(fg_bench_plot *p) {
  free(p->mark);
  *p = (fg_bench_plot){0};
}
