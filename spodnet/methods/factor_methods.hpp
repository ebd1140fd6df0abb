#pragma once

#include <memory>

#include "spodnet/methods/method.hpp"

namespace spodnet {

/// egfm, ggfm (settings rank, lambda, nu, iterations) and egm, ggm (lambda, nu, iterations); each
/// starts from its Animals setting. A list of lambdas is written 0/0.1/0.2 and run in order.
/// They need the samples. Null for any other name; Error on a setting it does not know.
std::unique_ptr<Method> make_factor_method(const MethodSpec& spec);

}  // namespace spodnet
