#pragma once

#include <map>
#include <string>
#include <string_view>

#include "spodnet/core/error.hpp"

namespace spodnet {

/// A setting that would help, for a program that knows how users give it (a command line its
/// option).
enum class Advice {
  none,
  sample_count,  ///< say how many samples are behind a covariance
  ranks,         ///< correlations from ranks
  pairwise,      ///< missing values: each correlation from the rows that have both values
  em,            ///< missing values: expectation-maximisation
  standardize,   ///< estimate in standard units
  auto_method,   ///< let the program choose the method
  glasso_cv,     ///< compare with the cross-validated graphical lasso
  resamples,     ///< a bootstrap, or a longer one
  no_cache,      ///< keep no trained model
  signs,         ///< the file is a list of signs
  header,        ///< say whether the first line is a header
  levels,        ///< say the order of the categories
  decimal,       ///< say which the decimal sign is
  missing_word,  ///< say that a word (the note's `value`) stands for a missing value
  exclude,       ///< leave columns out
  ordinal,       ///< polychoric correlations
  weights,       ///< a column that says how many times a row counts
  transpose,     ///< samples are in columns
};

/// "sample_count", "ranks", ...; of none "".
std::string_view advice_word(Advice advice);

/// How the users of one program give each setting, by its word: {"ranks", "--robust spearman"}.
using Remedies = std::map<std::string, std::string, std::less<>>;

/// The line and behind it what helps: "... (--samples-count N)". `value`, where it is known, stands
/// for a WORD, NAMES or N at the remedy's end. A setting without a remedy: the line as it is.
std::string with_remedy(const std::string& line, Advice advice, const std::string& value,
                        const Remedies& remedies);

/// An Error with such a setting.
class AdvisedError : public Error {
 public:
  AdvisedError(const std::string& line, Advice advice) : Error(line), advice_(advice) {}
  Advice advice() const { return advice_; }

 private:
  Advice advice_;
};

/// A line of the library without the names of its functions, which say nothing to a user:
/// "glasso_cv: 3 samples cannot ..." is "3 samples cannot ...". A file of such a name stays.
std::string without_functions(std::string line);

}  // namespace spodnet
