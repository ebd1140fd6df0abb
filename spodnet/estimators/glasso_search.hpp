#pragma once

#include "spodnet/estimators/glasso.hpp"

namespace spodnet {

// What the three choices of lambda share (glasso_cv.hpp, glasso_ebic.hpp, glasso_stars.hpp). Each
// runs its fits on a pool, warm-started in fixed groups, so that the result is the same bit for bit
// for any number of threads.

/// How to fit along the search, and the answer at its end.
struct GlassoSearch {
  double tolerance = 1e-4;     ///< duality gap of the fits that are only compared
  GlassoOptions final = {};    ///< the fit that is returned; its lambda and pool are not read,
                               ///< its constraints hold in every fit
  ThreadPool* pool = nullptr;  ///< null: this thread alone
};

}  // namespace spodnet
