#include "spodnet/io/message.hpp"

#include <gtest/gtest.h>

#include "spodnet/io/utf8.hpp"

namespace spodnet::test {
namespace {

TEST(Message, ForeignTextStaysOnOneLine) {
  EXPECT_EQ(shown("plain"), "'plain'");
  EXPECT_EQ(shown("a\nb\r\t\x1B[31m"), "'a\\x0Ab\\x0D\\x09\\x1B[31m'");
  EXPECT_EQ(shown("é€𝛩"), "'é€𝛩'");
  EXPECT_EQ(shown("\xE9\xC3"), "'\\xE9\\xC3'");
  EXPECT_EQ(shown("\xC2\x85\xE2\x80\xA8"), "'\\xC2\\x85\\xE2\\x80\\xA8'");
  EXPECT_EQ(shown(std::string_view("\0", 1)), "'\\x00'");
}

TEST(Message, LongTextIsCutBetweenCharacters) {
  EXPECT_EQ(shown("12345", 5), "'12345'");
  EXPECT_EQ(shown("123456", 5), "'12345...'");
  EXPECT_EQ(shown("1234é", 5), "'1234...'");
}

TEST(Message, ErrorsNameFileCauseAndRemedy) {
  EXPECT_STREQ(io_error("a\nb", "cause", "remedy").what(), "a\\x0Ab: cause; remedy");
  EXPECT_STREQ(system_error("f", "cannot read", 2, "look").what(),
               "f: cannot read: No such file or directory; look");
}

TEST(Utf8, LengthIsZeroOutsideValidSequences) {
  for (const char* text : {"a", "é", "€", "𝛩", "\xED\x9F\xBF", "\xF4\x8F\xBF\xBF"})
    EXPECT_EQ(utf8_length(text), std::string_view(text).size()) << text;
  for (const char* text :
       {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xC3", "\xE2\x82", "\xE2\x28\xA1", "\xFF"})
    EXPECT_EQ(utf8_length(text), 0u);
}

TEST(Utf8, OtherBytesAreLatin1) {
  EXPECT_EQ(to_utf8("été"), "été");
  EXPECT_EQ(to_utf8("\xE9t\xE9"), "été");
  EXPECT_EQ(to_utf8("\xC3\xA9\xFF"), "éÿ");
}

}  // namespace
}  // namespace spodnet::test
