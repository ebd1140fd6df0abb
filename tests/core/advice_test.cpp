#include "spodnet/core/advice.hpp"

#include <gtest/gtest.h>

namespace spodnet {
namespace {

TEST(Advice, RemedyStandsBehindTheLineWithItsValue) {
  const Remedies remedies = {{"missing_word", "--na WORD"}, {"em", "--missing em"}};
  EXPECT_EQ(with_remedy("a cell", Advice::missing_word, "n.d.", remedies), "a cell (--na n.d.)");
  EXPECT_EQ(with_remedy("a cell", Advice::missing_word, "", remedies), "a cell (--na WORD)");
  EXPECT_EQ(with_remedy("gaps", Advice::em, "5", remedies), "gaps (--missing em)");
}

TEST(Advice, ALineWithoutRemedyStaysAsItIs) {
  EXPECT_EQ(with_remedy("gaps", Advice::ranks, "", {{"em", "--missing em"}}), "gaps");
  EXPECT_EQ(with_remedy("gaps", Advice::none, "", {{"em", "--missing em"}}), "gaps");
}

}  // namespace
}  // namespace spodnet
