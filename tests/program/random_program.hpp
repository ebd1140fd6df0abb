#pragma once

#include "spodnet/core/random.hpp"
#include "spodnet/models/program_part.hpp"

namespace spodnet::test {

/// Programs of all operations, drawn by a seed: f over a few features of the entries, with now and
/// then a matrix product, a sum over the column, a cat and a window; a threshold and a g.
class RandomProgram {
 public:
  RandomProgram(std::uint64_t seed, bool full_width, bool solves)
      : random_(seed, 0x70726f67), full_(full_width), solves_(solves) {}

  Program make() {
    const char* names[2][3] = {{"theta_12", "w_12", "s_12"}, {"theta", "w", "s"}};
    for (const char* name : names[full_ ? 1 : 0]) vectors_.push_back(in(name));
    for (const char* name : {"theta_22", "w_22", "s_22"}) scalars_.push_back(in(name));
    if (full_) vectors_.push_back(in("diag_Theta"));
    if (full_) vectors_.push_back(row("f.table"));
    for (int k = 0; k < 10; ++k) step();
    const int f = point(Op::add, vectors_.back(), some(vectors_));
    vectors_.push_back(in("z"));
    for (int k = 0; k < 3; ++k) step();
    const int threshold = one(Op::abs, point(Op::add, in_z(), some(vectors_)));
    const int q = in("q");
    const int g = g_of(q);
    program_.finish(f, threshold, g);
    return program_;
  }

 private:
  using Op = program::Op;

  std::size_t draw(std::size_t n) { return std::size_t(random_.uniform(0, double(n))); }
  int some(const std::vector<int>& list) { return list[draw(list.size())]; }
  int add(ProgramNode node) { return program_.add(std::move(node)); }
  int in(const std::string& name) { return add({.op = Op::in, .name = name}); }
  int in_z() const { return program_.inputs().back(); }
  int number(double x) { return add({.op = Op::constant, .value = x}); }
  int weight(std::vector<Size> shape) {
    return add(
        {.op = Op::weight, .shape = std::move(shape), .name = "w" + std::to_string(count_++)});
  }
  int row(const std::string& name) {
    const Size p{0, 0, 1};
    const int table = add({.op = Op::weight, .shape = {p, p}, .name = name});
    return add({.op = Op::expand,
                .in = {add({.op = Op::row, .in = {table}})},
                .shape = shape(vectors_[0])});
  }
  int one(Op op, int a) { return add({.op = op, .in = {a}}); }
  int point(Op op, int a, int b) { return add({.op = op, .in = {a, b}}); }
  const std::vector<Size>& shape(int a) const { return program_.nodes()[std::size_t(a)].shape; }
  Size width() const { return full_ ? Size{0, 0, 1} : Size{-1, 0, 1}; }

  /// A smooth function of x that stays of the size of 1.
  int bounded(int x) {
    switch (draw(7)) {
      case 0:
        return one(Op::tanh, x);
      case 1:
        return one(Op::sigmoid, x);
      case 2:
        return one(Op::erf, x);
      case 3:
        return one(Op::relu, x);
      case 4:
        return one(Op::recip, point(Op::add, point(Op::mul, x, x), number(1)));
      case 5:
        return one(Op::exp, one(Op::neg, one(Op::abs, x)));
      default:
        return one(Op::log,
                   point(Op::add, one(Op::sqrt, point(Op::add, point(Op::mul, x, x), number(0.1))),
                         number(1)));
    }
  }

  int with_dim(int x) {  // [B, w] -> [B, w, 1]
    std::vector<Size> s = shape(x);
    s.push_back({1});
    return add({.op = Op::view, .in = {x}, .shape = s});
  }

  /// Features of the entries through a small layer, [B, w, k] -> [B, w].
  int layer(int x, int y) {
    const int features = add({.op = Op::cat, .in = {with_dim(x), with_dim(y)}, .dims = {2}});
    const int A = weight({{3}, {2}}), b = weight({{3}});
    const int turned = add({.op = Op::permute, .in = {A}, .dims = {1, 0}});
    const int hidden = bounded(point(Op::add, add({.op = Op::mm, .in = {features, turned}}), b));
    const int last = draw(2) == 0 ? add({.op = Op::amax, .in = {hidden}, .dims = {2}})
                                  : add({.op = Op::sum, .in = {hidden}, .dims = {2}});
    return add({.op = Op::view, .in = {last}, .shape = shape(x)});
  }

  /// Attention's product of the entries with each other.
  int mixed(int x, int y) {
    std::vector<Size> as_row = shape(x);
    as_row.insert(as_row.begin() + 1, Size{1});
    const int products =
        add({.op = Op::mm, .in = {with_dim(x), add({.op = Op::view, .in = {y}, .shape = as_row})}});
    const int shift = add({.op = Op::amax, .in = {products}, .dims = {2}});
    const int e = one(Op::exp, point(Op::sub, products, shift));
    const int soft = point(Op::div, e, add({.op = Op::sum, .in = {e}, .dims = {2}}));
    const int out = add({.op = Op::mm, .in = {soft, with_dim(x)}});
    return add({.op = Op::view, .in = {out}, .shape = shape(x)});
  }

