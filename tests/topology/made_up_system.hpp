#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "temporary_folder.hpp"

namespace starling {

/// A folder with files of the system, as a /proc and a /sys, that are made up.
class MadeUpSystem : public ::testing::Test {
 protected:
  void write(const std::string& file, const std::string& text) {
    const std::filesystem::path path = folder_.path() / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text << "\n";
  }
  [[nodiscard]] std::string root() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

}  // namespace starling
