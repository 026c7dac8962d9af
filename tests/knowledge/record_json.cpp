#include "knowledge/record_json.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <limits>
#include <sstream>

#include "sample_record.hpp"
#include "sources.hpp"

namespace starling::testing {
namespace {

using Json = nlohmann::json;

TEST(RunRecord, IsWrittenAsTheSampleThatTheSchemaIsTestedWith) {
  // tests/python/test_run_record_schema.py validates this file, so the schema and the writer can't drift apart.
  std::ifstream file(source_root() / "tests/knowledge/run-record.json");
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

/// The record read back from its text.
RunRecord back_from(const RunRecord& record, RecordForm form = RecordForm::compact) {
  return run_record_from_json(to_json(record, form));
}

/// The error in a text, or empty.
std::string record_fault(const std::string& text) {
  try {
    run_record_from_json(text);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

/// The sample's text with one piece replaced.
std::string sample_with(const std::string& piece, const std::string& other) {
  std::string text = to_json(sample_record());
  const std::size_t place = text.find(piece);
  EXPECT_NE(place, std::string::npos) << piece;
  return text.replace(place, piece.size(), other);
}

TEST(RunRecord, IsOneLineWhereItTravels) {
  const std::string text = to_json(sample_record(), RecordForm::compact);
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  EXPECT_EQ(Json::parse(text), Json::parse(to_json(sample_record())));
}

TEST(RunRecord, ComesBackAsItWas) {
  const RunRecord record = sample_record();
  for (const RecordForm form : {RecordForm::for_people, RecordForm::compact}) {
    const RunRecord back = back_from(record, form);
    EXPECT_EQ(to_json(back), to_json(record));
    EXPECT_EQ(back.run.settings, record.run.settings);
    EXPECT_EQ(back.left_out, record.left_out);
    EXPECT_EQ(back.merged, record.merged);
  }
}

TEST(RunRecord, IsReadInAnyOrderOfItsFields) {
  const Json json = Json::parse(to_json(sample_record()));  // sorts them by name
  EXPECT_EQ(Json::parse(to_json(run_record_from_json(json.dump()))), json);
}

TEST(RunRecord, OfAnOlderVersionIsRead) {
  Json json = Json::parse(to_json(sample_record()));
  json["run"].erase("machine");
  json.erase("left_out");
  for (Json& context : json["contexts"]) {
    for (const char* later : {"nodes", "ranks_per_node", "layout", "slowest_seconds", "slowest_tuning_seconds"})
      context.erase(later);
    context.erase("candidates_left_out");
    for (Json& candidate : context["candidates"]) {
      candidate.erase("agreed_s");
      candidate.erase("deviation_s");
    }
  }
  const RunRecord old = run_record_from_json(json.dump());
  EXPECT_EQ(old.contexts[0].nodes, 0);
  EXPECT_EQ(old.contexts[0].layout, 0);
  EXPECT_EQ(old.contexts[0].slowest_seconds, std::nullopt);
  EXPECT_EQ(old.contexts[0].candidates[1].agreed_s, std::nullopt);
  EXPECT_FALSE(old.left_out);
}

TEST(RunRecord, OfANewerWriterOfThisVersionIsRead) {
  EXPECT_EQ(record_fault(sample_with("\"bucket\"", "\"invented\": {\"a\": [1, {}, \"\\u00e9\"]}, \"bucket\"")), "");
}

TEST(RunRecord, SaysInOneSentenceWhatIsWrongWithIt) {
  EXPECT_EQ(record_fault(""), "it is cut short, or no JSON");
  EXPECT_EQ(record_fault("hello"), "it is cut short, or no JSON");
  EXPECT_EQ(record_fault("[]"), "it is no run record: it has another value where an object must be");
  EXPECT_EQ(record_fault("{}"), "it is no run record: it has no 'schema'");
  EXPECT_EQ(record_fault(R"({"schema": 1, "run": [7, x]})"), "it is cut short, or no JSON");
  EXPECT_LT(record_fault("{\"schema\": " + std::string(1000000, '2')).size(), 300U);
  EXPECT_EQ(record_fault(R"({"schema": 2})"), "it is of schema 2, and this version reads schema 1");
  EXPECT_EQ(record_fault(sample_with("\"calls\": 700", "\"calls\": -1")), "its 'calls' is no count");
  EXPECT_EQ(record_fault(sample_with("\"calls\": 700", "\"calls\": 7e2")), "its 'calls' is no count");
  EXPECT_EQ(record_fault(sample_with("\"calls\": 700", "\"calls\": 1125899906842625")), "its 'calls' is no count");
  EXPECT_EQ(record_fault(sample_with("\"ranks\": 6", "\"ranks\": 4294967298")), "its 'ranks' is no count");
  EXPECT_EQ(record_fault(sample_with("1.55e-05", "1e999")), "a number in it is out of range");
  EXPECT_EQ(record_fault(sample_with("1.55e-05", "01")), "it is cut short, or no JSON");
  EXPECT_EQ(record_fault(sample_with("1.55e-05", "\"fast\"")),
            "it is no run record: it has another value where a number must be");
  EXPECT_EQ(record_fault(sample_with("\"stage\"", "\"calls\"")), "it has 'calls' twice in one place");
  EXPECT_EQ(record_fault(sample_with("\"contexts\": [", "\"contexts\": [], \"contexts\": [")),
            "it has 'contexts' twice in one place");
  EXPECT_EQ(record_fault(sample_with("\"stage\"", "\"phase\"")), "it is no run record: it has no 'stage'");
  EXPECT_EQ(record_fault(sample_with("./app", "./caf\xe9")), "it holds bytes that are not UTF-8");
  EXPECT_EQ(record_fault(sample_with("./app", "\\ud800")), "it is cut short, or no JSON");
  EXPECT_EQ(record_fault(sample_with("\"./app\"", std::string(400000, '['))),
            "it is nested too deeply for a run record");
  EXPECT_EQ(record_fault(to_json(sample_record()) + "x"), "it is cut short, or no JSON");
}

TEST(RunRecord, CutAnywhereIsNoRecord) {
  const std::string whole = to_json(sample_record());
  for (std::size_t length = 0; length + 2 < whole.size(); ++length)
    EXPECT_NE(record_fault(whole.substr(0, length)), "") << length;
}

TEST(RunRecord, TakesBoundedMemoryWhateverItsText) {
  const auto many = [](const std::string& before, const std::string& piece, const std::string& after) {
    std::string text = before;
    while (text.size() < (std::size_t{16} << 20)) text += piece;
    return record_fault(text + after);
  };
  const std::string run = to_json(RunRecord{}, RecordForm::compact);
  const std::string begin = run.substr(0, run.find("\"contexts\""));
  const std::string too_much = "it holds more than a run record can";
  EXPECT_EQ(many(begin + R"("contexts":[],"merged":["b.json")", R"(,"a.json")", "]}"), too_much);
  const std::string settings = run.substr(0, run.find("\"settings\":{") + 12);
  EXPECT_EQ(many(settings, R"("":"",)", R"("":""}}})"), too_much);
  ContextRecord context;
  context.candidates.resize(1);
  RunRecord one;
  one.contexts = {context};
  const std::string small = to_json(one, RecordForm::compact);
  const std::size_t candidate = small.find("{\"name\"");
  const std::size_t behind = small.find("]", candidate);
  EXPECT_EQ(many(small.substr(0, behind), "," + small.substr(candidate, behind - candidate), small.substr(behind)),
            too_much);
}

TEST(RunRecord, GivesOnlyWhatIsWanted) {
  const auto measured = [](const CandidateRecord& candidate) { return candidate.samples > 100; };
  const auto of_node = [](const RunDescription& run) { return run.machine == "node#"; };
  const RunRecord some = run_record_from_json(to_json(sample_record()), {of_node, measured});
  ASSERT_EQ(some.contexts.size(), 1U);
  ASSERT_EQ(some.contexts[0].candidates.size(), 1U);
  EXPECT_EQ(some.contexts[0].candidates[0].name, "chain");
  EXPECT_TRUE(some.contexts[0].decisions.empty());
  const std::string other = sample_with("node#", "other");
  EXPECT_TRUE(run_record_from_json(other, {of_node, measured}).contexts.empty());
  EXPECT_EQ(run_record_from_json(other.substr(0, other.find("\"contexts\"")), {of_node, measured}).run.machine, "other")
      << "what is not wanted need not be whole";
  const Json sorted = Json::parse(other);  // has its contexts before the fields that make them unwanted
  EXPECT_TRUE(run_record_from_json(sorted.dump(), {of_node, measured}).contexts.empty());
}

TEST(RunRecord, ReadsNoMoreOfCandidatesThatWereNotTried) {
  RunRecord record = sample_record();
  ContextRecord& context = record.contexts.front();
  const auto candidate = [&](const char* name, std::int64_t samples) -> CandidateRecord& {
    CandidateRecord& one = context.candidates.emplace_back();
    one.name = name;
    one.parameters = {{"segment", "1024"}};
    one.samples = samples;
    return one;
  };
  context.candidates.clear();
  candidate("first", 5);
  candidate("untried", 0).reason = R"(has }, "]}" and a \)";
  candidate("last", 7);
  record.contexts.resize(1);
  Wanted tried;
  tried.candidate = [](const CandidateRecord& one) { return one.samples > 0; };
  const auto names = [&](const std::string& text) {
    std::vector<std::string> all;
    const RunRecord read = run_record_from_json(text, tried);
    for (const CandidateRecord& one : read.contexts.at(0).candidates) all.push_back(public_name(one));
    return all;
  };
  const std::vector<std::string> wanted{"first?segment=1024", "last?segment=1024"};
  const std::string text = to_json(record);
  EXPECT_EQ(names(text), wanted);
  EXPECT_EQ(names(Json::parse(text).dump()), wanted) << "in any order of members";

  const std::size_t untried = text.find("\"untried\"");
  std::string damaged = text;
  damaged[text.find("null", untried)] = '?';
  EXPECT_EQ(names(damaged), wanted);
  EXPECT_THROW(static_cast<void>(run_record_from_json(damaged)), std::runtime_error);
  for (std::size_t length = untried; length < text.find("\"last\""); ++length)
    EXPECT_THROW(static_cast<void>(names(text.substr(0, length))), std::runtime_error) << length;
}

TEST(RunRecord, KeepsEveryFieldOfAContext) {
  for (const ContextRecord& context : sample_record().contexts) {
    RunRecord record = sample_record();
    record.contexts = {context};
    const ContextRecord back = back_from(record).contexts.at(0);
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

TEST(RunRecord, KeepsParametersThatOnlyLookLikeNumbers) {
  RunRecord record = sample_record();
  record.contexts[0].candidates[1].parameters = {{"a", "007"},  {"b", "1e400"}, {"c", "-5"},   {"d", "0.50"},
                                                 {"e", "true"}, {"f", ""},      {"g", "[1]"},  {"h", "100000"},
                                                 {"i", "-0"},   {"j", "0.5"},   {"k", "1e-05"}};
  EXPECT_EQ(back_from(record).contexts[0].candidates[1].parameters, record.contexts[0].candidates[1].parameters);
  const Json parameters = Json::parse(to_json(record))["contexts"][0]["candidates"][1]["parameters"];
  EXPECT_TRUE(parameters["c"].is_number_integer());
  EXPECT_TRUE(parameters["h"].is_number_integer());
  EXPECT_TRUE(parameters["j"].is_number());
  EXPECT_TRUE(parameters["d"].is_string());
}

TEST(PublicName, HoldsTheParametersInOrder) {
  EXPECT_EQ(public_name({.name = "native"}), "native");
  EXPECT_EQ(public_name({.name = "rab2", .parameters = {{"alltoall", "ring"}, {"allgather", "pair"}}}),
            "rab2?alltoall=ring,allgather=pair");
}

}  // namespace
}  // namespace starling::testing
