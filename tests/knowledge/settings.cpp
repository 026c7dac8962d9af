#include "knowledge/settings.hpp"

#include <gtest/gtest.h>

#include <map>

namespace starling {
namespace {

Settings read(const std::map<std::string, std::string>& variables, std::vector<std::string>& complaints) {
  return settings_from(
      [&](const char* name) -> const char* {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
      },
      complaints);
}

TEST(Settings, AreReadFromTheEnvironment) {
  std::vector<std::string> complaints;
  const Settings settings = read({{"STARLING_STRATEGY", "forced:allreduce:ring"},
                                  {"STARLING_RECORD", "/tmp/r.json"},
                                  {"STARLING_HISTORY", "off"},
                                  {"STARLING_ONLY", "allreduce,bcast:chain"},
                                  {"STARLING_ITER", "3"},
                                  {"STARLING_EPSILON", "0.25"},
                                  {"STARLING_SAMPLES", "max"}},
                                 complaints);
  EXPECT_TRUE(complaints.empty());
  EXPECT_EQ(settings.strategy, "forced:allreduce:ring");
  EXPECT_EQ(settings.record, "/tmp/r.json");
  EXPECT_EQ(settings.history, "");
  EXPECT_EQ(settings.only, (std::vector<std::string>{"allreduce", "bcast:chain"}));
  EXPECT_EQ(settings.tuning.iterations, 3);
  EXPECT_DOUBLE_EQ(settings.tuning.epsilon, 0.25);
  EXPECT_EQ(settings.samples, SampleReduction::max);
}

TEST(Settings, NameWhatIsWrong) {
  for (const auto& [name, value] : std::map<std::string, std::string>{{"STARLING_STRATEGY", "fastest"},
                                                                      {"STARLING_STRATEGY", "forced"},
                                                                      {"STARLING_ITER", "0"},
                                                                      {"STARLING_ITER", "ten"},
                                                                      {"STARLING_EPSILON", "-1"},
                                                                      {"STARLING_EPSILON", "nan"},
                                                                      {"STARLING_SAMPLES", "median"},
                                                                      {"STARLING_REPRODUCIBLE", "yes"}}) {
    std::vector<std::string> complaints;
    read({{name, value}, {"STARLING_HISTORY", "off"}}, complaints);
    ASSERT_EQ(complaints.size(), 1U) << name << "=" << value;
    EXPECT_NE(complaints[0].find(name), std::string::npos) << complaints[0];
    EXPECT_NE(complaints[0].find(value), std::string::npos) << complaints[0];
  }
}

TEST(Settings, TravelAsText) {
  std::vector<std::string> complaints;
  const Settings settings = read({{"STARLING_STRATEGY", "native"},
                                  {"STARLING_HISTORY", "/some where/ünder"},
                                  {"STARLING_EXCEPT", "ring"},
                                  {"STARLING_REPRODUCIBLE", "1"},
                                  {"STARLING_SAMPLES", "min"},
                                  {"STARLING_DELTA_LIMIT", "64"}},
                                 complaints);
  EXPECT_EQ(described(settings_from_text(to_text(settings))), described(settings));
}

TEST(Settings, AdmitByCollectiveAlgorithmOrCandidate) {
  Settings settings;
  EXPECT_TRUE(settings.admits("allreduce", "ring", "ring"));
  settings.only = {"allreduce", "bcast:chain"};
  EXPECT_TRUE(settings.admits("allreduce", "ring", "ring"));
  EXPECT_TRUE(settings.admits("bcast", "chain", "chain?segment=1024"));
  EXPECT_FALSE(settings.admits("bcast", "binomial", "binomial?segment=none"));
  EXPECT_FALSE(settings.admits("allgather", "chain", "chain"));
  settings.except = {"allreduce:ring", "chain?segment=1024"};
  EXPECT_FALSE(settings.admits("allreduce", "ring", "ring"));
  EXPECT_TRUE(settings.admits("allreduce", "rab1", "rab1?allgather=ring"));
  EXPECT_FALSE(settings.admits("bcast", "chain", "chain?segment=1024"));
  EXPECT_TRUE(settings.admits("bcast", "chain", "chain?segment=2048"));
}

}  // namespace
}  // namespace starling
