#pragma once

#include <cmath>
#include <utility>

#include "spodnet/program/expression.hpp"

namespace spodnet::program {

// Every rule of the library that is written by hand, once more as a program with the same names of
// weights: the second route to its forward and to all its gradients.

/// The paper's rules, for p variables.
struct PaperPrograms {
  long p;

  Expr mlp(Column& c, const std::string& name, Expr x, long hidden, long out) const {
    return c.linear(name + ".1", relu(c.linear(name + ".0", x, hidden)), out);
  }
  Expr step(Column& c) const {
    const Expr gamma = abs(mlp(c, "f.gamma", c.theta_12(), p / 2, 1));
    return c.theta_12() - gamma * (c.s_12() - c.w_12());
  }
  /// A program for p variables: weights know p.
  Program make(const Part& f, double kappa) const {
    Program program{std::size_t(p)};
    Column column(program);
    const Expr z = f(column), lambda = paper_threshold(kappa)(column), v = paper_margin()(column);
    program.finish(z.node(), lambda.node(), v.node());
    return program;
  }
  Program ubg() const {
    return make([&](Column& c) { return step(c); }, 1);
  }
  Program pnp() const {
    return make([&](Column& c) { return mlp(c, "f.psi", step(c), 2 * p, p - 1); }, 0.1);
  }
  Program e2e() const {
    return make([&](Column& c) { return mlp(c, "f.phi", c.theta_12(), 10 * p, p - 1); }, 0.1);
  }
};

/// ubg-any, pnp-any and the layer of consistent-any.
class AnyPrograms {
 public:
  AnyPrograms() = default;
  /// For one S with this summary, of whose networks each has one of `adapt` units that changes it
  /// (0: none): consistent-any reads the whole of S, which is no field of a column.
  AnyPrograms(std::vector<double> summary, long adapt)
      : summary_(std::move(summary)), adapt_(adapt) {}

  Program ubg() const {
    return make_program([this](Column& c) { return step(c); },
                        [this](Column& c) { return margin(c); },
                        [this](Column& c) { return m(c) * threshold(c, false); });
  }
  Program pnp() const {
    return make_program(
        [this](Column& c) {
          const Expr u = step(c);
          return u + m(c) * phi(entry_network(c, "f.psi", entry_features(c, u, true)));
        },
        [this](Column& c) { return margin(c); },
        [this](Column& c) { return m(c) * threshold(c, true); });
  }
  Program consistent() const {
    return make_program(
        [this](Column& c) {
          const Expr u = bounded_step(c);
          const Expr shift = phi(entry_network(c, "f.psi", entry_features(c, u, true)));
          return u + unit(c) * m(c) * shift;
        },
        [this](Column& c) { return exp(tau(c) * 3 * phi(margin_network(c) / 3)) / c.s_22(); },
        [this](Column& c) {
          const Expr t = threshold(c, true);
          return unit(c) * m(c) * t / (1 + (1 - tau(c)) * t);
        });
  }

 private:
  static constexpr long kHidden = 16;

  static Expr phi(Expr x) { return x / (1 + abs(x)); }
  static Expr bounded_exp(Expr x, double L) { return exp(L * phi(x / L)); }
  static Expr m(Column& c) { return sqrt(c.diag_Theta() * c.theta_22()); }

  Expr column_features(Column& c) const {
    const Expr t = c.theta() / m(c), r = c.s() - c.w();
    const auto squares = [](Expr x) { return sum(x * x, 1); };
    const auto log_of = [](Expr x) { return max(min(log(x), 12.0), -12.0); };
    const Expr n = c.n();
    const Expr samples = max(min((log(n) - 4.0) / 2.0, 3.0), -2.0);
    const Expr ratio = max(min(log(n / c.size(kP)) / 2.0, 4.0), -3.0);
    std::vector<Expr> x = {log(1 + squares(t)),
                           log(1 + squares(r * m(c))),
                           log(1 + squares(c.w() * m(c))),
                           phi(sum(c.theta() * r, 1)),
                           c.s_22() / (c.s_22() + c.w_22()),
                           log_of(c.theta_22() * c.w_22()),
                           log_of(c.w_22()),
                           samples,
                           ratio};
    if (!summary_.empty()) x.push_back(expand(summary(c), {kB, {features() - 9}}));
    return cat(x, 1);
  }
  long features() const { return 9 + long(summary_.size()); }
  Expr summary(Column& c) const {
    return c.weight("summary", {{1}, {features() - 9}}, {.values = summary_, .fixed = true});
  }

