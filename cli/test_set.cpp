#include "cli/test_set.hpp"

#include <cmath>

#include "spodnet/core/error.hpp"
#include "spodnet/core/parse.hpp"
#include "spodnet/tables/covariance.hpp"

namespace spodnet::cli {
namespace {

MatrixBatch batch_of(const Matrix& A) {
  MatrixBatch batch(1, std::size_t(A.rows()), std::size_t(A.cols()));
  batch[0] = A;
  return batch;
}

/// How many of n samples are left when a share is held out.
std::size_t samples_left(double share, std::size_t n) {
  const std::size_t left = n - std::size_t(std::lround(share * double(n)));
  if (left < 2 || left == n)
    throw Error("--held-out " + exact_text(share) + ": of " + std::to_string(n) +
                " samples it leaves " + std::to_string(left) + ": choose another fraction");
  return left;
}

[[noreturn]] void refuse_without_samples(const InputOptions& options) {
  throw Error("--held-out: " + options.table.file.string() +
              " has no samples: give a table, or a data set made with --samples");
}

/// The last samples of each problem are held out; S_test is about the mean of the others.
void hold_out(const InputOptions& options, double share, TestSet& test) {
  DataSet& data = test.data;
  if (data.X.empty()) refuse_without_samples(options);
  const std::size_t n = data.X.rows, p = data.X.cols, left = samples_left(share, n);
  MatrixBatch kept(data.count(), left, p);
  for (std::size_t k = 0; k < data.count(); ++k) {
    kept[k] = data.X[k].topRows(Eigen::Index(left));
    const Vector mean =
        options.uncentred ? Vector::Zero(Eigen::Index(p)).eval() : column_means(kept[k]);
    test.S_test.push_back(covariance_about(data.X[k].bottomRows(Eigen::Index(n - left)), mean));
    data.S[k] = covariance_about(kept[k], mean);
  }
  data.X = std::move(kept);
  data.n = double(left);
}

/// The same of a table, prepared as in `graph`: rows in the order of the seed, the others prepared
/// without those that are held out.
void hold_out_rows(const InputOptions& options, double share, const Prepared& table,
                   bool standardize, TestSet& test) {
  if (table.X.size() == 0) refuse_without_samples(options);
  const WorkingData working = working_data(table, standardize, options.order());
  const auto n = working.Y.rows(), left = Eigen::Index(samples_left(share, std::size_t(n)));
  const TrainingPart part = part_of(working, working.Y.topRows(left));
  const Matrix rows = working.Y.bottomRows(n - left);
  if (rows.hasNaN())
    throw Error(
        "--held-out: rows that are held out miss values: use --missing drop, or 'spodnet "
        "compare', which judges by the values there are");
  test.S_test.push_back(covariance_about(rows, part.mean));
  test.data.S[0] = part.S;
  test.data.X = batch_of(part.X);
  test.data.n = part.n;
  if (standardize) test.scale = part.scale;
}

}  // namespace

TestSet one_problem(const Prepared& table, const InputOptions& options, bool standardize) {
  const WorkingData posed = pose_table(table, options, standardize);
  TestSet test;
  test.data.S = batch_of(posed.all.S);
  if (posed.all.X.size() > 0) test.data.X = batch_of(posed.all.X);
  test.data.n = posed.all.n;
  if (posed.standardize) test.scale = posed.scale;
  test.complete = posed.complete();
  return test;
}

TestSet held_out_of(TestSet test, const InputOptions& options, double share, const Prepared* table,
                    bool standardize) {
  if (!(share > 0)) return test;
  if (table && !options.uncentred)
    hold_out_rows(options, share, *table, standardize, test);
  else
    hold_out(options, share, test);
  return test;
}

}  // namespace spodnet::cli
