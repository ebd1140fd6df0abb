#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "reproduce/part.hpp"
#include "reproduce/scale.hpp"
#include "spodnet/generate/dataset.hpp"
#include "spodnet/models/engine.hpp"

namespace spodnet::figures {

/// What every figure of a run shares.
struct Study {
  Scale scale;
  std::uint64_t seed = 0;
  int seeds = 0;                  ///< repetitions of every cell; 0: as the scale says
  std::filesystem::path animals;  ///< animals.csv; empty: not there
  EngineOptions engine = {};      ///< of trainings
  const ModelRegistry& models;
  PartStore store;

  int repetitions(std::size_t p) const { return seeds > 0 ? seeds : scale.size(p).seeds; }
};

/// Seed of one stream: the digest of "SEED/SCALE/ROLE/P/ALPHA/K", so that training, validation,
/// test and the choice of learning rates never share a matrix, nor does another scale or --seed.
/// n is left out: for every n the true matrices are the same, and fewer samples the first of more.
std::uint64_t stream_seed(const Study& study, const std::string& role, const Cell& cell, int k);

/// The first `count` matrices of a role (train, valid, test, choose-train, choose-valid).
DataSet cell_data(const Study& study, const std::string& role, const Cell& cell, int k,
                  std::size_t count, bool keep_samples, ThreadPool& pool);

/// What the settings of every part begin with: the device, too, where parts that train (all but
/// `classical`) may have been computed by a GPU.
Json cell_settings(const Study& study, const std::string& kind, const Cell& cell, int k);

/// p, n, alpha and seed: the first columns of most tables.
std::vector<Json> cell_columns(const Cell& cell, int k);

/// "p100-n100-a0.95-s0": part of a name.
std::string cell_name(const Cell& cell, int k);

}  // namespace spodnet::figures
