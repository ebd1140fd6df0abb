#include "spodnet/program/interpreter.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "spodnet/core/kernels.hpp"
#include "spodnet/program/program_kernels.hpp"

namespace spodnet::program {
namespace {

/// Calls of each run of neighbours: what(offset, stride, first, length).
template <class What>
void for_runs(const Operand& o, const std::vector<long>& dims, long begin, long n, What what) {
  const std::size_t r = dims.size();
  const long inner = dims[r - 1], stride = o.strides[r - 1];
  long row = begin / inner, column = begin % inner;
  for (long done = 0; done < n; ++row, column = 0) {
    long rest = row, offset = column * stride;
    for (std::size_t k = r - 1; k-- > 0;) {
      offset += rest % dims[k] * o.strides[k];
      rest /= dims[k];
    }
    const long length = std::min(n - done, inner - column);
    what(offset, stride, done, length);
    done += length;
  }
}

void gather(const Operand& o, const std::vector<long>& dims, const double* from, long begin, long n,
            double* to) {
  for_runs(o, dims, begin, n, [&](long offset, long stride, long first, long length) {
    const double* x = from + offset;
    double* y = to + first;
    if (stride == 0)
      std::fill_n(y, length, *x);
    else if (stride == 1)
      std::copy_n(x, length, y);
    else
      for (long k = 0; k < length; ++k) y[k] = x[k * stride];
  });
}

void scatter(const Operand& o, const std::vector<long>& dims, const double* from, long begin,
             long n, double* to, bool adds) {
  for_runs(o, dims, begin, n, [&](long offset, long stride, long first, long length) {
    double* x = to + offset;
    const double* y = from + first;
    if (adds)
      for (long k = 0; k < length; ++k) x[k * stride] += y[k];
    else if (stride == 1)
      std::copy_n(y, length, x);
    else
      for (long k = 0; k < length; ++k) x[k * stride] = y[k];
  });
}

class Run {
 public:
  Run(double* const* roots, double* blocks)
      : roots_(roots), blocks_(blocks), kernels_(program_kernels()) {}

  void chain(const Chain& c) {
    const std::size_t loads = c.loads.size();
    for (std::size_t k = 0; k < loads; ++k) {
      const Operand& o = c.loads[k];
      if (o.root == kNumbers) {
        reg_[k] = roots_[kNumbers] + o.offset;
      } else if (o.scalar) {
        reg_[k] = block(o.slot);
        std::fill_n(reg_[k], std::min(c.n, kBlockEntries), at(o)[0]);
      }
    }
    for (long begin = 0; begin < c.n; begin += kBlockEntries)
      chain_block(c, begin, std::min(kBlockEntries, c.n - begin));
  }

  void product(const Product& p) const {
    long total = 1;
    for (const long d : p.batch) total *= d;
    const double *A = at(p.A), *B = at(p.B);
    double* C = at(p.C);
    for (long q = 0; q < total; ++q) {
      long rest = q, a = 0, b = 0, c = 0;
      for (std::size_t k = p.batch.size(); k-- > 0;) {
        const long e = rest % p.batch[k];
        rest /= p.batch[k];
        a += e * p.A.strides[k];
        b += e * p.B.strides[k];
        c += e * p.C.strides[k];
      }
      kernels_.product(p.M, p.N, p.K, A + a, p.am, p.ak, B + b, p.bk, p.bn, C + c, p.cm, p.cn,
                       p.adds);
    }
  }

  void reduction(const Reduction& r) const;

  void solve(const SolveCall& s, ColumnSolver& solver) const {
    if (s.backward)
      solver.solve_back(at(s.h), at(s.x), at(s.out));
    else
      solver.solve(at(s.x), at(s.out));
  }

 private:
  template <class Where>
  double* at(const Where& where) const {
    return roots_[where.root] + where.offset;
  }
  double* block(int slot) const { return blocks_ + slot * kBlockEntries; }

