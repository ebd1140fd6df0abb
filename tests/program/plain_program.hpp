#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "spodnet/models/program_part.hpp"

namespace spodnet::test {

/// A dense array with its dims, row-major.
struct Array {
  std::vector<long> dims;
  std::vector<double> values;

  explicit Array(std::vector<long> d) : dims(std::move(d)) {
    long n = 1;
    for (const long x : dims) n *= x;
    values.assign(std::size_t(n), 0.0);
  }
  /// The place of a multi-index, dims of size 1 and missing leading ones broadcast.
  std::size_t at(const std::vector<long>& index) const {
    long place = 0;
    for (std::size_t k = 0; k < dims.size(); ++k) {
      const long i = index[index.size() - dims.size() + k];
      place = place * dims[k] + (dims[k] == 1 ? 0 : i);
    }
    return std::size_t(place);
  }
};

template <class What>
void for_each_index(const std::vector<long>& dims, What what) {
  long n = 1;
  for (const long d : dims) n *= d;
  std::vector<long> index(dims.size());
  for (long q = 0; q < n; ++q) {
    long rest = q;
    for (std::size_t k = dims.size(); k-- > 0;) {
      index[k] = rest % dims[k];
      rest /= dims[k];
    }
    what(index, std::size_t(q));
  }
}

/// The second route: every node by its definition, one index after the other.
class PlainProgram {
 public:
  PlainProgram(const Program& program, const ProgramArguments& at) : program_(program), at_(at) {
    std::size_t weight = 0;
    for (const ProgramNode& node : program.nodes()) {
      Array out(dims_of(node.shape));
      if (node.op == program::Op::in) {
        if (const auto given = at.inputs.find(node.name); given != at.inputs.end())
          out.values = given->second;
      } else if (node.op == program::Op::weight) {
        std::copy_n(at.weights.begin() + long(weight), out.values.size(), out.values.begin());
        weight += out.values.size();
      } else {
        fill(node, out);
      }
      nodes_.push_back(std::move(out));
    }
  }

  std::vector<double> of(ProgramPart part) const {
    const int node = part == ProgramPart::f   ? program_.f()
                     : part == ProgramPart::g ? program_.g()
                                              : program_.threshold();
    return nodes_[std::size_t(node)].values;
  }

 private:
  using Op = program::Op;

  long size(const Size& s) const { return s.at(long(at_.B), long(at_.p)); }
  std::vector<long> dims_of(const std::vector<Size>& shape) const {
    std::vector<long> dims;
    for (const Size& s : shape) dims.push_back(size(s));
    return dims;
  }

  static double one(Op op, double a, double b, double c) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    switch (op) {
      case Op::add:
        return a + b;
      case Op::sub:
        return a - b;
      case Op::mul:
        return a * b;
      case Op::div:
        return a / b;
      case Op::max:
        return std::isnan(a) || std::isnan(b) ? nan : std::max(a, b);
      case Op::min:
        return std::isnan(a) || std::isnan(b) ? nan : std::min(a, b);
      case Op::gt:
        return a > b;
      case Op::ge:
        return a >= b;
      case Op::lt:
        return a < b;
      case Op::le:
        return a <= b;
      case Op::eq:
        return a == b;
      case Op::ne:
        return a != b;
      case Op::neg:
        return -a;
      case Op::abs:
        return std::abs(a);
      case Op::sign:
        return std::isnan(a) ? nan : double(a > 0) - double(a < 0);
      case Op::relu:
        return std::isnan(a) ? nan : std::max(a, 0.0);
      case Op::exp:
        return std::exp(a);
      case Op::log:
        return std::log(a);
      case Op::tanh:
        return std::tanh(a);
      case Op::sigmoid:
        return 1 / (1 + std::exp(-a));
      case Op::sqrt:
        return std::sqrt(a);
      case Op::recip:
        return 1 / a;
      case Op::erf:
        return std::erf(a);
      default:
        return a != 0 ? b : c;
    }
  }

