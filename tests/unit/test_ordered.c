/* test_ordered.c: rows of kinds of odd length that are real transforms in another order (src/run/table/places.h): the order against
 * the definitions of the kinds, and passes that have it on the simulated device.  Compiled once for each precision, and once for
 * arrays of doubles on the device that are computed with in single precision. */
#include "real_case.h"
#include "src/pass/geometry.h"
#include "src/run/table/table.h"

#define PI 3.14159265358979323846

enum { LONGEST = 135 };

/* FFTW's manual, "What FFTW Really Computes". */
static double defined(enum fg_form form, int n, const double *x, int k) {
  double sum = 0;
  switch (form) {
    case FG_FORM_HALFCOMPLEX:
      for (int j = 1; 2 * j < n; j++) sum += x[j] * cos(2 * PI * j * k / n) - x[n - j] * sin(2 * PI * j * k / n);
      return x[0] + 2 * sum;
    case FG_FORM_REDFT01:
      for (int j = 1; j < n; j++) sum += x[j] * cos(PI * j * (k + 0.5) / n);
      return x[0] + 2 * sum;
    case FG_FORM_RODFT01:
      for (int j = 0; j < n - 1; j++) sum += x[j] * sin(PI * (j + 1) * (k + 0.5) / n);
      return (k % 2 ? -1 : 1) * x[n - 1] + 2 * sum;
    case FG_FORM_REDFT10:
      for (int j = 0; j < n; j++) sum += x[j] * cos(PI * (j + 0.5) * k / n);
      return 2 * sum;
    case FG_FORM_RODFT10:
      for (int j = 0; j < n; j++) sum += x[j] * sin(PI * (j + 0.5) * (k + 1) / n);
      return 2 * sum;
    case FG_FORM_REDFT11:
      for (int j = 0; j < n; j++) sum += x[j] * cos(PI * (j + 0.5) * (k + 0.5) / n);
      return 2 * sum;
    default:
      for (int j = 0; j < n; j++) sum += x[j] * sin(PI * (j + 0.5) * (k + 0.5) / n);
      return 2 * sum;
  }
}

static int without_sign(int place) { return place < 0 ? ~place : place; }

/* ±x at their places of a sequence, or of bins, of which the imaginary part of bin 0 is none. */
static void put_all(int n, const int *places, const double *x, double *to) {
  bool seen[2 * LONGEST] = {false};
  to[1] = 0; /* that one; or else x is there */
  for (int e = 0; e < n; e++) {
    const int at = without_sign(places[e]);
    ck_assert_int_lt(at, n + 1);
    ck_assert(!seen[at]);
    seen[at] = true;
    to[at] = places[e] < 0 ? -x[e] : x[e];
  }
}

/* A real transform, as sums. */
static void transform(bool backwards, int n, const double *from, double *to) {
  for (int k = 0; k < (backwards ? n : (n + 1) / 2); k++) {
    double re = from[0], im = 0;
    for (int j = 1; j < (backwards ? (n + 1) / 2 : n); j++) {
      const double c = cos(2 * PI * j * k / n), s = sin(2 * PI * j * k / n);
      if (backwards) re += 2 * (from[2 * j] * c - from[2 * j + 1] * s);
      else re += from[j] * c, im -= from[j] * s;
    }
    if (backwards) to[k] = re;
    else to[2 * k] = re, to[2 * k + 1] = im;
  }
}

static const enum fg_form forms[] = {FG_FORM_HALFCOMPLEX, FG_FORM_REDFT01, FG_FORM_RODFT01, FG_FORM_REDFT10,
                                     FG_FORM_RODFT10,     FG_FORM_REDFT11, FG_FORM_RODFT11};

