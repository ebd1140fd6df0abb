#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "spodnet/core/error.hpp"

namespace spodnet::test {

/// `action` must throw an Error of one line that contains every one of `parts`. Returns its text.
inline std::string expect_error(const std::function<void()>& action,
                                const std::vector<std::string>& parts) {
  try {
    action();
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    for (const std::string& part : parts) EXPECT_THAT(text, testing::HasSubstr(part));
    return text;
  }
  ADD_FAILURE() << "no Error was thrown";
  return "";
}

}  // namespace spodnet::test
