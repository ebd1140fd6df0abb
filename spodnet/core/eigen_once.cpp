#define SPODNET_EIGEN_ONCE
#include "spodnet/core/eigen_once.hpp"
