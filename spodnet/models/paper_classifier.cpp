#include "spodnet/models/paper_classifier.hpp"

#include <cmath>
#include <numeric>

#include "spodnet/io/safetensors.hpp"
#include "spodnet/models/pretrained.hpp"

namespace spodnet {

ClassifierTerms classifier_terms(const MatrixRef& S, double n) {
  const Matrix contiguous = S;
  const auto p = std::size_t(S.rows());
  const CovarianceSummary summary = summarize(contiguous.data(), p);
  std::array<double, kClassifierNumbers> x;
  std::copy(summary.begin(), summary.end(), x.begin());
  x[kSummaryNumbers] = std::log(n);
  x[kSummaryNumbers + 1] = std::log(n / double(p));

  ClassifierTerms terms{1};
  std::size_t k = 1;
  for (const double each : x) terms[k++] = each;
  for (std::size_t i = 0; i < kClassifierNumbers; ++i)
    for (std::size_t j = i; j < kClassifierNumbers; ++j) terms[k++] = x[i] * x[j];
  return terms;
}

double paper_probability(const MatrixRef& S, double n) {
  static const std::vector<double> weights =
      parse_safetensors(pretrained_file("kind"), "pretrained kind").tensors.at("weights").values;
  const ClassifierTerms terms = classifier_terms(S, n);
  return 1 / (1 + std::exp(-std::inner_product(terms.begin(), terms.end(), weights.begin(), 0.0)));
}

}  // namespace spodnet
