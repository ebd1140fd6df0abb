#include "spodnet/core/parse.hpp"

#include <gtest/gtest.h>

namespace spodnet {
namespace {

using Parts = std::vector<std::string>;

TEST(Parse, ListsLoseTheirEmptyParts) {
  EXPECT_EQ(split_list("a,b c,,d,"), (Parts{"a", "b c", "d"}));
  EXPECT_EQ(split_list(","), Parts{});
  EXPECT_EQ(split_list(""), Parts{});
  EXPECT_EQ(split_list("a+b,c", '+'), (Parts{"a", "b,c"}));
  EXPECT_EQ(split_lists({"a,b", "", "c"}), (Parts{"a", "b", "c"}));
}

TEST(Parse, NumbersAreTakenWholeOrNotAtAll) {
  EXPECT_EQ(to_double("+1.5e3"), 1500.0);
  EXPECT_EQ(to_double("1,5"), std::nullopt);
  EXPECT_EQ(to_double(" 1"), std::nullopt);
  EXPECT_EQ(to_count("-1"), std::nullopt);
  EXPECT_EQ(to_count("18446744073709551616"), std::nullopt);
  for (const double x : {0.1, 1e-310, -2.0 / 3.0, 1e300}) EXPECT_EQ(to_double(exact_text(x)), x);
}

}  // namespace
}  // namespace spodnet
