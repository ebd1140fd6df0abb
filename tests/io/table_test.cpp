#include "spodnet/io/table.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "io/same_table.hpp"
#include "spodnet/io/matrix_market.hpp"
#include "spodnet/io/npy.hpp"
#include "support/expect_error.hpp"
#include "support/gzip.hpp"
#include "support/temporary_folder.hpp"

namespace spodnet::test {
namespace {

/// The definition of the format, entry by entry.
Matrix read_matrix_market(const std::filesystem::path& path, std::string& symmetry) {
  std::istringstream in(read_bytes(path));
  std::string banner, object, format, field;
  in >> banner >> object >> format >> field >> symmetry;
  EXPECT_EQ(banner + object + format + field, "%%MatrixMarketmatrixcoordinatereal");
  Eigen::Index rows = 0, cols = 0, count = 0;
  in >> rows >> cols >> count;
  Matrix A = Matrix::Zero(rows, cols);
  for (Eigen::Index k = 0; k < count; ++k) {
    Eigen::Index i = 0, j = 0;
    double value = 0;
    in >> i >> j >> value;
    A(i - 1, j - 1) = value;
    if (symmetry == "symmetric") {
      EXPECT_GE(i, j);
      A(j - 1, i - 1) = value;
    }
  }
  EXPECT_TRUE(in && (in >> std::ws).eof());
  return A;
}

TEST(MatrixMarket, SymmetricSparseRoundTrip) {
  const TemporaryFolder folder;
  for (int p = 1; p <= 12; ++p) {
    Matrix A = Matrix::Random(p, p);
    A = (A.array().abs() > 0.6).select(A + A.transpose(), 0.0).eval();
    A = Matrix(A.selfadjointView<Eigen::Lower>());
    A.diagonal().setConstant(1.0 / 3);
    write_matrix_market(folder / "a.mtx", A);
    std::string symmetry;
    EXPECT_EQ(read_matrix_market(folder / "a.mtx", symmetry), A);
    EXPECT_EQ(symmetry, "symmetric");
  }
}

TEST(MatrixMarket, OtherMatricesAreGeneral) {
  const TemporaryFolder folder;
  Matrix A(2, 3);
  A << 1, 0, -2.5, 0, 1e-300, 0;
  write_matrix_market(folder / "a.mtx", A);
  EXPECT_EQ(read_bytes(folder / "a.mtx"),
            "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 1\n2 2 1e-300\n1 3 -2.5\n");
  std::string symmetry;
  EXPECT_EQ(read_matrix_market(folder / "a.mtx", symmetry), A);
}

TEST(MatrixMarket, RefusesWhatTheFormatCannotHold) {
  const TemporaryFolder folder;
  Matrix A = Matrix::Identity(2, 2);
  A(0, 1) = NAN;
  const std::string path = (folder / "a.mtx").string();
  expect_error([&] { write_matrix_market(path, A); }, {path, "NaN", ".csv"});
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Table, ExtensionChoosesTheFormat) {
  const TemporaryFolder folder;
  const Table named{{"x", "y"}, {"a", "b"}, Matrix::Random(2, 2)};
  for (const std::string name : {"t.csv", "t.tsv", "t.CSV"}) {
    write_table(folder / name, named);
    expect_same(read_table(folder / name), named);
  }
  EXPECT_NE(read_bytes(folder / "t.tsv").find('\t'), std::string::npos);
  write_table(folder / "t.npy", named);
  expect_same(read_table(folder / "t.npy"), {{}, {}, named.values});
  write_table(folder / "t.mtx", {{}, {}, Matrix::Identity(2, 2)});
  EXPECT_EQ(read_bytes(folder / "t.mtx").substr(0, 14), "%%MatrixMarket");
  const std::string text = read_bytes(folder / "t.csv");
  for (const std::string name : {"u.csv.gz", "u.tsv.gz", "u.txt.gz", "u.TXT.GZ"})
    expect_same(read_table(folder.write(name, gzip(text))), named);
  expect_same(read_table(folder.write("u.txt", text)), named);
}

TEST(Table, VectorsAreOneColumn) {
  const TemporaryFolder folder;
  write_npy(folder / "v.npy", Tensor{{3}, {1, 2, 3}});
  const Table t = read_table(folder / "v.npy");
  EXPECT_EQ(t.values.rows(), 3);
  EXPECT_EQ(t.values.cols(), 1);
}

TEST(Table, RefusesWhatIsNoTable) {
  const TemporaryFolder folder;
  for (const std::string name : {"x", "x.xlsx", "x.gz", "x.npy.gz", "csv", ".csv"}) {
    const auto path = folder.write(name, "1,2\n");
    expect_error([&] { read_table(path); }, {path.string() + ": ", ".csv, .tsv", ".npy"});
  }
  for (const std::string name : {"y", "y.xlsx", "y.csv.gz", "y.txt"}) {
    const auto path = folder / name;
    expect_error(
        [&] {
          write_table(path, {{}, {}, Matrix::Zero(1, 1)});
        },
        {path.string() + ": ", ".mtx"});
    EXPECT_FALSE(std::filesystem::exists(path));
  }
  write_npy(folder / "cube.npy", Tensor{{1, 1, 2}, {1, 2}});
  expect_error([&] { read_table(folder / "cube.npy"); }, {"cube.npy", "3 dimensions"});
  write_npy(folder / "none.npy", Tensor{{0, 3}, {}});
  expect_error([&] { read_table(folder / "none.npy"); }, {"none.npy", "is empty"});
}

TEST(Table, NamesOfTables) {
  for (const char* name : {"a.csv", "A.CSV", "a.tsv", "a.txt", "a.npy", "a.csv.gz", "a.Txt.GZ"})
    EXPECT_TRUE(has_table_name(name)) << name;
  for (const char* name : {"a.safetensors", "a", "csv", "a.mtx", "a.csv.zip"})
    EXPECT_FALSE(has_table_name(name)) << name;
}

}  // namespace
}  // namespace spodnet::test
