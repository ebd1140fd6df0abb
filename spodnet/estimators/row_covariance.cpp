#include "spodnet/estimators/row_covariance.hpp"

#include "spodnet/tables/covariance.hpp"

namespace spodnet {

Matrix rows_of(const MatrixRef& X, std::span<const std::uint32_t> rows) {
  Matrix part(Eigen::Index(rows.size()), X.cols());
  for (std::size_t k = 0; k < rows.size(); ++k) part.row(Eigen::Index(k)) = X.row(rows[k]);
  return part;
}

Matrix covariance_with_fallback(const MatrixRef& X, const Vector& variances) {
  Matrix S = empirical_covariance(X);
  for (Eigen::Index i = 0; i < S.rows(); ++i)
    if (S(i, i) == 0) S(i, i) = variances[i];
  return S;
}

void for_each(std::size_t count, ThreadPool* pool, const std::function<void(std::size_t)>& body) {
  if (pool) return pool->run(count, [&](std::size_t k, int) { body(k); });
  for (std::size_t k = 0; k < count; ++k) body(k);
}

}  // namespace spodnet
