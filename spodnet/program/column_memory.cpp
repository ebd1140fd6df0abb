// The numbers of a ColumnProgram.
#include <algorithm>

#include "spodnet/core/error.hpp"
#include "spodnet/program/column_program.hpp"
#include "spodnet/program/program_kernels.hpp"

namespace spodnet {

using program::Plan;

ColumnMemory::ColumnMemory(std::shared_ptr<const ColumnProgram> program, std::size_t columns)
    : program_(std::move(program)), columns_(columns) {
  const ColumnProgram& c = *program_;
  constexpr double kMostBytes = 0x1p37;
  if (double(c.bytes(columns)) > kMostBytes)
    throw Error("the program needs " + std::to_string(c.bytes(columns) >> 30) + " GB for " +
                std::to_string(c.p()) + " variables: take fewer");
  roots_.assign(std::size_t(c.roots()), nullptr);
  const Plan &forward = c.forward_, &backward = c.backward_;
  arena_.assign(std::size_t(std::max(forward.arena, backward.arena)) + 8, 0.0);
  blocks_.assign(std::size_t(std::max(forward.slots, backward.slots) * program::kBlockEntries),
                 0.0);
  kept_.assign(c.kept() * columns, 0.0);
  const std::size_t answer =
      ColumnProgram::whole_lines(std::max<std::size_t>(c.B() * c.width(), c.B()));
  std::size_t total = 6 * answer;
  for (const ProgramInput& input : c.inputs()) total += 2 * ColumnProgram::whole_lines(input.size);
  fields_.assign(total, 0.0);
  double* at = fields_.data();
  const auto take = [&](int root, std::size_t size) {
    roots_[std::size_t(root)] = at;
    at += ColumnProgram::whole_lines(size);
  };
  for (std::size_t k = 0; k < c.inputs().size(); ++k) {
    take(program::kFirstField + int(k), c.inputs()[k].size);
    take(c.adjoint_root(int(k)), c.inputs()[k].size);
  }
  for (int k = 0; k < 6; ++k) take(c.answer_root(k), answer);
  roots_[program::kTemporary] = arena_.data();
  for (const auto& late : c.products_)
    for (const int k : {0, 1}) operands_.emplace_back(std::size_t(late.size(k)) * columns, 0.0);
}

void ColumnMemory::begin(std::size_t column, const double* weights, double* d_weights) {
  const ColumnProgram& c = *program_;
  roots_[program::kWeights] = const_cast<double*>(weights);
  roots_[program::kGradient] = d_weights;
  roots_[program::kKept] = kept_.data() + column % columns_ * c.kept();
  for (std::size_t k = 0; k < c.rows_.size(); ++k) {
    const std::size_t at = c.rows_[k].offset + column * c.rows_[k].step;
    roots_[std::size_t(c.row_root(int(k)))] = const_cast<double*>(weights) + at;
    roots_[std::size_t(c.row_root(int(c.rows_.size() + k)))] = d_weights ? d_weights + at : nullptr;
  }
  for (std::size_t k = 0; k < operands_.size(); ++k)
    roots_[std::size_t(c.product_root(int(k)))] =
        operands_[k].data() + column % columns_ * (operands_[k].size() / columns_);
}

void ColumnMemory::add_products(std::size_t columns, double* d_weights) const {
  for (std::size_t k = 0; d_weights && k < program_->products_.size(); ++k) {
    const auto& late = program_->products_[k];
    program_kernels().product(late.M, late.N, late.K * long(columns), operands_[2 * k].data(), 1,
                              late.M, operands_[2 * k + 1].data(), late.N, 1,
                              d_weights + late.offset, late.turned ? 1 : late.N,
                              late.turned ? late.M : 1, true);
  }
}

void ColumnMemory::run(const Plan& plan, int stage, program::ColumnSolver* solver) {
  roots_[program::kNumbers] = const_cast<double*>(plan.numbers.data());
  run_stage(plan, stage, roots_.data(), blocks_.data(), solver);
}

}  // namespace spodnet
