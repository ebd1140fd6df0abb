#pragma once

#include <string>
#include <vector>

#include "reproduce/study.hpp"
#include "spodnet/core/types.hpp"

namespace spodnet::figures {

/// The real data of the paper: 102 questions about 33 animals, answered yes (1) or no (0).
struct Animals {
  std::vector<std::string> names;
  Matrix X;  ///< n x p, not standardised
};

/// Reads animals.csv. Error when it is not a table of samples with names.
Animals read_animals(const std::filesystem::path& path);

/// A method and what the paper has of it.
struct AnimalsMethod {
  std::string method;  ///< as the tables name it
  std::string source;  ///< `ubg` or `glad` to train, else NAME:key=value of a classical method
  std::string output;  ///< theta or z
  double modularity;   ///< the paper's; NaN: it gives none
};
const std::vector<AnimalsMethod>& animals_methods();

/// Estimates the animals' precision matrix, by a model trained on synthetic data of mixed
/// sparsities alone or by a classical method. Result: for each output ("theta", GLAD's also "z")
///   modularity, communities, community [one label per animal], edges [[i, j, theta, partial]]
///   modularity_001, edges_001   without entries below 0.01
/// and `details` (the method's own numbers) or training_record. Edge weights are |Theta_ij|, the
/// diagonal is left out, communities by Louvain at resolution 1.
Part animals_part(const Study& study, const std::string& source);

}  // namespace spodnet::figures
