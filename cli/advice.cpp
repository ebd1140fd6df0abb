#include "cli/advice.hpp"

#include <filesystem>
#include <regex>

namespace spodnet::cli {
namespace {

const char* option_for(Advice advice) {
  switch (advice) {
    case Advice::sample_count:
      return "--samples-count N";
    case Advice::ranks:
      return "--robust spearman";
    case Advice::pairwise:
      return "--missing pairwise";
    case Advice::em:
      return "--missing em";
    case Advice::standardize:
      return "leave out --no-standardize";
    case Advice::auto_method:
      return "--method auto";
    case Advice::glasso_cv:
      return "--method glasso-cv";
    case Advice::resamples:
      return "--bootstrap N";
    case Advice::no_cache:
      return "--no-cache";
    case Advice::signs:
      return "--sign FILE";
    case Advice::header:
      return "--header yes or --header no";
    case Advice::levels:
      return "--levels 'low<medium<high'";
    case Advice::decimal:
      return "--decimal . or --decimal ,";
    case Advice::missing_word:
      return "--na WORD";
    case Advice::exclude:
      return "--exclude NAMES";
    case Advice::ordinal:
      return "--kind ordinal";
    case Advice::none:
      break;
  }
  return "";
}

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
  std::string option = option_for(advice);
  for (const std::string place : {" WORD", " N"})
    if (!value.empty() && option.ends_with(place))
      option.replace(option.size() - place.size() + 1, place.size() - 1, value);
  return option.empty() ? line : line + " (" + option + ")";
}

}  // namespace spodnet::cli
