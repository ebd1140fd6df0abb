// A program as formulas that a person can read.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "spodnet/program/program.hpp"

namespace spodnet {
namespace {

using program::Op;

std::string size_text(const Size& size) {
  std::string out;
  const auto add = [&](long factor, const char* what) {
    if (factor == 0) return;
    const std::string sign = factor < 0 ? (out.empty() ? "-" : " - ") : (out.empty() ? "" : " + ");
    const long n = std::abs(factor);
    out += sign + (*what == 0 ? std::to_string(n) : n == 1 ? what : fmt::format("{} {}", n, what));
  };
  add(size.d, "B p");
  add(size.b, "B");
  add(size.c, "p");
  add(size.a, "");
  return out.empty() ? "0" : out;
}

std::string shape_text(const std::vector<Size>& shape) {
  std::string out = "[";
  for (std::size_t k = 0; k < shape.size(); ++k) out += (k ? ", " : "") + size_text(shape[k]);
  return out + "]";
}

/// Writes nodes as text; those that are read more than once get a name and a line.
class Formulas {
 public:
  explicit Formulas(const Program& program) : program_(program) {
    readers_.assign(program.nodes().size(), 0);
    for (const ProgramNode& node : program.nodes())
      for (const int a : node.in) ++readers_[std::size_t(a)];
    text_.resize(program.nodes().size());
  }

  std::string run() {
    answer("f", program_.f());
    if (program_.threshold() >= 0) answer("lambda", program_.threshold());
    answer("v", program_.g());
    std::string weights;
    for (const int a : program_.weights()) {
      const ProgramNode& w = program_.nodes()[std::size_t(a)];
      weights += (weights.empty() ? "weights: " : ", ") + w.name + " " + shape_text(w.shape) +
                 (w.fixed ? " (fixed)" : "");
    }
    return lines_ + weights + (weights.empty() ? "" : "\n");
  }

 private:
  static constexpr std::size_t kLongest = 60;  ///< of a formula within another

  void answer(const std::string& name, int a) {
    std::vector<char> read(text_.size(), 0);
    read[std::size_t(a)] = 1;
    for (int k = a; k >= 0; --k)
      if (read[std::size_t(k)])
        for (const int b : node(k).in) read[std::size_t(b)] = 1;
    for (int k = 0; k < a; ++k)  // in their order: a text is never more than one call deep
      if (read[std::size_t(k)]) of(k);
    lines_ += fmt::format("{} = {}\n", name, of(a));
  }

  const ProgramNode& node(int a) const { return program_.nodes()[std::size_t(a)]; }

  const std::string& of(int a) {
    std::string& known = text_[std::size_t(a)];
    if (!known.empty()) return known;
    std::string text = write(node(a));
    const bool leaf = node(a).op <= Op::row;
    const bool renamed = node(a).op == Op::view || node(a).op == Op::expand;
    if (!leaf && !renamed && (readers_[std::size_t(a)] > 1 || text.size() > kLongest)) {
      const std::string name = fmt::format("x{}", ++named_);
      lines_ += fmt::format("{} = {}\n", name, text);
      text = name;
    }
    return text_[std::size_t(a)] = text;
  }

  /// In parentheses, unless nothing outside of parentheses and bars is a space.
  std::string operand(int a) {
    const std::string& text = of(a);
    int depth = 0;
    bool bars = false, whole = true;
    for (const char c : text) {
      depth += (c == '(') - (c == ')');
      if (c == '|') bars = !bars;
      whole = whole && (c != ' ' || depth > 0 || bars);
    }
    return whole ? text : "(" + text + ")";
  }

  std::string write(const ProgramNode& n) {
    static const std::map<Op, const char*> kInfix = {{Op::add, "+"}, {Op::sub, "-"}, {Op::mul, "*"},
                                                     {Op::div, "/"}, {Op::gt, ">"},  {Op::ge, ">="},
                                                     {Op::lt, "<"},  {Op::le, "<="}, {Op::eq, "=="},
                                                     {Op::ne, "!="}, {Op::mm, "@"}};
    if (const auto sign = kInfix.find(n.op); sign != kInfix.end())
      return fmt::format("{} {} {}", operand(n.in[0]), sign->second, operand(n.in[1]));
    switch (n.op) {
      case Op::in:
      case Op::weight:
        return n.name;
      case Op::constant:
        return n.of     ? "(" + size_text(*n.of) + ")"
               : n.over ? "(1 / (" + size_text(*n.over) + "))"
                        : fmt::format("{:.6g}", n.value);
      case Op::row:
        return of(n.in[0]) + "[i]";
      case Op::neg:
        return "-" + operand(n.in[0]);
      case Op::abs:
        return "|" + of(n.in[0]) + "|";
      case Op::recip:
        return "1 / " + operand(n.in[0]);
      case Op::where:
        return fmt::format("where({}, {}, {})", of(n.in[0]), of(n.in[1]), of(n.in[2]));
      case Op::view:
      case Op::expand:
        return of(n.in[0]);
      case Op::permute:
        return turned(n);
      case Op::solve:
        return "inv_theta_11 " + operand(n.in[0]);
      default:
        return call(n);
    }
  }

  std::string turned(const ProgramNode& n) {
    std::vector<long> order = n.dims;
    if (order.size() > 1) std::swap(order[order.size() - 1], order[order.size() - 2]);
    if (std::is_sorted(order.begin(), order.end())) return operand(n.in[0]) + "'";
    std::string dims;
    for (const long k : n.dims) dims += " " + std::to_string(k);
    return "permute(" + of(n.in[0]) + ";" + dims + ")";
  }

  /// name(operands; what else the operation has).
  std::string call(const ProgramNode& n) {
    std::string out = std::string(name_of(n.op)) + "(";
    for (std::size_t k = 0; k < n.in.size(); ++k) out += (k ? ", " : "") + of(n.in[k]);
    for (std::size_t k = 0; k < n.dims.size(); ++k)
      out += (k ? " " : "; dim ") + std::to_string(n.dims[k]);
    if (n.op == Op::slice || n.op == Op::pad) out += ", from " + size_text(n.begin);
    if (n.op == Op::slice || n.op == Op::pad || n.op == Op::unfold)
      out += ", length " + size_text(n.length);
    if (n.step != 1) out += ", step " + std::to_string(n.step);
    return out + ")";
  }

  const Program& program_;
  std::vector<int> readers_;
  std::vector<std::string> text_;
  std::string lines_;
  int named_ = 0;
};

}  // namespace

std::string Program::formulas() const { return Formulas(*this).run(); }

}  // namespace spodnet