  Expr mlp(Column& c, const std::string& name, Expr x, long out = 1, long hidden = kHidden) const {
    return c.linear(name + ".1", relu(c.linear(name + ".0", x, hidden)), out);
  }

  Expr step(Column& c) const {
    const Expr gamma = bounded_exp(mlp(c, "f.gamma", column_features(c)), 6);
    return c.theta() - gamma * m(c) * phi(m(c) * (c.s() - c.w()));
  }

  // What consistent-any has of its own: tau fades as n / p grows, c_j is its unit, and gamma stays
  // below 1.5 / ((1 - tau / 2) ||S||_F), whose size the summary tells.
  static Expr tau(Column& c) { return min(2 * c.size(kP) / c.n(), 1.0); }
  static Expr unit(Column& c) {
    const Expr rho = 1 - tau(c) / 2;
    return tau(c) / sqrt(1 - rho + rho * m(c) * m(c));
  }
  Expr bounded_step(Column& c) const {
    const Expr g = bounded_exp(mlp(c, "f.gamma", column_features(c)), 4);
    const Expr p = c.size(kP), r2 = exp(2 * (slice(summary(c), 1, {2}, {1}) - 2));
    const Expr most = (1 - tau(c) / 2) * min(p, sqrt(p + p * (p - 1) * r2)) / 1.5;
    return c.theta() - g / (1 + g * most) * phi(c.s() - c.w());
  }

  Expr entry_features(Column& c, Expr z, bool signs) const {
    const auto folded = [&](Expr x) {
      return signs ? x : x * where(z < 0.0, z * 0.0 - 1.0, z * 0.0 + 1.0);
    };
    const Expr size = folded(z), theta = folded(c.theta()), w = folded(c.w()),
               r = folded(c.s()) - w, k = sqrt(c.n()) / 3.0, scaled = size / m(c), moved = r * m(c);
    std::vector<Expr> x = {phi(scaled),   theta / m(c),        phi(moved),
                           phi(w * m(c)), phi(k * scaled),     phi(k * moved),
                           phi(size),     phi(c.diag_Theta()), phi(c.diag_S() * c.diag_Theta())};
    for (Expr& each : x) each = unsqueeze(each, -1);
    return cat(x, 2);
  }

  /// c + B relu(A x_j + C x + b), to whose b and B a network of the column adds.
  Expr entry_network(Column& c, const std::string& name, Expr x) const {
    const Expr C = c.weight(name + ".0.column", {{kHidden}, {features()}});
    Expr of_column = matmul(column_features(c), transpose(C)), change;
    if (adapt_ > 0) {
      change = mlp(c, name + "_adapt", column_features(c), 2 * kHidden, adapt_);
      of_column = of_column + slice(change, 1, {0}, {kHidden});
    }
    const Expr h = relu(c.linear(name + ".0", x, kHidden) + unsqueeze(of_column, 1));
    const Expr y = squeeze(c.linear(name + ".1", h, 1), -1);
    if (adapt_ == 0) return y;
    return y + squeeze(sum(h * unsqueeze(slice(change, 1, {kHidden}, {kHidden}), 1), 2), 2);
  }

  Expr threshold(Column& c, bool signs) const {
    const Expr t = entry_network(c, "f.lambda", entry_features(c, c.z(), signs));
    return 0.5 * (t + sqrt(t * t + 1.0));
  }

  Expr margin_network(Column& c) const {
    const Expr x = cat({column_features(c), log(1 + c.q() * c.w_22()), log(1 + c.q())}, 1);
    return mlp(c, "g", x);
  }
  Expr margin(Column& c) const {
    return bounded_exp(margin_network(c), 3) / (c.s_22() + 0.05 * c.w_22());
  }

  std::vector<double> summary_;
  long adapt_ = 0;
};

}  // namespace spodnet::program
