#include "spodnet/estimators/cv_folds.hpp"

#include <algorithm>
#include <numeric>

#include "spodnet/estimators/row_covariance.hpp"
#include "spodnet/tables/covariance.hpp"

namespace spodnet {

std::vector<CovarianceFold> covariance_folds(const MatrixRef& X, const Vector& variances, int count,
                                             ThreadPool* pool) {
  const Eigen::Index n = X.rows(), size = n / count, larger = n % count;
  std::vector<CovarianceFold> folds(static_cast<std::size_t>(count));
  for_each(folds.size(), pool, [&](std::size_t place) {
    const Eigen::Index k = Eigen::Index(place), first = k * size + std::min(k, larger);
    const Eigen::Index last = first + size + (k < larger ? 1 : 0);
    Matrix train(n - (last - first), X.cols());
    train << X.topRows(first), X.bottomRows(n - last);
    folds[place] = {covariance_with_fallback(train, variances),
                    covariance_about(X.middleRows(first, last - first), column_means(train)),
                    double(train.rows())};
  });
  return folds;
}

std::size_t finish_scores(std::vector<CvScore>& scores) {
  for (CvScore& score : scores)
    score.mean =
        std::accumulate(score.folds.begin(), score.folds.end(), 0.0) / double(score.folds.size());
  const auto by_mean = [](const CvScore& a, const CvScore& b) { return a.mean < b.mean; };
  return std::size_t(std::max_element(scores.begin(), scores.end(), by_mean) - scores.begin());
}

void put_scores(const std::vector<CvScore>& scores, Estimate& estimate) {
  const std::size_t folds = scores.front().folds.size();
  estimate.score_columns = {"lambda", "mean"};
  for (std::size_t k = 1; k <= folds; ++k)
    estimate.score_columns.push_back("fold_" + std::to_string(k));
  estimate.scores.resize(Eigen::Index(scores.size()), Eigen::Index(2 + folds));
  for (std::size_t r = 0; r < scores.size(); ++r) {
    auto row = estimate.scores.row(Eigen::Index(r));
    row[0] = scores[r].lambda;
    row[1] = scores[r].mean;
    for (std::size_t k = 0; k < folds; ++k) row[Eigen::Index(2 + k)] = scores[r].folds[k];
  }
}

}  // namespace spodnet
