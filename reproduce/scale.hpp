#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace spodnet::figures {

/// One setting of the synthetic data: p variables, n samples, sparsity alpha of the factor
/// (as text: a number, or a range for a mix of sparsities).
struct Cell {
  std::size_t p = 0, n = 0;
  std::string alpha;

  bool operator==(const Cell&) const = default;
};

/// How much is done for one number of variables.
struct Size {
  std::size_t p = 0;
  std::size_t train = 1000, valid = 100, test = 100;  ///< matrices
  std::uint64_t epochs = 100;
  int seeds = 1;  ///< repetitions, each with data and weights of its own
};

/// A whole study: which cells, and how much for each of them.
struct Scale {
  std::string name;
  bool full = false;           ///< presets train for as many epochs as they say, not `epochs`
  std::vector<Size> sizes;     ///< one for each p below
  std::vector<Cell> fig4;      ///< p grows, n fixed, both sparsities
  std::vector<Cell> fig5;      ///< n grows, strongly sparse
  std::vector<Cell> walks;     ///< of fig7
  Cell animals;                ///< synthetic training data of fig6
  std::uint64_t patience = 0;  ///< epochs without a better validation error that end a training
  std::vector<double> rates;   ///< learning rates to choose from where the paper gives none
  std::uint64_t choose_epochs = 20;
  std::uint64_t walk_epochs = 20;

  const Size& size(std::size_t p) const;
  std::vector<Cell> grid() const;  ///< fig4 and fig5 together, each cell once
  std::size_t small_p() const;     ///< of fig5 (the paper: 20)
  std::size_t large_p() const;     ///< of fig5 (the paper: 100)
  std::vector<std::uint64_t> logged(std::uint64_t epochs) const;  ///< epochs scored on the test set
};

inline const std::string kStrong = "0.95", kWeak = "0.7";  ///< alpha of the two sparsities

/// paper, quick, or tiny (seconds; for tests). Any other name: Error.
Scale scale_from(const std::string& name);

}  // namespace spodnet::figures