  void chain_block(const Chain& c, long begin, long n) {
    const std::size_t loads = c.loads.size();
    for (std::size_t k = 0; k < loads; ++k) {
      const Operand& o = c.loads[k];
      if (o.scalar) continue;
      if (o.flat) {
        reg_[k] = at(o) + begin;
      } else {
        reg_[k] = block(o.slot);
        gather(o, c.dims, at(o), begin, n, reg_[k]);
      }
    }
    for (std::size_t k = 0; k < c.steps.size(); ++k) reg_[loads + k] = block(c.slots[k]);
    const bool direct = !c.steps.empty() && !c.adds;
    for (std::size_t k = 0; direct && k < c.stores.size(); ++k)
      if (c.stores[k].flat) reg_[std::size_t(c.stored[k])] = at(c.stores[k]) + begin;
    for (const PointStep& s : c.steps)
      kernels_.of(s.op)(n, reg_[std::size_t(s.d)], reg_[std::size_t(s.a)],
                        s.b < 0 ? nullptr : reg_[std::size_t(s.b)],
                        s.c < 0 ? nullptr : reg_[std::size_t(s.c)]);
    for (std::size_t k = 0; k < c.stores.size(); ++k)
      if (!direct || !c.stores[k].flat)
        scatter(c.stores[k], c.dims, reg_[std::size_t(c.stored[k])], begin, n, at(c.stores[k]),
                c.adds);
  }

  double* const* roots_;
  double* blocks_;
  const ProgramKernels& kernels_;
  std::array<double*, kMostRegisters> reg_;
};

double larger(double a, double b) { return a > b || a != a ? a : b; }

/// The dims of `from` outermost first; the innermost in memory is one loop.
void Run::reduction(const Reduction& r) const {
  const std::vector<long>&dims = r.from.dims, &s = r.from.strides;
  double* to = at(r.to);
  const double* from = at(r.from);
  const double start = r.largest ? -std::numeric_limits<double>::infinity() : 0.0;
  std::vector<std::size_t> order;
  long total = 1;
  for (std::size_t k = 0; k < dims.size(); ++k) {
    total *= dims[k];
    if (dims[k] != 1) order.push_back(k);
  }
  long results = 1;
  for (const long d : r.to.dims) results *= d;
  for (long q = 0; q < results; ++q) {
    long rest = q, offset = 0;
    for (std::size_t k = r.to.dims.size(); k-- > 0;) {
      offset += rest % r.to.dims[k] * r.to.strides[k];
      rest /= r.to.dims[k];
    }
    to[offset] = start;
  }
  if (total == 0) return;
  if (order.empty()) {
    *to = *from;
    return;
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t u, std::size_t v) { return s[u] > s[v]; });
  const auto stays = [&](std::size_t k) { return r.to.dims[k] == 1 ? 0 : r.to.strides[k]; };
  const std::size_t inner = order.back();
  const long n = dims[inner], step = s[inner], out = stays(inner);
  for (long q = 0, rows = total / n; q < rows; ++q) {
    long rest = q, x = 0, y = 0;
    for (std::size_t k = order.size() - 1; k-- > 0;) {
      const long e = rest % dims[order[k]];
      rest /= dims[order[k]];
      x += e * s[order[k]];
      y += e * stays(order[k]);
    }
    const double* a = from + x;
    double* c = to + y;
    if (out == 0) {
      double value = start;
      if (step == 1)
        value = r.largest ? kernels_.largest(n, a) : kernels_.total(n, a);
      else if (r.largest)
        for (long k = 0; k < n; ++k) value = larger(a[k * step], value);
      else
        for (long k = 0; k < n; ++k) value += a[k * step];
      *c = r.largest ? larger(value, *c) : *c + value;
    } else if (r.largest) {
      for (long k = 0; k < n; ++k) c[k * out] = larger(a[k * step], c[k * out]);
    } else if (step == 1 && out == 1) {
      kernels().add(std::size_t(n), a, c);
    } else {
      for (long k = 0; k < n; ++k) c[k * out] += a[k * step];
    }
  }
}

}  // namespace

void run_stage(const Plan& plan, int stage, double* const* roots, double* blocks,
               ColumnSolver* solver) {
  Run run(roots, blocks);
  const std::size_t begin = stage == 0 ? 0 : plan.stage_end[std::size_t(stage) - 1];
  for (std::size_t k = begin; k < plan.stage_end[std::size_t(stage)]; ++k) {
    const auto index = std::size_t(plan.code[k].index);
    switch (plan.code[k].kind) {
      case Instruction::Kind::chain:
        run.chain(plan.chains[index]);
        break;
      case Instruction::Kind::product:
        run.product(plan.products[index]);
        break;
      case Instruction::Kind::reduction:
        run.reduction(plan.reductions[index]);
        break;
      case Instruction::Kind::solve:
        run.solve(plan.solves[index], *solver);
    }
  }
}

}  // namespace spodnet::program
