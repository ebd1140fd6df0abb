#include "spodnet/io/matrix_market.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "spodnet/io/atomic_file.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/io/number_text.hpp"

namespace spodnet {
namespace {

template <class Visit>
void for_each_entry(const MatrixRef& A, bool lower, Visit&& visit) {
  for (Eigen::Index j = 0; j < A.cols(); ++j)
    for (Eigen::Index i = lower ? j : 0; i < A.rows(); ++i)
      if (A(i, j) != 0) visit(i, j, A(i, j));
}

}  // namespace

void write_matrix_market(const std::filesystem::path& path, const MatrixRef& A) {
  if (!A.allFinite())
    throw io_error(path.string(), "Matrix Market cannot hold NaN or infinity",
                   "write .csv or .npy instead");
  const bool symmetric = A.rows() == A.cols() && A == A.transpose();
  std::size_t count = 0;
  for_each_entry(A, symmetric, [&](auto...) { ++count; });

  AtomicFile file(path);
  file.write(fmt::format("%%MatrixMarket matrix coordinate real {}\n{} {} {}\n",
                         symmetric ? "symmetric" : "general", A.rows(), A.cols(), count));
  for_each_entry(A, symmetric, [&](Eigen::Index i, Eigen::Index j, double value) {
    std::string line = fmt::format("{} {} ", i + 1, j + 1);
    append_number(line, value);
    file.write(line += '\n');
  });
  file.commit();
}

}  // namespace spodnet