START_TEST(places_make_the_kinds) {
  const enum fg_form form = forms[_i];
  const bool backwards = form == FG_FORM_HALFCOMPLEX || form == FG_FORM_REDFT01 || form == FG_FORM_RODFT01;
  const bool quarter = form == FG_FORM_REDFT11 || form == FG_FORM_RODFT11;
  const double factor = backwards ? 1 : quarter ? sqrt(2) : 2;
  dice d = {11};
  for (int n = 3; n <= LONGEST; n += n < 41 ? 2 : 94) {
    const fg_table t = {.kind = FG_TABLE_PLACES, .length = n, .first = form,
                        .step = form == FG_FORM_HALFCOMPLEX ? FG_FORM_REAL : form};
    double x[LONGEST], placed[2 * LONGEST], results[2 * LONGEST];
    int *const places = fg_table_compute(&t);
    ck_assert(places != NULL);
    ck_assert_uint_eq(fg_table_entries(&t), 2 * (size_t)n);
    for (int e = 0; e < n; e++) x[e] = dice_between(&d, -1000, 1000) / 1000.0;
    put_all(n, places, x, placed);
    transform(backwards, n, placed, results);
    for (int e = 0; e < n; e++) {
      const int place = places[n + e], at = without_sign(place);
      const double *const bin = results + at / 2 * 2;
      const double value = quarter ? (at % 2 ? bin[0] - bin[1] : bin[0] + bin[1]) : results[at];
      ck_assert_double_eq_tol((place < 0 ? -factor : factor) * value, defined(form, n, x, e), 1e-11 * n);
    }
    free(places);
  }
}
END_TEST

/* Butterflies, primes, and odd composites of the kinds that gain by it: lengths of each residue modulo 8, more lines than a block
 * has and fewer, rows and columns, gaps, backwards, in place, several loops, planes of several transforms; and those that do not:
 * REDFT10 and its kin of composites, columns of their inverses, forward transforms, even lengths, parts of long rows. */
static const struct {
  const char *text;
  int count; /* of passes that are */
  size_t shared_block;
} rows[] = {
    {"ok3e10*70", 1, 0}, {"ok5o01*9", 1, 0}, {"ok7e11*65", 1, 0}, {"ik9o11*70", 1, 0}, {"ok17e01v37", 1, 0}, {"ok23:2:3o10*5:50:70", 1, 0},
    {"ok19:-1:1e11*40", 1, 0}, {"ik31b*67", 1, 0}, {"ok29:5:5o01*5:1:1x3:200:150", 1, 0}, {"ok37e10*3", 1, 0}, {"ok61e01*35", 1, 0},
    {"ok61o11v9", 1, 0}, {"ok67e10*33", 1, 0}, {"ik101o01*3", 1, 0}, {"ok103b*3", 1, 0}, {"ok127e11v35", 1, 0}, {"ok167o10*2", 1, 0},
    {"ok257o11*3", 1, 0}, {"ok33e11*37", 1, 0}, {"ok35o11v9", 1, 0}, {"ik45e11*3", 1, 0}, {"ok63:3:-2o11*3:200:-130", 1, 0},
    {"ok75e01*7", 1, 0}, {"ok99o01*3", 1, 0}, {"ok105b*5", 1, 0}, {"ok255e11*2", 1, 0}, {"ok67e11x71o10*2", 2, 0}, {"ik31e11v37", 1, 0},
    {"ok29bv9", 1, 0}, {"ik101e01v3", 1, 0}, {"ik39o11v5", 1, 0}, {"ok13:40:40e10*40:1:1x3:600:530", 1, 0},
    {"ok33e10*37", 0, 0}, {"ok99e01v9", 0, 0}, {"ok165e01*3", 0, 0}, {"ok61f*9", 0, 0}, {"ok60e10*5", 0, 0}, {"ok10395e11*2", 0, 4096},
};

START_TEST(rows_are_ordered) {
  int count = 0;
  check(rows[_i].text, rows[_i].shared_block);
  for (int i = 0; i < list.count; i++) count += fg_geometry_ordered(&list.pass[i]);
  ck_assert_msg(count == rows[_i].count, "%s: %d", rows[_i].text, count);
}
END_TEST

/* Columns: a thread has elements of one row, so that there is one for each row at least; of points it could have more. */
START_TEST(no_thread_has_elements_of_two_rows) {
  check("ok33e11v640", 0);
  fg_pass p = list.pass[0];
  ck_assert(fg_geometry_ordered(&p));
  p.threads = 32;
  p.lines = 32;
  ck_assert(fg_geometry_fits(&p, &fg_reference_device));
  p.lines = 40;
  ck_assert(!fg_geometry_fits(&p, &fg_reference_device));
}
END_TEST

int main(void) {
  test_choose_sim_alone();
  TCase *tc = tcase_create("ordered");
  tcase_set_timeout(tc, 120);
  tcase_add_loop_test(tc, places_make_the_kinds, 0, TEST_COUNT(forms));
  tcase_add_loop_test(tc, rows_are_ordered, 0, TEST_COUNT(rows));
  tcase_add_test(tc, no_thread_has_elements_of_two_rows);
  return test_run(tc, "rows in another order");
}
