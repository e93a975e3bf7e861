/* accuracy_svg.c: the plot of `fftw3-gpu accuracy --svg`: errors against the length, one chart for each precision, with
 * the growth that theory has for the root mean square error of a fast transform of random numbers, √log n (Gentleman and
 * Sande, "Fast Fourier Transforms: for fun and profit", 1966; Schatzman, "Accuracy of the discrete Fourier transform and
 * the fast Fourier transform", 1996).  Theory leaves the constant to the implementation: it is stock FFTW's mean here. */
#include <math.h>
#include <stdlib.h>

#include "src/cli/accuracy.h"
#include "src/cli/svg.h"

enum { WIDTH = 1000, LEFT = 80, RIGHT = 800, HEIGHT = 320, FIRST_TOP = 80, GAP = 80, CHARTS = 2 };

typedef struct {
  const char *title;
  enum fg_accuracy_who stock, otherwise; /* whose mean the growth has; otherwise where that was not measured */
  int top;
  double low, high, doublings;      /* decades of the error, and of two of the length */
  bool has[FG_ACCURACY_SUBJECTS];
} chart;

static const struct {
  const char *name, *colour;
  int chart;
} series[FG_ACCURACY_SUBJECTS] = {
    [FG_STOCK_SINGLE] = {"stock FFTW", "#888", 0},    [FG_OURS_SINGLE] = {"fftw3-gpu", "#c22", 0},
    [FG_CUFFT_SINGLE] = {"cuFFT", "#2a2", 0},         [FG_STOCK_AS_SINGLE] = {"stock FFTW, doubles rounded", "#bbb", 0},
    [FG_OURS_AS_SINGLE] = {"doubles as single", "#e80", 0},
    [FG_STOCK_DOUBLE] = {"stock FFTW", "#888", 1},    [FG_OURS_DOUBLE] = {"fftw3-gpu", "#22c", 1},
    [FG_CUFFT_DOUBLE] = {"cuFFT", "#2a2", 1}};

void fg_accuracy_plot_add(fg_accuracy_plot *p, const char *problem, double points, const fg_accuracy_result *r,
                          enum fg_norm norm) {
  fg_accuracy_mark *grown = realloc(p->mark, ((size_t)p->count + 1) * sizeof *grown);
  if (!grown) return; /* a mark less */
  p->mark = grown;
  fg_accuracy_mark *m = &p->mark[p->count++];
  *m = (fg_accuracy_mark){.points = points};
  snprintf(m->problem, sizeof m->problem, "%s", problem);
  for (int who = 0; who < FG_ACCURACY_SUBJECTS; who++) m->error[who] = r->error[who][norm];
}

static bool shown(double error) { return error > 0 && !isinf(error); }

static double across(const chart *c, double points) {
  return LEFT + (RIGHT - LEFT) * log2(points > 1 ? points : 1) / c->doublings;
}

static double down(const chart *c, double error) {
  return c->top + HEIGHT * (c->high - log10(error)) / (c->high - c->low);
}

/* All marks of a chart, whole powers of four across; false: there are none. */
static bool fit(chart *c, int number, const fg_accuracy_plot *p) {
  c->low = INFINITY;
  c->high = -INFINITY;
  c->doublings = 2;
  for (int i = 0; i < p->count; i++)
    for (int who = 0; who < FG_ACCURACY_SUBJECTS; who++) {
      const double error = p->mark[i].error[who];
      if (series[who].chart != number || !shown(error)) continue;
      c->has[who] = true;
      c->low = fmin(c->low, log10(error) - 0.1);
      c->high = fmax(c->high, log10(error) + 0.1);
      c->doublings = fmax(c->doublings, 2 * ceil(log2(p->mark[i].points) / 2));
    }
  return c->low < c->high;
}

static void put_axes(FILE *f, const chart *c) {
  char text[24];
  fg_svg_text(f, LEFT, c->top - 12, "start", c->title);
  for (double decade = floor(c->low); decade <= c->high; decade++)
    for (int step = 1; step < 10; step++) {
      const double error = step * pow(10, decade);
      if (log10(error) < c->low || log10(error) > c->high) continue;
      fg_svg_line(f, LEFT, down(c, error), RIGHT, down(c, error), step == 1 ? "#aaa" : "#eee");
      if (step != 1 && step != 2 && step != 5) continue;
      snprintf(text, sizeof text, "%.0e", error);
      fg_svg_text(f, LEFT - 6, down(c, error) + 4, "end", text);
    }
  for (double d = 0; d <= c->doublings; d += 2) {
    snprintf(text, sizeof text, "%.0f", exp2(d));
    fg_svg_line(f, across(c, exp2(d)), c->top, across(c, exp2(d)), c->top + HEIGHT, "#eee");
    fg_svg_text(f, across(c, exp2(d)), c->top + HEIGHT + 16, "middle", text);
  }
}

