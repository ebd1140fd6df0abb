#pragma once

#include <string>

namespace spodnet {

/// A method as people call it: "learned network, refitted" for
/// "pretrained:target=precision,refit=true", "graphical lasso, EBIC (gamma=0)" for
/// "glasso-ebic:gamma=0". A name that is not known here, such as a model file, stays.
std::string method_words(const std::string& method);

}  // namespace spodnet
