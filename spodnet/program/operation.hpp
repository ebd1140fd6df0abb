#pragma once

#include <cstdint>
#include <string_view>

namespace spodnet::program {

/// The operations of a program: closed under differentiation. Tests give 1 or 0; everything is
/// float64 and broadcasts as in NumPy. docs/programs.md has their exact meaning.
enum class Op : std::uint8_t {
  // leaves
  in,
  weight,
  constant,
  row,  ///< row i of a table of weights, i the column
  // pointwise, of two
  add,
  sub,
  mul,
  div,
  max,
  min,
  gt,
  ge,
  lt,
  le,
  eq,
  ne,
  // pointwise, of one
  neg,
  abs,
  sign,
  relu,
  exp,
  log,
  tanh,
  sigmoid,
  sqrt,
  recip,
  erf,
  // pointwise, of three
  where,
  // the same as several of them, of a plan alone
  gate,          ///< b where a > 0, else 0
  mul_add,       ///< a b + c
  add_relu,      ///< relu(a + b)
  mul_add_relu,  ///< relu(a b + c)
  // [.., M, K] x [.., K, N]
  mm,
  // over some dims, which stay as 1
  sum,
  amax,
  // no arithmetic
  view,
  permute,
  expand,
  slice,
  cat,
  pad,
  unfold,
  // inv_theta_11 x, and its adjoint, which only a gradient has
  solve,
  solve_back,
};

constexpr int kOps = int(Op::solve_back) + 1;

/// As it is called in a program's text.
std::string_view name_of(Op op);
/// False: no operation of a text is called so.
[[nodiscard]] bool op_from(std::string_view name, Op& op);

constexpr bool is_pointwise(Op op) { return op >= Op::add && op <= Op::mul_add_relu; }
/// Those of gradients and plans: no program is written with them.
constexpr bool is_internal(Op op) {
  return op == Op::solve_back || (op >= Op::gate && op <= Op::mul_add_relu);
}
/// Operands; -1: any number of them.
constexpr int operands(Op op) {
  if (op <= Op::constant) return 0;
  if (op == Op::cat) return -1;
  if (op == Op::where) return 3;
  return (op >= Op::add && op <= Op::ne) || op == Op::mm || op == Op::solve_back ? 2 : 1;
}

}  // namespace spodnet::program
