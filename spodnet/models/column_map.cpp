#include "spodnet/models/column_map.hpp"

#include <algorithm>

namespace spodnet {

void ColumnMap::reserve(Tape& tape, std::size_t slots) const {
  tape.slots = slots;
  tape.h.assign(p_ * slots * mlp_.hidden_stride(), 0.0);
  for (AlignedVector* x : {&tape.x, &tape.out, &tape.d_x, &tape.d_out})
    x->assign(slots * mlp_.in_stride(), 0.0);
  mlp_.reserve(tape.pending);
}

void ColumnMap::forward(const Prepared& prepared, std::span<const Column> columns,
                        std::span<const double* const> input, std::span<double* const> z,
                        Tape& tape) const {
  const std::size_t stride = mlp_.in_stride();
  for (std::size_t s = 0; s < columns.size(); ++s)
    remove_entry(p_, columns[s].i, input[s], tape.x.data() + s * stride);
  mlp_.forward(prepared, columns.size(), tape.x.data(), hidden_rows(columns, tape),
               tape.out.data());
  for (std::size_t s = 0; s < columns.size(); ++s) {
    std::fill_n(z[s], padded(p_), 0.0);
    add_without_entry(p_, columns[s].i, tape.out.data() + s * stride, z[s]);
  }
}

void ColumnMap::backward(const Prepared& prepared, std::span<const Column> columns,
                         std::span<const double* const> input, std::span<const double* const> d_z,
                         std::span<double* const> d_input, std::size_t wanted, Tape& tape) const {
  const std::size_t stride = mlp_.in_stride();
  for (std::size_t s = 0; s < columns.size(); ++s) {
    remove_entry(p_, columns[s].i, input[s], tape.x.data() + s * stride);
    remove_entry(p_, columns[s].i, d_z[s], tape.d_out.data() + s * stride);
  }
  mlp_.backward(prepared, columns.size(), tape.x.data(), hidden_rows(columns, tape),
                tape.d_out.data(), tape.d_x.data(), std::min(p_ - 1, wanted), tape.pending);
  for (std::size_t s = 0; s < columns.size(); ++s)
    add_without_entry(p_, columns[s].i, tape.d_x.data() + s * stride, d_input[s]);
}

}  // namespace spodnet
