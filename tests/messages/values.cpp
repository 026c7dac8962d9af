// External values in messages: every variable and every kind of file, with control characters and with millions of
// characters.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "cost/parameters_file.hpp"
#include "knowledge/names.hpp"
#include "knowledge/record_json.hpp"
#include "knowledge/sample_record.hpp"
#include "knowledge/settings.hpp"
#include "knowledge/variables.hpp"
#include "messages/told.hpp"
#include "topology/platform.hpp"

namespace starling {
namespace {

using Json = nlohmann::json;

const std::string long_value(3000, 'Q');
const std::string terminal_commands =
    "\x1b[2J\r\nstarling: all is well\n\xc2\x9b"
    "1m\x7f";

/// Most consecutive characters of the long value in a message.
std::size_t longest_run(const std::string& message) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : message) longest = std::max(longest, run = c == 'Q' ? run + 1 : 0);
  return longest;
}

void expect_for_people(const std::string& message, const std::string& where) {
  constexpr std::size_t of_a_list = 1000;  // of what there is instead
  EXPECT_EQ(in_one_line(message), message) << where;
  EXPECT_LE(longest_run(message), most_told) << where;
  EXPECT_LE(message.size(), 3 * most_told + of_a_list) << where;
}

std::vector<std::string> variables() {
  std::vector<std::string> names;
  std::vector<Complaint> none;
  static_cast<void>(settings_from(
      [&](const char* name) -> const char* {
        names.emplace_back(name);
        return nullptr;
      },
      none));
  return names;
}

TEST(ValuesInMessages, OfEveryVariableAreInOneLineAndCut) {
  int told_of = 0;
  for (const std::string& variable : variables()) {
    for (const std::string& odd : {long_value, terminal_commands}) {
      for (const std::string& value :
           {odd, "forced:" + odd, "forced:allreduce:" + odd, "forced:allreduce:ring?" + odd + "=1", "lottery:" + odd,
            "allreduce:" + odd, "bcast:chain?segment=" + odd, odd + ":ring", "bcast:chain?x=" + odd, "{\"" + odd}) {
        std::vector<Complaint> complaints;
        const Settings settings = settings_from(
            [&](const char* name) -> const char* { return name == variable ? value.c_str() : nullptr; }, complaints);
        check_names(settings, complaints);
        for (const Complaint& complaint : complaints) expect_for_people(complaint.text(), variable);
        told_of += complaints.empty() ? 0 : 1;
      }
    }
  }
  EXPECT_GT(told_of, 200) << "of the variables that take no text";
}

TEST(ValuesInMessages, OfUnknownVariables) {
  for (const std::string& odd : {long_value, terminal_commands}) {
    const std::string entry = "STARLING_" + odd + "=1";
    const char* environment[] = {entry.c_str(), nullptr};
    for (const std::string& sentence : unknown_variables(environment)) expect_for_people(sentence, "unknown variable");
  }
}

TEST(ValuesInMessages, OfAListOfHundredsAreReportedOnce) {
  std::string list;
  for (int i = 0; i < 500; ++i) list += "nosuch" + std::to_string(i) + ",";
  std::vector<Complaint> complaints;
  check_names(
      settings_from([&](const char* name) { return name == std::string("STARLING_ONLY") ? list.c_str() : nullptr; },
                    complaints),
      complaints);
  ASSERT_EQ(complaints.size(), 4U);
  EXPECT_EQ(complaints.back().text(), "STARLING_ONLY: 497 more names in it mean nothing");
}

/// Replaces each value in the file by an odd one, and each key by an odd name; returns how many of these files are
/// refused.
int refusals(const Json& file, const std::function<void(const std::string&)>& read) {
  int refused = 0;
  const Json places = file.flatten();
  const auto attempt = [&](const Json& changed, const std::string& where) {
    try {
      read(changed.dump());
    } catch (const std::runtime_error& error) {
      expect_for_people(error.what(), where);
      ++refused;
    }
  };
  for (const std::string& odd : {long_value, terminal_commands}) {
    for (const auto& [place, old] : places.items()) {
      const Json::json_pointer pointer(place);
      for (const Json& value : {Json(odd), Json{{odd, 1}}, Json{odd}, Json(-1e300)}) {
        Json changed = file;
        changed[pointer] = value;
        attempt(changed, place);
      }
      Json renamed = file;
      Json& parent = renamed[pointer.parent_pointer()];
      if (!parent.is_object()) continue;
      parent.erase(pointer.back());
      parent[odd] = old;
      attempt(renamed, place);
    }
    for (const std::string& text : {odd, "\"" + odd, "{\"" + odd, "[\"" + odd + "\"]"}) {
      try {
        read(text);
      } catch (const std::runtime_error& error) {
        expect_for_people(error.what(), text.substr(0, 20));
        ++refused;
      }
    }
  }
  return refused;
}

TEST(ValuesInMessages, OfRunRecordsAreInOneLineAndCut) {
  const Json record = Json::parse(to_json(testing::sample_record()));
  EXPECT_GT(refusals(record, [](const std::string& text) { run_record_from_json(text); }), 100);
}

TEST(ValuesInMessages, OfPlatformFilesAreInOneLineAndCut) {
  const Json platform = {{"switches", {"s0", "s1"}},
                         {"hosts", {{{"name", "h0"}, {"ranks", 1}}, {{"name", "h1"}}}},
                         {"links",
                          {{{"between", {"s0", "s1"}}, {"rate", 1}, {"latency", 0.1}},
                           {{"between", {"h0", "s0"}}, {"rate", 1}},
                           {{"between", {"h1", "s1"}}, {"rate", 1}}}}};
  EXPECT_GT(refusals(platform, [](const std::string& text) { Platform::from_json(text); }), 100);
}

TEST(ValuesInMessages, OfParameterFilesAreInOneLineAndCut) {
  EXPECT_GT(refusals(Json::parse(as_json({})), [](const std::string& text) { parameters_from_json(text); }), 80);
}

}  // namespace
}  // namespace starling
