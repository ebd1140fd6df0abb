#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "include/spodnet.h"
#include "spodnet/tables/prepare.hpp"
#include "spodnet/workflow/answer.hpp"

/// What spod_prepare and its kin make.
struct spod_data {
  spodnet::Prepared prepared;
  std::string title;                                          ///< the file's name, or "data"
  std::vector<std::string> groups;                            ///< names of the groups of its rows
  std::vector<std::pair<std::string, std::string>> settings;  ///< for the record
};

/// What has been found, by name.
struct spod_result {
  std::map<std::string, Eigen::MatrixXd> numbers;
  std::map<std::string, std::vector<std::string>> texts;
  std::map<std::string, std::function<std::string()>> pages;  ///< texts made when they are read
  std::function<void(const std::string& folder)> write;       ///< its files; empty: it has none
};

namespace spodnet::c {

/// Symmetric p x p.
inline void put(spod_result& result, const std::string& name, const MatrixRef& A) {
  result.numbers[name] = A;
}

inline void put(spod_result& result, const std::string& name, double value) {
  result.numbers[name] = Eigen::MatrixXd::Constant(1, 1, value);
}

/// The lists "numbers", "texts" and "files" of all names: when everything else is there.
void put_names(spod_result& result);

/// The lists "notes" and "warnings", and beside each the settings that would help: "notes.advice"
/// and "warnings.advice" have a word for each note ("" where there is none), "....value" what to
/// give it.
void put_notes(spod_result& result, const std::vector<AnswerNote>& notes);
std::vector<AnswerNote> notes_of(const Prepared& data);

}  // namespace spodnet::c
