#include "messages/utf8.hpp"

#include <gtest/gtest.h>

namespace starling::testing {
namespace {

TEST(Utf8, OfEveryCharacterIsReadAsItIsWritten) {
  for (char32_t code = 0; code <= 0x10FFFF; code += code < 0x3000 ? 1 : 97) {
    if (code >= 0xD800 && code < 0xE000) continue;
    std::string text;
    append_utf8(text, code);
    EXPECT_EQ(first_utf8(text).length, text.size()) << static_cast<std::uint32_t>(code);
    EXPECT_EQ(first_utf8(text).code, code);
    EXPECT_EQ(text.size(), code < 0x80 ? 1U : code < 0x800 ? 2U : code < 0x10000 ? 3U : 4U);
    EXPECT_FALSE(text.size() > 1 && is_utf8(text.substr(0, text.size() - 1)));
  }
}

TEST(Utf8, HasNoOtherFormsOfACharacter) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("caf\xc3\xa9 \xf0\x9f\x90\xa6"));
  EXPECT_FALSE(is_utf8("caf\xe9"));
  EXPECT_FALSE(is_utf8("\x80"));
  EXPECT_FALSE(is_utf8("\xc0\xaf")) << "longer than it must be";
  EXPECT_FALSE(is_utf8("\xed\xa0\x80")) << "a surrogate";
  EXPECT_FALSE(is_utf8("\xf4\x90\x80\x80")) << "beyond the last character";
  EXPECT_FALSE(is_utf8("\xff"));
}

}  // namespace
}  // namespace starling::testing
