#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "spodnet/core/types.hpp"
#include "spodnet/io/safetensors.hpp"

namespace spodnet::test {

/// A recorded reference of tests/golden with its tensors as matrices and numbers.
class GoldenFile {
 public:
  explicit GoldenFile(const std::string& name)
      : file_(read_safetensors(std::filesystem::path(SPODNET_GOLDEN_DIR) / name)) {}

  bool has(const std::string& name) const { return file_.tensors.count(name) > 0; }
  Matrix matrix(const std::string& name) const {
    const Tensor& t = file_.tensors.at(name);
    return ConstMatrixMap(t.values.data(), Eigen::Index(t.shape.at(0)),
                          Eigen::Index(t.shape.at(1)));
  }
  double number(const std::string& name) const { return file_.tensors.at(name).values.at(0); }

 private:
  TensorFile file_;
};

}  // namespace spodnet::test
