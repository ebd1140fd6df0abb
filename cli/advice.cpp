#include "cli/advice.hpp"

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

}  // namespace

std::string with_option(const std::string& line, Advice advice, const std::string& value) {
  return with_remedy(line, advice, value, kOptions);
}

}  // namespace spodnet::cli
