#include "spodnet/core/advice.hpp"

#include <filesystem>
#include <regex>

namespace spodnet {
namespace {

/// At the beginning or behind ": ", a name with an underscore, then ": ".
const std::regex kFunction("(^|: )([a-z][a-z0-9]*(?:_[a-z0-9]+)+): ");

}  // namespace

std::string_view advice_word(Advice advice) {
  switch (advice) {
    case Advice::sample_count:
      return "sample_count";
    case Advice::ranks:
      return "ranks";
    case Advice::pairwise:
      return "pairwise";
    case Advice::em:
      return "em";
    case Advice::standardize:
      return "standardize";
    case Advice::auto_method:
      return "auto_method";
    case Advice::glasso_cv:
      return "glasso_cv";
    case Advice::resamples:
      return "resamples";
    case Advice::no_cache:
      return "no_cache";
    case Advice::signs:
      return "signs";
    case Advice::header:
      return "header";
    case Advice::levels:
      return "levels";
    case Advice::decimal:
      return "decimal";
    case Advice::missing_word:
      return "missing_word";
    case Advice::exclude:
      return "exclude";
    case Advice::ordinal:
      return "ordinal";
    case Advice::weights:
      return "weights";
    case Advice::transpose:
      return "transpose";
    case Advice::none:
      break;
  }
  return "";
}

std::string with_remedy(const std::string& line, Advice advice, const std::string& value,
                        const Remedies& remedies) {
  const auto found = remedies.find(advice_word(advice));
  if (found == remedies.end()) return line;
  std::string remedy = found->second;
  for (const std::string place : {" WORD", " NAMES", " N"})
    if (!value.empty() && remedy.ends_with(place))
      remedy.replace(remedy.size() - place.size() + 1, place.size() - 1, value);
  return line + " (" + remedy + ")";
}

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

}  // namespace spodnet
