#include "knowledge/history.hpp"

#include <gtest/gtest.h>

#include <map>

namespace starling::testing {
namespace {

std::string directory_in(std::map<std::string, std::string> variables) {
  return history_directory(variables["STARLING_HISTORY"], [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

std::chrono::system_clock::time_point at(std::int64_t seconds) {
  return std::chrono::system_clock::time_point(std::chrono::seconds(seconds));
}

TEST(History, LiesWhereTheUserSays) {
  EXPECT_EQ(directory_in({{"STARLING_HISTORY", "/my/runs"}, {"XDG_DATA_HOME", "/data"}, {"HOME", "/home/me"}}),
            "/my/runs");
}

TEST(History, LiesInTheDataDirectoryElse) {
  EXPECT_EQ(directory_in({{"XDG_DATA_HOME", "/data"}, {"HOME", "/home/me"}}), "/data/starling/history");
  EXPECT_EQ(directory_in({{"STARLING_HISTORY", ""}, {"HOME", "/home/me"}}), "/home/me/.local/share/starling/history");
  EXPECT_EQ(directory_in({{"XDG_DATA_HOME", "data"}, {"HOME", "/home/me"}}), "/home/me/.local/share/starling/history");
}

TEST(History, KnowsTheNamesOfItsRecords) {
  EXPECT_TRUE(is_run_file_name(record_file_name(at(0), "node-1.cluster", 42)));
  EXPECT_TRUE(is_run_file_name("20241121T120000-a-1-2.json"));
  for (const char* name :
       {"1.json", "table.json", "20241121T120000-a-1.txt", "20241121T120000-a.json", "20241121T120000--1.json",
        "20241121T120000-a-.json", "20241121120000-a-1.json", "merged-20241121T120000-a-1.json"})
    EXPECT_FALSE(is_run_file_name(name)) << name;
}

TEST(History, CanBeOff) {
  EXPECT_EQ(directory_in({{"STARLING_HISTORY", "off"}, {"HOME", "/home/me"}}), "");
  EXPECT_EQ(directory_in({}), "");
}

TEST(History, IsOffWhereTheHomeIsNoAbsolutePath) {
  EXPECT_EQ(directory_in({{"HOME", ""}}), "");
  EXPECT_EQ(directory_in({{"HOME", "here"}}), "");
  EXPECT_EQ(directory_in({{"HOME", "here"}, {"XDG_DATA_HOME", "/data"}}), "/data/starling/history");
}

TEST(History, NamesRecordsByTimeHostAndProcess) {
  EXPECT_EQ(record_file_name(at(1714564805), "node7.cluster", 4711), "20240501T120005-node7.cluster-4711.json");
  EXPECT_EQ(record_file_name(at(0), "a/b c", 1), "19700101T000000-a_b_c-1.json");
}

TEST(History, TellsTheTimeInUtc) {
  EXPECT_EQ(in_iso_8601(at(1714564805)), "2024-05-01T12:00:05Z");
}

}  // namespace
}  // namespace starling::testing