  void fill(const ProgramNode& node, Array& out) const {
    const auto in = [&](std::size_t k) -> const Array& { return nodes_[std::size_t(node.in[k])]; };
    const auto dim = node.dims.empty() ? 0 : std::size_t(node.dims[0]);
    if (node.op == Op::constant) {
      out.values = {node.of     ? double(size(*node.of))
                    : node.over ? 1 / double(size(*node.over))
                                : node.value};
    } else if (node.op == Op::view) {
      out.values = in(0).values;
    } else if (node.op == Op::sum || node.op == Op::amax) {
      reduce(node, in(0), out);
    } else if (node.op == Op::pad) {
      for_each_index(in(0).dims, [&](std::vector<long> index, std::size_t q) {
        index[dim] = size(node.begin) + index[dim] * node.step;
        out.values[out.at(index)] = in(0).values[q];
      });
    } else if (node.op == Op::cat) {
      long begin = 0;
      for (std::size_t k = 0; k < node.in.size(); begin += in(k++).dims[dim])
        for_each_index(in(k).dims, [&](std::vector<long> index, std::size_t q) {
          index[dim] += begin;
          out.values[out.at(index)] = in(k).values[q];
        });
    } else {
      for_each_index(out.dims, [&](const std::vector<long>& index, std::size_t q) {
        out.values[q] = entry(node, index);
      });
    }
  }

  static void reduce(const ProgramNode& node, const Array& x, Array& out) {
    const bool largest = node.op == Op::amax;
    if (largest)
      std::fill(out.values.begin(), out.values.end(), -std::numeric_limits<double>::infinity());
    for_each_index(x.dims, [&](const std::vector<long>& index, std::size_t q) {
      double& to = out.values[out.at(index)];
      to = largest ? one(Op::max, to, x.values[q], 0) : to + x.values[q];
    });
  }

  double entry(const ProgramNode& node, std::vector<long> index) const {
    const auto in = [&](std::size_t k) -> const Array& { return nodes_[std::size_t(node.in[k])]; };
    const auto value = [&](std::size_t k) { return in(k).values[in(k).at(index)]; };
    const auto dim = node.dims.empty() ? 0 : std::size_t(node.dims[0]);
    if (is_pointwise(node.op))
      return one(node.op, value(0), node.in.size() > 1 ? value(1) : 0,
                 node.in.size() > 2 ? value(2) : 0);
    switch (node.op) {
      case Op::row:
        index[0] = long(at_.column);
        return value(0);
      case Op::permute: {
        std::vector<long> from(index.size());
        for (std::size_t k = 0; k < index.size(); ++k) from[std::size_t(node.dims[k])] = index[k];
        return in(0).values[in(0).at(from)];
      }
      case Op::slice:
        index[dim] = size(node.begin) + index[dim] * node.step;
        return value(0);
      case Op::unfold:
        index[dim] = index[dim] * node.step + index.back();
        index.pop_back();
        return value(0);
      case Op::mm: {
        const std::size_t r = index.size();
        double sum = 0;
        for (long k = 0; k < in(0).dims.back(); ++k) {
          std::vector<long> a = index, b = index;
          a[r - 1] = b[r - 2] = k;
          sum += in(0).values[in(0).at(a)] * in(1).values[in(1).at(b)];
        }
        return sum;
      }
      case Op::solve: {
        const long width = in(0).dims[1];
        double sum = 0;
        for (long k = 0; k < width; ++k)
          sum += at_.inv_theta_11[std::size_t((index[0] * width + index[1]) * width + k)] *
                 in(0).values[std::size_t(index[0] * width + k)];
        return sum;
      }
      default:
        return value(0);  // expand
    }
  }

  const Program& program_;
  const ProgramArguments& at_;
  std::vector<Array> nodes_;
};

}  // namespace spodnet::test
