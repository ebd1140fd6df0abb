#pragma once

#include <cstddef>

namespace spodnet::test {

/// How often this program has called operator new so far, in any thread. For tests of loops that
/// promise not to allocate.
std::size_t allocation_count();

}  // namespace spodnet::test
