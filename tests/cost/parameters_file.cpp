#include "cost/parameters_file.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace starling {
namespace {

std::string refused(const std::string& text) {
  try {
    parameters_from_json(text);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "taken";
}

TEST(ParametersFile, ReadsWhatItWrites) {
  CostParameters parameters;
  parameters.overhead = 1.25e-6;
  parameters.rate_share = 0.75;
  parameters.rendezvous = 4096;
  parameters.large_take_turns = true;
  parameters.combine_per_byte = 1e-10;
  const CostParameters found = parameters_from_json(as_json(parameters));
  EXPECT_EQ(as_json(found), as_json(parameters));
  EXPECT_EQ(found.overhead, 1.25e-6);
  EXPECT_EQ(found.rendezvous, 4096);
  EXPECT_TRUE(found.large_take_turns);
}

TEST(ParametersFile, LeavesDefaultsWhereItSaysNothing) {
  const CostParameters found = parameters_from_json(R"({"schema": 1, "latency_s": 0.5, "measured": {"by": "hand"}})");
  EXPECT_EQ(found.latency, 0.5);
  EXPECT_EQ(found.overhead, CostParameters{}.overhead);
}

TEST(ParametersFile, SaysWhatIsWrong) {
  EXPECT_EQ(refused(R"({"schema": 1, "latency_s": )" + std::string(100000, '[')), "it is nested too deeply");
  EXPECT_EQ(refused(R"({"overhead_s": 1})"), "it is no file of parameters: it has no \"schema\"");
  EXPECT_EQ(refused("[]"), "it is no file of parameters: it has no \"schema\"");
  EXPECT_EQ(refused(R"({"schema": 2})"), "schema 2 is not known; this version reads 1");
  EXPECT_EQ(refused(R"({"schema": 1, "overhead": 1})"), "overhead: unknown key; remove it, or correct its name");
  EXPECT_EQ(refused(R"({"schema": 1, "overhead_s": "1us"})"), "overhead_s: it must be a number, not \"1us\"");
  EXPECT_EQ(refused(R"({"schema": 1, "latency_s": 30})"), "latency_s: 30 is not from 0 to 1.0");
  EXPECT_EQ(refused(R"({"schema": 1, "gap_s": -1})"), "gap_s: -1 is not from 0 to 1.0");
  EXPECT_EQ(refused(R"({"schema": 1, "rate_share": 0})"), "rate_share: it must be more than 0");
  EXPECT_EQ(refused(R"({"schema": 1, "large_take_turns": 1})"), "large_take_turns: it must be true or false, not 1");
  EXPECT_EQ(refused("{"),
            "it is no file of parameters: it is cut short, or no JSON; make one with: starling calibrate");
}

}  // namespace
}  // namespace starling
