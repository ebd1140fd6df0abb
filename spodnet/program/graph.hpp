#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "spodnet/program/operation.hpp"

namespace spodnet::program {

/// A size at one (B, p). Those that grow with B or p lie innermost in memory, so that the entries
/// of a column are neighbours and loops are long.
struct Dim {
  long n = 1;
  bool grows = false;
  bool operator==(const Dim& other) const { return n == other.n; }
};
using Shape = std::vector<Dim>;

long count(const Shape& shape);

struct Node {
  Op op = Op::constant;
  std::vector<int> in;
  Shape shape;
  std::vector<long> attr;  ///< permute: order; sum, amax: dims; cat: dim; slice, pad: dim, begin,
                           ///< step; unfold: dim, step
  double value = 0;        ///< of a constant
  int leaf = -1;           ///< of an input or a weight: its place in the program's lists
};

/// A program at one (B, p), in the order of its dependencies (SSA), and its gradient: nodes of the
/// same kind behind it. Equal nodes are one.
class Graph {
 public:
  std::vector<Node> nodes;
  std::vector<int> places;  ///< of each node as it was written: equal ones are one

  const Shape& shape(int a) const { return nodes[std::size_t(a)].shape; }
  int push(Node node);
  int constant(double value) { return push({.op = Op::constant, .value = value}); }
  /// The operation where node a is pointwise, as the product of a column and a row is; else
  /// Op::constant.
  Op pointwise(int a) const;
  bool is_point(int a) const { return pointwise(a) != Op::constant; }
  int point(Op op, std::vector<int> in);
  int view(int a, const Shape& shape);
  int permute(int a, std::vector<long> order);
  int mm(int a, int b);
  int reduce(Op op, int a, std::vector<long> dims);
  int expand(int a, const Shape& shape);
  int slice(int a, long dim, long begin, Dim size, long step = 1);
  int pad(int a, const Shape& shape, long dim, long begin, long step = 1);

  /// The adjoints of `wrt` (-1: it has none) from the adjoints of some nodes: (node, adjoint).
  /// `solves`: the solve_back nodes, which are executed whether read or not.
  std::vector<int> gradient(const std::vector<std::pair<int, int>>& seeds,
                            const std::vector<int>& wrt, std::vector<int>& solves);

 private:
  int simplified(const Node& node);
  int before_view(Node node);

  std::map<std::string, int> known_;
};

}  // namespace spodnet::program
