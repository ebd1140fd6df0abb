#include "cli/advice.hpp"

#include <filesystem>
#include <regex>

namespace spodnet::cli {
namespace {

const Remedies kOptions = {
    {"sample_count", "--samples-count N"},
    {"ranks", "--robust spearman"},
    {"pairwise", "--missing pairwise"},
    {"em", "--missing em"},
    {"standardize", "leave out --no-standardize"},
    {"auto_method", "--method auto"},
    {"glasso_cv", "--method glasso-cv"},
    {"resamples", "--bootstrap N"},
    {"no_cache", "--no-cache"},
    {"signs", "--sign FILE"},
    {"header", "--header yes or --header no"},
    {"levels", "--levels 'low<medium<high'"},
    {"decimal", "--decimal . or --decimal ,"},
    {"missing_word", "--na WORD"},
    {"exclude", "--exclude NAMES"},
    {"ordinal", "--kind ordinal"},
    {"weights", "--weights COLUMN"},
    {"transpose", "--transpose"},
};

/// At the beginning or behind ": ", a name with an underscore, then ": ".
const std::regex kFunction("(^|: )([a-z][a-z0-9]*(?:_[a-z0-9]+)+): ");

}  // namespace

std::string without_functions(std::string line) {
  std::string kept;
  std::error_code ignored;
  for (std::smatch found; std::regex_search(line, found, kFunction);) {
    const bool file = std::filesystem::exists(found[2].str(), ignored);
    kept += found.prefix().str() + (file ? found[0].str() : found[1].str());
    line = found.suffix().str();
  }
  return kept + line;
}

std::string with_option(const std::string& line, Advice advice, const std::string& value) {
  return with_remedy(line, advice, value, kOptions);
}

}  // namespace spodnet::cli
