#pragma once

#include <functional>
#include <map>
#include <set>
#include <vector>

#include "spodnet/core/aligned.hpp"
#include "spodnet/program/graph.hpp"

namespace spodnet::program {

/// Pointwise chains are computed in blocks of this many entries, which stay in the first cache.
constexpr long kBlockEntries = 256;
constexpr long kLongRow = 64;              ///< a row of so many entries is computed by itself
constexpr long kFewEntries = 16;           ///< fewer of B and p do not lie innermost
constexpr std::size_t kLongestChain = 48;  ///< steps; each loads three at most
constexpr std::size_t kMostRegisters = 4 * kLongestChain;  ///< of a chain

/// Where numbers lie: addresses are roots[root] + offset. The first roots are these, behind them
/// comes whatever the caller has (fields, rows of weights).
enum Root : int { kTemporary = 0, kNumbers, kWeights, kGradient, kKept, kFirstField };

/// Where a node lies; size 0 in strides where a dim is broadcast.
struct View {
  int root = kTemporary;
  int temporary = -1;  ///< which, where root is kTemporary
  long offset = 0;
  std::vector<long> dims, strides;
};

/// One operand of what runs over some dims.
struct Operand {
  int root = 0, temporary = -1;
  long offset = 0;
  std::vector<long> strides;
  bool flat = false;    ///< of a chain: the entries of a row are neighbours, in the chain's order
  bool scalar = false;  ///< one number for a row
  int slot = -1;        ///< the block it is copied to
};

struct PointStep {
  Op op;
  int d;                     ///< a register
  int in[3] = {-1, -1, -1};  ///< its operands; -1: none
};

/// Pointwise operations on the same entries, with all their results but those that others read
/// staying in blocks. No steps: a copy. Registers are the loads, then one for each step.
struct Chain {
  long n = 0, row = 0;  ///< entries; of a row: the last dim where it is long, else all
  std::vector<long> dims;
  std::vector<Operand> loads, stores;
  std::vector<int> stored;  ///< the register of each store
  std::vector<PointStep> steps;
  std::vector<int> slots;  ///< of each step's register
  bool adds = false;       ///< to what is there
};

struct Product {
  std::vector<long> batch;
  long M = 0, N = 0, K = 0, am = 0, ak = 0, bk = 0, bn = 0, cm = 0, cn = 0;
  View A, B, C;
  bool adds = false;
};

/// Over the dims along which `to` does not move; results: of which it starts at 0, unless it adds.
struct Reduction {
  std::vector<long> dims;
  Operand from, to;
  long results = 0;
  bool largest = false, adds = false;
};

/// inv_theta_11 x of all matrices; backward: of d_h, with h. All contiguous.
struct SolveCall {
  View x, h, out;
  bool backward = false;
};

struct Instruction {
  enum class Kind { chain, product, reduction, solve } kind = Kind::chain;
  int index = 0;                 ///< among those of its kind
  std::vector<int> temporaries;  ///< that it touches
};

/// A node that is to be put somewhere; a gradient is added to what is there.
struct Sink {
  int node = -1;
  View view;
  bool adds = false;
};

/// The nodes of a graph as instructions, in stages that are run one after the other (f, threshold,
/// g). Views cost nothing, temporaries share an arena by their lifetimes.
class Plan {
 public:
  /// What is wanted, and what is executed whether read or not (`also`). sources: nodes that lie
  /// somewhere already. stage_of: the stage in which a node can be computed first.
  struct Order {
    std::vector<Sink> sinks;
    std::vector<int> also;
    std::map<int, View> sources;
    std::function<int(int)> stage_of;
    int stages = 1;
  };
  Plan() = default;
  Plan(const Graph& graph, Order order);

  std::vector<Chain> chains;
  std::vector<Product> products;
  std::vector<Reduction> reductions;
  std::vector<SolveCall> solves;
  std::vector<Instruction> code;
  std::vector<std::size_t> stage_end;  ///< in code
  AlignedVector numbers;               ///< constants
  long arena = 0;                      ///< doubles of the temporaries
  int slots = 0;                       ///< blocks that a chain needs
};

/// A contiguous view.
View contiguous(int root, long offset, Shape shape);
/// One with the dims that grow innermost, unless these are few entries.
View entries_innermost(int root, long offset, const Shape& shape);
bool is_contiguous(const View& view);
/// Broadcast to these dims.
View expanded(View view, const std::vector<long>& to);
/// The same numbers with other dims, where strides allow it.
bool viewed(const View& from, const std::vector<long>& to, View& out);

}  // namespace spodnet::program
