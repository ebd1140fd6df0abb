#pragma once

#include "reproduce/training.hpp"

namespace spodnet::figures {

/// The learned methods by name: ubg, pnp, e2e and glad as in the paper; ubg-k2 and ubg-k3 (clip,
/// learned offset, 2 or 3 layers, cosine schedule, clipped gradient); best (the preset).
Preset learned_preset(const std::string& method);

/// The training of a method on a cell, as the scale has it.
TrainJob learned_job(const Study& study, const std::string& method, const Cell& cell, int k);

/// Trains the method on a cell and scores it on the test set, along the epochs and at the epoch
/// chosen on the validation set. Result: training_record and
///   lr        the learning rate
///   history   [{epoch, ...measure}]
///   final     {epoch, ...measure}
Part learned_part(const Study& study, const std::string& method, const Cell& cell, int k);

/// The trainings that choose the learning rate of this method and cell; none where it is given.
std::vector<Part> choice_parts(const Study& study, const std::string& method, const Cell& cell);

/// How a learning rate came about: "paper", "chosen on validation" or "preset".
struct LearningRate {
  double lr = 0;
  std::string origin;
};

/// The paper's learning rate (1e-2 strongly, 1e-3 weakly sparse; 1e-2 for GLAD), the chosen one
/// (fig5 at the small p, whose list in the paper does not match its cells; mixed sparsities), or
/// the preset's. Before the choices are finished: the preset's, with the origin "not yet chosen".
LearningRate learning_rate(const Study& study, const std::string& method, const Cell& cell);

}  // namespace spodnet::figures
