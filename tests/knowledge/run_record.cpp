#include "knowledge/run_record.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "sample_record.hpp"

namespace starling::testing {
namespace {

using Json = nlohmann::json;

TEST(RunRecord, IsWrittenAsTheSampleThatTheSchemaIsTestedWith) {
  // tests/python/test_run_record_schema.py validates this file, so the schema and the writer can't drift apart.
  std::ifstream file(std::filesystem::path(__FILE__).parent_path() / "run-record.json");
  std::stringstream expected;
  expected << file.rdbuf();
  EXPECT_EQ(to_json(sample_record()), expected.str());
}

TEST(RunRecord, NamesTheCandidatesOfDecisionsAndTheWinnerInFull) {
  const Json context = Json::parse(to_json(sample_record()))["contexts"][0];
  EXPECT_EQ(context["winner"], "chain?segment=8192");
  EXPECT_EQ(context["decisions"][0]["from"], nullptr);
  EXPECT_EQ(context["decisions"][0]["to"], "native");
  EXPECT_EQ(context["decisions"][1]["from"], "native");
  EXPECT_EQ(context["decisions"][1]["to"], "chain?segment=8192");
}

TEST(RunRecord, WritesNumbersAsNumbersAndOtherParametersAsText) {
  const Json candidates = Json::parse(to_json(sample_record()))["contexts"][0]["candidates"];
  EXPECT_EQ(candidates[1]["parameters"], (Json{{"segment", 8192}}));
  EXPECT_EQ(candidates[2]["parameters"], (Json{{"alltoall", "ring"}, {"segment", "none"}}));
}

TEST(RunRecord, WritesNullForWhatIsNotFinite) {
  RunRecord record = sample_record();
  record.run.seconds = std::numeric_limits<double>::infinity();
  record.contexts[0].seconds = std::numeric_limits<double>::quiet_NaN();
  record.contexts[0].native_s = std::numeric_limits<double>::quiet_NaN();
  record.contexts[0].candidates[0].median_s = -std::numeric_limits<double>::infinity();
  const Json json = Json::parse(to_json(record));
  EXPECT_TRUE(json["run"]["seconds"].is_null());
  EXPECT_TRUE(json["contexts"][0]["seconds"].is_null());
  EXPECT_TRUE(json["contexts"][0]["native_s"].is_null());
  EXPECT_TRUE(json["contexts"][0]["candidates"][0]["median_s"].is_null());
}

TEST(RunRecord, IsWrittenWhateverBytesTheProgramIsNamedBy) {
  RunRecord record = sample_record();
  record.run.program = "./caf\xe9";
  EXPECT_EQ(Json::parse(to_json(record))["run"]["program"], "./caf\xef\xbf\xbd");
}

TEST(ContextLine, ComesBackAsItWas) {
  for (const ContextRecord& context : sample_record().contexts) {
    const std::string line = to_json_line(context);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const ContextRecord back = context_from_json_line(line);
    EXPECT_EQ(back.collective, context.collective);
    EXPECT_EQ(back.bytes, context.bytes);
    EXPECT_EQ(back.bucket, context.bucket);
    EXPECT_EQ(back.ranks, context.ranks);
    EXPECT_EQ(back.in_place, context.in_place);
    EXPECT_EQ(back.operator_class, context.operator_class);
    EXPECT_EQ(back.calls, context.calls);
    EXPECT_EQ(back.stage, context.stage);
    EXPECT_EQ(back.winner, context.winner);
    EXPECT_EQ(back.seconds, context.seconds);
    EXPECT_EQ(back.tuning_seconds, context.tuning_seconds);
    EXPECT_EQ(back.slowest_seconds, context.slowest_seconds);
    EXPECT_EQ(back.slowest_tuning_seconds, context.slowest_tuning_seconds);
    for (const auto phase : {&ContextRecord::exploring, &ContextRecord::settled}) {
      EXPECT_EQ((back.*phase).calls, (context.*phase).calls);
      EXPECT_EQ((back.*phase).seconds, (context.*phase).seconds);
      EXPECT_EQ((back.*phase).bookkeeping_seconds, (context.*phase).bookkeeping_seconds);
    }
    EXPECT_EQ(back.native_s, context.native_s);
    EXPECT_EQ(back.decisions_dropped, context.decisions_dropped);
    ASSERT_EQ(back.candidates.size(), context.candidates.size());
    for (std::size_t i = 0; i < context.candidates.size(); ++i) {
      EXPECT_EQ(back.candidates[i].name, context.candidates[i].name);
      EXPECT_EQ(back.candidates[i].parameters, context.candidates[i].parameters);
      EXPECT_EQ(back.candidates[i].samples, context.candidates[i].samples);
      EXPECT_EQ(back.candidates[i].median_s, context.candidates[i].median_s);
      EXPECT_EQ(back.candidates[i].min_s, context.candidates[i].min_s);
      EXPECT_EQ(back.candidates[i].eligible, context.candidates[i].eligible);
      EXPECT_EQ(back.candidates[i].reason, context.candidates[i].reason);
    }
    ASSERT_EQ(back.decisions.size(), context.decisions.size());
    for (std::size_t i = 0; i < context.decisions.size(); ++i) {
      EXPECT_EQ(back.decisions[i].call, context.decisions[i].call);
      EXPECT_EQ(back.decisions[i].from, context.decisions[i].from);
      EXPECT_EQ(back.decisions[i].to, context.decisions[i].to);
      EXPECT_EQ(back.decisions[i].why, context.decisions[i].why);
    }
  }
}

TEST(ContextLine, KeepsParametersThatOnlyLookLikeNumbers) {
  ContextRecord context = sample_record().contexts[0];
  context.candidates[1].parameters = {{"a", "007"},  {"b", "1e400"}, {"c", "-5"}, {"d", "0.50"},
                                      {"e", "true"}, {"f", ""},      {"g", "[1]"}};
  EXPECT_EQ(context_from_json_line(to_json_line(context)).candidates[1].parameters, context.candidates[1].parameters);
}

TEST(ContextLine, MustBeAWholeOne) {
  EXPECT_THROW(context_from_json_line("{}"), Json::exception);
  EXPECT_THROW(context_from_json_line("{\"collective\": "), Json::exception);
}

TEST(PublicName, HoldsTheParametersInOrder) {
  EXPECT_EQ(public_name({.name = "native"}), "native");
  EXPECT_EQ(public_name({.name = "rab2", .parameters = {{"alltoall", "ring"}, {"allgather", "pair"}}}),
            "rab2?alltoall=ring,allgather=pair");
}

}  // namespace
}  // namespace starling::testing
