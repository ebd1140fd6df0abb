#include "spodnet/generate/mixed_dataset.hpp"

#include "spodnet/generate/draw_problem.hpp"
#include "spodnet/generate/gaussian.hpp"
#include "spodnet/generate/wishart.hpp"
#include "spodnet/tables/covariance.hpp"

namespace spodnet {

namespace {

Matrix draw_covariance(const DataSetOptions& options, CovarianceFrom from, DrawnProblem& problem) {
  if (from == CovarianceFrom::wishart && options.centred && problem.n > 1)
    return sample_covariance(problem.Theta, problem.n, problem.random);
  return empirical_covariance(sample_gaussian(problem.Theta, problem.n, problem.random),
                              {.centred = options.centred});
}

}  // namespace

MixedDataSet generate_mixed(const DataSetOptions& options, ThreadPool& pool, CovarianceFrom from,
                            std::span<const char> needed) {
  check_dataset_options(options);
  MixedDataSet data(options.count);
  pool.run(options.count, [&](std::size_t k, int) {
    if (!needed.empty() && !needed[k]) return;
    DrawnProblem problem = draw_problem(options, options.first_index + k);
    data[k].S = draw_covariance(options, from, problem);
    data[k].Theta_true = std::move(problem.Theta);
    data[k].n = double(problem.n);
  });
  return data;
}

std::vector<Sample> samples(const MixedDataSet& data) {
  std::vector<Sample> all;
  for (const MatrixPair& pair : data)
    all.push_back({.S = pair.S.data(),
                   .Theta_true = pair.Theta_true.data(),
                   .p = std::size_t(pair.S.rows()),
                   .n = pair.n});
  return all;
}

}  // namespace spodnet