  /// A window of three neighbours.
  int convolved(int x) {
    Size longer = shape(x)[1];
    longer.a += 2;
    const int padded = add({.op = Op::pad, .in = {x}, .dims = {1}, .begin = {1}, .length = longer});
    const int windows = add({.op = Op::unfold, .in = {padded}, .dims = {1}, .length = {3}});
    const int product = point(Op::mul, windows, weight({{3}}));
    return add({.op = Op::view,
                .in = {add({.op = Op::sum, .in = {product}, .dims = {2}})},
                .shape = shape(x)});
  }

  int rolled(int x) {  // the last entry first
    const Size w = shape(x)[1];
    const Size but_one{w.a - 1, w.b, w.c, w.d};
    const int head =
        add({.op = Op::slice, .in = {x}, .dims = {1}, .begin = {0}, .length = but_one});
    const int tail =
        add({.op = Op::slice, .in = {x}, .dims = {1}, .begin = but_one, .length = {1}});
    return add({.op = Op::cat, .in = {tail, head}, .dims = {1}});
  }

  void step() {
    const int x = some(vectors_), y = some(vectors_), s = some(scalars_);
    int out = x;
    switch (draw(13)) {
      case 0:
        out = point(Op::add, x, bounded(y));
        break;
      case 1:
        out = point(Op::sub, bounded(x), bounded(y));
        break;
      case 2:
        out = point(Op::mul, bounded(x), bounded(s));
        break;
      case 3:
        out = point(Op::div, x, point(Op::add, one(Op::abs, y), number(1)));
        break;
      case 4:
        out = point(draw(2) == 0 ? Op::max : Op::min, x, y);
        break;
      case 5:
        out = add(
            {.op = Op::where, .in = {point(draw(2) == 0 ? Op::gt : Op::le, x, y), bounded(x), y}});
        break;
      case 6:
        out = point(Op::mul, one(Op::sign, x), bounded(y));
        break;
      case 7:
        out = bounded(layer(x, y));
        break;
      case 8:
        out = mixed(bounded(x), bounded(y));
        break;
      case 9:
        out = convolved(x);
        break;
      case 10:
        out = rolled(x);
        break;
      case 11: {
        const int over = add({.op = Op::constant, .over = width()});
        const int mean =
            point(Op::mul, add({.op = Op::sum, .in = {bounded(x)}, .dims = {1}}), over);
        scalars_.push_back(mean);
        out = point(Op::add, y, mean);
        break;
      }
      default:
        if (solves_)
          out = bounded(add({.op = Op::solve, .in = {bounded(x)}}));
        else
          out = add({.op = Op::expand, .in = {bounded(s)}, .shape = shape(x)});
    }
    vectors_.push_back(out);
  }

  int g_of(int q) {
    const int features = add({.op = Op::cat, .in = {scalars_[0], scalars_[2], q}, .dims = {1}});
    const int A = weight({{3}, {3}});
    const int y = bounded(add({.op = Op::mm, .in = {features, A}}));
    return one(Op::abs, add({.op = Op::sum, .in = {y}, .dims = {1}}));
  }

  RandomStream random_;
  bool full_, solves_;
  Program program_;
  int count_ = 0;
  std::vector<int> vectors_, scalars_;
};

/// Inputs and weights of a program, normal numbers; W = inv_theta_11 symmetric.
inline ProgramArguments random_arguments(const Program& program, std::size_t B, std::size_t p,
                                         std::uint64_t seed) {
  RandomStream random(seed, 0x61726773);
  ProgramArguments at{.B = B, .p = p, .column = std::size_t(random.uniform(0, double(p)))};
  for (const int a : program.inputs()) {
    const ProgramNode& node = program.nodes()[std::size_t(a)];
    std::size_t n = 1;
    for (const Size& s : node.shape) n *= std::size_t(s.at(long(B), long(p)));
    for (std::size_t k = 0; k < n; ++k) at.inputs[node.name].push_back(random.normal());
  }
  for (const int a : program.weights()) {
    std::size_t n = 1;
    for (const std::size_t s : program.weight_shape(a, p)) n *= s;
    for (std::size_t k = 0; k < n; ++k) at.weights.push_back(0.5 * random.normal());
  }
  const std::size_t w = program.full_width() ? p : p - 1;
  at.inv_theta_11.assign(B * w * w, 0.0);
  for (std::size_t b = 0; b < B; ++b)
    for (std::size_t i = 0; i < w; ++i)
      for (std::size_t j = 0; j <= i; ++j)
        at.inv_theta_11[(b * w + i) * w + j] = at.inv_theta_11[(b * w + j) * w + i] =
            random.normal() / double(w) + double(i == j);
  return at;
}

}  // namespace spodnet::test
