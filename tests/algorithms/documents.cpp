// The sources name documents of this repository only.

#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "sources.hpp"

namespace starling {
namespace {

namespace fs = std::filesystem;

bool in_a_path(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '/' || c == '_' || c == '-' || c == '.';
}

TEST(Sources, NameOnlyDocumentsThatAreThere) {
  const fs::path root = source_root();
  for (const auto& entry : fs::recursive_directory_iterator(root / "src")) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (std::size_t end = text.find(".md"); end != std::string::npos; end = text.find(".md", end + 1)) {
      if (end + 3 < text.size() && std::isalnum(static_cast<unsigned char>(text[end + 3])) != 0) continue;
      std::size_t start = end;
      while (start > 0 && in_a_path(text[start - 1])) --start;
      const std::string named = text.substr(start, end + 3 - start);
      EXPECT_TRUE(fs::exists(root / named)) << entry.path().string() << " points to " << named;
    }
  }
}

}  // namespace
}  // namespace starling
