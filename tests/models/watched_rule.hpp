#pragma once

#include <memory>

#include "spodnet/core/types.hpp"
#include "spodnet/layer/rule.hpp"

namespace spodnet::test {

/// A rule as it is, whose last thresholds are kept: row i of |scaled z| - lambda, column by column.
template <class Rule>
class Watched : public Rule {
 public:
  explicit Watched(const RuleShape& shape)
      : Rule(shape),
        excess_(
            std::make_shared<Matrix>(Matrix::Zero(Eigen::Index(shape.p), Eigen::Index(shape.p)))) {}

  void thresholds(const typename Rule::Prepared& prepared, const Column& column, const double* z,
                  double* lambda, typename Rule::Tape& tape) const {
    Rule::thresholds(prepared, column, z, lambda, tape);
    for (std::size_t j = 0; j < column.p; ++j)
      (*excess_)(Eigen::Index(column.i), Eigen::Index(j)) = std::abs(z[j]) - lambda[j];
  }

  const Matrix& excess() const { return *excess_; }

 private:
  std::shared_ptr<Matrix> excess_;
};

}  // namespace spodnet::test
