/* A stranger's C99 program: a table, an estimate, a graph, a mistake. */
#include <spodnet.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { rows = 40, columns = 3 };

static int calls = 0;

static int watch(void* user, const char* what, double fraction) {
  calls += user != NULL && what != NULL && fraction <= 1;
  return 0;
}

static int at_once(void* user, const char* what, double fraction) {
  (void)user, (void)what, (void)fraction;
  return 1;
}

/* |Theta W - I| of what was read column by column. */
static double residual(const double* Theta, const double* W, size_t p) {
  double worst = 0;
  for (size_t i = 0; i < p; ++i)
    for (size_t j = 0; j < p; ++j) {
      double sum = i == j ? -1 : 0;
      for (size_t k = 0; k < p; ++k) sum += Theta[i + k * p] * W[k + j * p];
      if (fabs(sum) > worst) worst = fabs(sum);
    }
  return worst;
}

#define MUST(condition)                                                            \
  if (!(condition)) {                                                              \
    printf("line %d: %s does not hold; %s\n", __LINE__, #condition, spod_error()); \
    return 1;                                                                      \
  }

int main(void) {
  double values[rows * columns];
  const char* names[columns] = {"a", "b", "c"};
  for (int k = 0; k < rows; ++k) {
    values[k] = sin(1.0 + k * k);
    values[k + rows] = values[k] + sin(2.0 + 3 * k * k);
    values[k + 2 * rows] = values[k + rows] + sin(5.0 + 7 * k * k);
  }
  MUST(spod_interface() == SPOD_INTERFACE && strlen(spod_version()) > 0);
  MUST(strcmp(spod_error(), "") == 0);
  spod_data* data = NULL;
  MUST(spod_prepare(values, rows, columns, names, "{\"kind\": \"gaussian\"}", watch, values,
                    &data) == SPOD_OK);

  spod_result* result = NULL;
  MUST(spod_estimate(data, "{\"method\": \"glasso:lambda=0.1\"}", NULL, NULL, &result) == SPOD_OK);
  size_t p = 0, q = 0;
  const double* Theta = spod_numbers(result, "precision", &p, &q);
  MUST(Theta != NULL && p == 3 && q == 3);
  MUST(residual(Theta, spod_numbers(result, "covariance", NULL, NULL), p) < 1e-8);
  MUST(strcmp(spod_text(result, "names", 1), "b") == 0);
  MUST(spod_text(result, "names", 3) == NULL && spod_numbers(result, "nonsense", NULL, NULL) == NULL);
  spod_free_result(result);

  MUST(spod_analyse(data, "{\"bootstrap\": 20, \"stable\": 0.2, \"threads\": 2}", watch, values,
                    &result) == SPOD_OK);
  MUST(spod_numbers(result, "edges", &p, &q) != NULL && q == 9);
  MUST(strstr(spod_text(result, "report.html", 0), "<html") != NULL);
  spod_free_result(result);

  result = NULL;
  MUST(spod_estimate(data, "{\"metod\": \"glasso\"}", NULL, NULL, &result) == SPOD_BAD_INPUT);
  MUST(result == NULL && strstr(spod_error(), "did you mean 'method'?") != NULL);
  MUST(spod_analyse(data, "{\"bootstrap\": 100000}", at_once, NULL, &result) == SPOD_INTERRUPTED);
  MUST(result == NULL);
  MUST(spod_read("no_such_file.csv", NULL, NULL, NULL, &data) == SPOD_BAD_INPUT);
  spod_free_data(data);
  spod_free_data(NULL);
  spod_free_result(NULL);
  printf("C interface %d of spodnet %s\n", spod_interface(), spod_version());
  return calls < 0;
}
