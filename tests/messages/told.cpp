#include "messages/told.hpp"

#include <gtest/gtest.h>

#include <string>

namespace starling {
namespace {

TEST(Told, LeavesWhatIsPrintableAsItIs) {
  for (const char* text :
       {"", "ring", "chain?segment=8192", "/home/me/my file.json", "Größe 日本 🙂", "it's \\n"})
    EXPECT_EQ(told(text), text);
}

TEST(Told, EscapesWhatATerminalOrALogWouldActOn) {
  EXPECT_EQ(told("a\nb\r\tc"), "a\\nb\\r\\tc");
  EXPECT_EQ(told("\x1b[31mred\x7f"), "\\x1b[31mred\\x7f");
  EXPECT_EQ(told(std::string_view("\0x", 2)), "\\x00x");
  EXPECT_EQ(told("\xc2\x9b"
                 "31m"),
            "\\x9b31m");                               // a terminal's commands begin with this too
  EXPECT_EQ(told("\xe2\x80\xae"), "\\u202e");          // writes backwards
  EXPECT_EQ(told("\xe2\x80\xa8"), "\\u2028");          // a line break
  EXPECT_EQ(told("\xf3\xa0\x80\x81"), "\\U000e0001");  // a tag nobody sees
}

TEST(Told, EscapesBytesThatAreNoUtf8) {
  EXPECT_EQ(told("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(told("\xe2\x80"), "\\xe2\\x80");           // cut short
  EXPECT_EQ(told("\xc0\xaf"), "\\xc0\\xaf");           // longer than it need be
  EXPECT_EQ(told("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a pair of UTF-16
}

TEST(Told, CutsAfterTwoHundredCharacters) {
  EXPECT_EQ(told(std::string(200, 'x')), std::string(200, 'x'));
  EXPECT_EQ(told(std::string(201, 'x')), std::string(197, 'x') + "...");
  EXPECT_EQ(told(std::string(3000000, '\n')).size(), 197U - 1 + 3);  // never half an escape
  std::string umlauts;
  for (int i = 0; i < 200; ++i) umlauts += "ü";
  EXPECT_EQ(told(umlauts), umlauts);
  EXPECT_EQ(told(umlauts + "ü"), umlauts.substr(0, 2 * std::size_t{197}) + "...");
}

TEST(InOneLine, CutsNothing) {
  EXPECT_EQ(in_one_line(std::string(3000, 'x') + "\n"), std::string(3000, 'x') + "\\n");
}

}  // namespace
}  // namespace starling