/* The geometric mean of stock FFTW's error over √log₂ n; 0 if it cannot be told. */
static double constant(const chart *c, const fg_accuracy_plot *p) {
  const enum fg_accuracy_who who = c->has[c->stock] ? c->stock : c->otherwise;
  double logs = 0;
  int count = 0;
  for (int i = 0; i < p->count; i++) {
    const double error = p->mark[i].error[who];
    if (!shown(error) || p->mark[i].points < 2) continue;
    logs += log(error / sqrt(log2(p->mark[i].points)));
    count++;
  }
  return count ? exp(logs / count) : 0;
}

static void put_growth(FILE *f, const chart *c, const fg_accuracy_plot *p) {
  const double k = constant(c, p);
  if (!(k > 0)) return;
  fprintf(f, "<polyline class=\"growth\" fill=\"none\" stroke=\"black\" stroke-dasharray=\"6 4\" points=\"");
  for (double d = 1; d <= c->doublings; d += 0.25) {
    const double error = k * sqrt(d);
    if (log10(error) >= c->low && log10(error) <= c->high)
      fprintf(f, "%.1f,%.1f ", across(c, exp2(d)), down(c, error));
  }
  fprintf(f, "\"><title>%.2e · √log₂ n</title></polyline>\n", k);
}

static void put_marks(FILE *f, const chart *c, int number, const fg_accuracy_plot *p) {
  for (int who = 0; who < FG_ACCURACY_SUBJECTS; who++)
    for (int i = 0; i < p->count; i++) {
      const fg_accuracy_mark *m = &p->mark[i];
      if (series[who].chart != number || !shown(m->error[who])) continue;
      fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\" fill-opacity=\"0.7\"><title>%s, %s: %.2e</title>"
                 "</circle>\n",
              across(c, m->points), down(c, m->error[who]), series[who].colour, series[who].name, m->problem,
              m->error[who]);
    }
}

static void put_legend(FILE *f, const chart *c) {
  int y = c->top;
  for (int who = 0; who < FG_ACCURACY_SUBJECTS; who++) {
    if (!c->has[who]) continue;
    fprintf(f, "<rect x=\"%d\" y=\"%d\" width=\"10\" height=\"10\" fill=\"%s\"/>\n", RIGHT + 30, y, series[who].colour);
    fg_svg_text(f, RIGHT + 46, y + 10, "start", series[who].name);
    y += 18;
  }
  fg_svg_line(f, RIGHT + 26, y + 6, RIGHT + 42, y + 6, "black");
  fg_svg_text(f, RIGHT + 46, y + 10, "start", "theory: ∝ √log n, at the");
  fg_svg_text(f, RIGHT + 46, y + 24, "start", "height of stock FFTW's mean");
}

void fg_accuracy_plot_write(FILE *f, const fg_accuracy_plot *p, const char *device, const char *what) {
  chart charts[CHARTS] = {
      {.title = "single precision, against the points of one transform", .stock = FG_STOCK_SINGLE,
       .otherwise = FG_STOCK_AS_SINGLE, .top = FIRST_TOP},
      {.title = "double precision", .stock = FG_STOCK_DOUBLE, .otherwise = FG_STOCK_DOUBLE,
       .top = FIRST_TOP + HEIGHT + GAP}};
  fg_svg_begin(f, WIDTH, FIRST_TOP + CHARTS * (HEIGHT + GAP));
  fg_svg_title(f, LEFT, 28, "accuracy", device);
  fg_svg_text(f, LEFT, 46, "start", what);
  for (int i = 0; i < CHARTS; i++) {
    if (!fit(&charts[i], i, p)) continue;
    put_axes(f, &charts[i]);
    put_growth(f, &charts[i], p);
    put_marks(f, &charts[i], i, p);
    put_legend(f, &charts[i]);
  }
  fg_svg_end(f);
}
