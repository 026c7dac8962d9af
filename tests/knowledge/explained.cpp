#include "knowledge/explained.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "temporary_folder.hpp"

namespace starling {
namespace {

TEST(Explained, LetsTheCommandKnowThatTheLibrarySaidWhy) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path("explained");
  std::ofstream(path).close();
  ::setenv("STARLING_EXPLAINED", path.c_str(), 1);
  record_explained();
  EXPECT_EQ(std::filesystem::file_size(path), 1U);
  std::filesystem::remove(path);
  record_explained();
  EXPECT_FALSE(std::filesystem::exists(path)) << "only a file that starling run has made is written to";
  ::unsetenv("STARLING_EXPLAINED");
}

}  // namespace
}  // namespace starling
