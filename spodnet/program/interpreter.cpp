#include "spodnet/program/interpreter.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "spodnet/core/kernels.hpp"
#include "spodnet/program/program_kernels.hpp"

namespace spodnet::program {
namespace {

/// Where entry q lies, of the first r dims.
long place_of(long q, std::size_t r, const std::vector<long>& dims,
              const std::vector<long>& strides) {
  long offset = 0;
  for (std::size_t k = r; k-- > 1; q /= dims[k]) offset += q % dims[k] * strides[k];
  return r > 0 ? offset + q * strides[0] : 0;
}

/// Calls of each run of neighbours: what(offset, stride, first, length).
template <class What>
void for_runs(const Operand& o, const std::vector<long>& dims, long begin, long n, What what) {
  const long inner = dims.back(), stride = o.strides.back();
  long row = begin / inner, column = begin % inner;
  for (long done = 0; done < n; ++row, column = 0) {
    const long length = std::min(n - done, inner - column);
    what(place_of(row, dims.size() - 1, dims, o.strides) + column * stride, stride, done, length);
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
    const std::size_t loads = c.loads.size(), outer = c.dims.size() - 1;
    const auto from = [&](const Operand& o, long row) {
      return at(o) + (row == 0 ? 0 : place_of(row, outer, c.dims, o.strides));
    };
    for (long row = 0; row * c.row < c.n; ++row) {
      for (std::size_t k = 0; k < loads; ++k) load_[k] = from(c.loads[k], row);
      for (std::size_t k = 0; k < c.stores.size(); ++k) store_[k] = from(c.stores[k], row);
      for (long begin = 0; begin < c.row; begin += kBlockEntries)
        chain_block(c, begin, std::min(kBlockEntries, c.row - begin));
    }
  }

  void product(const Product& p) const {
    long total = 1;
    for (const long d : p.batch) total *= d;
    const auto of = [&](const View& view, long q) {
      return at(view) + place_of(q, p.batch.size(), p.batch, view.strides);
    };
    for (long q = 0; q < total; ++q)
      kernels_.product(p.M, p.N, p.K, of(p.A, q), p.am, p.ak, of(p.B, q), p.bk, p.bn, of(p.C, q),
                       p.cm, p.cn, p.adds);
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

  /// n entries of a row.
  void chain_block(const Chain& c, long begin, long n) {
    const std::size_t loads = c.loads.size();
    for (std::size_t k = 0; k < loads; ++k) {
      const Operand& o = c.loads[k];
      reg_[k] = o.scalar ? load_[k] : o.flat ? load_[k] + begin : block(o.slot);
      if (!o.scalar && !o.flat) gather(o, c.dims, load_[k], begin, n, reg_[k]);
    }
    for (std::size_t k = 0; k < c.steps.size(); ++k) reg_[loads + k] = block(c.slots[k]);
    const bool direct = !c.steps.empty() && !c.adds;
    for (std::size_t k = 0; direct && k < c.stores.size(); ++k)
      if (c.stores[k].flat) reg_[std::size_t(c.stored[k])] = store_[k] + begin;
    for (const PointStep& s : c.steps) {
      PointOperand in[3];
      for (int k = 0; k < 3 && s.in[k] >= 0; ++k) {
        const auto r = std::size_t(s.in[k]);
        in[k] = {reg_[r], r < loads && c.loads[r].scalar};
      }
      kernels_.of(s.op)(n, reg_[std::size_t(s.d)], in);
    }
    for (std::size_t k = 0; k < c.stores.size(); ++k)
      if (!direct || !c.stores[k].flat)
        scatter(c.stores[k], c.dims, reg_[std::size_t(c.stored[k])], begin, n, store_[k], c.adds);
  }

  double* const* roots_;
  double* blocks_;
  const ProgramKernels& kernels_;
  std::array<double*, kMostRegisters> reg_, load_, store_;
};

double larger(double a, double b) { return a > b || a != a ? a : b; }

void Run::reduction(const Reduction& r) const {
  const double* from = at(r.from);
  double* to = at(r.to);
  constexpr double kLeast = -std::numeric_limits<double>::infinity();
  if (!r.adds) std::fill_n(to, r.results, r.largest ? kLeast : 0.0);
  long total = 1;
  for (const long d : r.dims) total *= d;
  if (total == 0) return;
  const std::size_t outer = r.dims.size() - 1;
  const long n = r.dims[outer], step = r.from.strides[outer], out = r.to.strides[outer];
  for (long row = 0; row < total / n; ++row) {
    const double* a = from + place_of(row, outer, r.dims, r.from.strides);
    double* c = to + place_of(row, outer, r.dims, r.to.strides);
    if (n >= kLongRow / 4 && step == 1 && out == 0)
      *c = r.largest ? larger(kernels_.largest(n, a), *c) : *c + kernels_.total(n, a);
    else if (n >= kLongRow / 4 && step == 1 && out == 1 && !r.largest)
      kernels().add(std::size_t(n), a, c);
    else if (r.largest)
      for (long k = 0; k < n; ++k) c[k * out] = larger(a[k * step], c[k * out]);
    else
      for (long k = 0; k < n; ++k) c[k * out] += a[k * step];
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
