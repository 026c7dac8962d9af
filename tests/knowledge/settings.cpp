#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "knowledge/settings_table.hpp"
#include "temporary_folder.hpp"

namespace starling {
namespace {

Settings read(const std::map<std::string, std::string>& variables, std::vector<Complaint>& complaints) {
  return settings_from(
      [&](const char* name) -> const char* {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
      },
      complaints);
}

TEST(Settings, AreReadFromTheEnvironment) {
  std::vector<Complaint> complaints;
  const Settings settings = read({{"STARLING_STRATEGY", "forced:allreduce:ring"},
                                  {"STARLING_RECORD", "/tmp/r.json"},
                                  {"STARLING_HISTORY", "off"},
                                  {"STARLING_ONLY", "allreduce,bcast:chain"},
                                  {"STARLING_ITER", "3"},
                                  {"STARLING_EPSILON", "0.25"},
                                  {"STARLING_RUN_OFF", "0"},
                                  {"STARLING_SAMPLES", "max"}},
                                 complaints);
  EXPECT_TRUE(complaints.empty());
  EXPECT_EQ(settings.strategy, "forced:allreduce:ring");
  EXPECT_EQ(settings.record, "/tmp/r.json");
  EXPECT_EQ(read({{"STARLING_RECORD", "off"}}, complaints).record, "");
  EXPECT_EQ(settings.history, "");
  EXPECT_EQ(settings.only, (std::vector<std::string>{"allreduce", "bcast:chain"}));
  EXPECT_EQ(settings.tuning.iterations, 3);
  EXPECT_DOUBLE_EQ(settings.tuning.epsilon, 0.25);
  EXPECT_EQ(settings.samples, SampleReduction::max);
  EXPECT_FALSE(settings.tuning.run_off);
  EXPECT_TRUE(read({}, complaints).tuning.run_off);
  EXPECT_TRUE(read({{"STARLING_RUN_OFF", ""}}, complaints).tuning.run_off);
}

TEST(Settings, TakeATableAsAFileOrAsText) {
  const std::string text = R"({"schema": "starling-table-1", "machine": "", "mpi_flavour": "mpich", "mpi_version": "4",
"made": {"when": "2026-11-23", "command": "by hand", "starling": "1"}, "choices": []})";
  std::vector<Complaint> complaints;
  const Settings settings = read({{"STARLING_TABLE", text}, {"STARLING_STRATEGY", "table"}}, complaints);
  EXPECT_TRUE(complaints.empty());
  EXPECT_EQ(settings_from_text(to_text(settings)).table, settings.table);
  EXPECT_EQ(settings.table.find('\n'), std::string::npos);
  const auto shown = described(settings);
  const auto table = std::find_if(shown.begin(), shown.end(), [](const auto& one) { return one.first == "table"; });
  ASSERT_NE(table, shown.end());
  EXPECT_EQ(table->second, "STARLING_TABLE");
  EXPECT_EQ(read({}, complaints).table, "");
  read({{"STARLING_TABLE", "/no/such/table.json"}, {"STARLING_HISTORY", "off"}}, complaints);
  ASSERT_EQ(complaints.size(), 1U);
  EXPECT_EQ(complaints[0].text(), "STARLING_TABLE='/no/such/table.json': there is no such file");
}

TEST(Settings, TakeNoFolderOrPipeForAFile) {
  const TemporaryFolder folder;
  const std::string pipe = folder.path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::vector<Complaint> complaints;
  for (const std::string& name : {pipe, folder.path().string(), std::string("/dev/null")}) {
    read({{"STARLING_TABLE", name},
          {"STARLING_NETWORK", name},
          {"STARLING_PLATFORM", name},
          {"STARLING_HISTORY", "off"}},
         complaints);
    ASSERT_EQ(complaints.size(), 3U) << name;
    for (const Complaint& one : complaints) EXPECT_EQ(one.why, "it is not a regular file") << one.text();
    complaints.clear();
  }
}

TEST(Settings, NameWhatIsWrong) {
  for (const auto& [name, value] : std::map<std::string, std::string>{{"STARLING_STRATEGY", "fastest"},
                                                                      {"STARLING_STRATEGY", "forced"},
                                                                      {"STARLING_ITER", "0"},
                                                                      {"STARLING_ITER", "ten"},
                                                                      {"STARLING_EPSILON", "-1"},
                                                                      {"STARLING_EPSILON", "nan"},
                                                                      {"STARLING_BUDGET", "3"},
                                                                      {"STARLING_BUDGET", "101%"},
                                                                      {"STARLING_BUDGET", "%"},
                                                                      {"STARLING_EPSILON", "3%"},
                                                                      {"STARLING_SAMPLES", "median"},
                                                                      {"STARLING_REPRODUCIBLE", "yes"}}) {
    std::vector<Complaint> complaints;
    read({{name, value}, {"STARLING_HISTORY", "off"}}, complaints);
    ASSERT_EQ(complaints.size(), 1U) << name << "=" << value;
    EXPECT_EQ(complaints[0].variable, name);
    EXPECT_EQ(complaints[0].value, value);
    EXPECT_TRUE(complaints[0].text().starts_with(name + "='" + value + "': ")) << complaints[0].text();
  }
}

TEST(Settings, TakeAFileOfParametersAndAnAnswerAboutTheProbe) {
  std::vector<Complaint> complaints;
  const Settings settings =
      read({{"STARLING_NETWORK", R"({"schema":1,"gap_s":0.5})"}, {"STARLING_PROBE", "off"}}, complaints);
  EXPECT_TRUE(complaints.empty());
  EXPECT_EQ(settings.network, R"({"schema":1,"gap_s":0.5})");
  EXPECT_EQ(settings.probe, "off");
  EXPECT_EQ(read({{"STARLING_PROBE", ""}, {"STARLING_NETWORK", ""}}, complaints).probe, "on");
  EXPECT_TRUE(complaints.empty());
  read({{"STARLING_NETWORK", R"({"schema":1,"gap_s":-1})"}, {"STARLING_PROBE", "1"}}, complaints);
  ASSERT_EQ(complaints.size(), 2U);
  EXPECT_EQ(complaints[0].text(), "STARLING_NETWORK: gap_s: -1 is not from 0 to 1.0");
  EXPECT_EQ(complaints[1].text(), "STARLING_PROBE='1': none of on, start and off");
  EXPECT_EQ(read({{"STARLING_NETWORK", "/no/such/file"}}, complaints).network, "");
  EXPECT_EQ(complaints.back().why, "there is no such file");
}

TEST(Settings, TakeWhatTheUserSaysAboutProcessors) {
  std::vector<Complaint> complaints;
  EXPECT_EQ(read({}, complaints).processors, "auto");
  EXPECT_EQ(read({{"STARLING_PROCESSORS", "shared"}}, complaints).processors, "shared");
  EXPECT_TRUE(complaints.empty());
  EXPECT_EQ(read({{"STARLING_PROCESSORS", "2"}}, complaints).processors, "auto");
  ASSERT_EQ(complaints.size(), 1U);
  EXPECT_EQ(complaints[0].text(), "STARLING_PROCESSORS='2': none of auto, own and shared");
}

TEST(Settings, TellBoundsAsPeopleWriteThem) {
  std::vector<Complaint> complaints;
  read({{"STARLING_EPSILON", "-1"}, {"STARLING_ITER", "0"}, {"STARLING_BUDGET", "3"}}, complaints);
  ASSERT_EQ(complaints.size(), 3U);
  EXPECT_EQ(complaints[0].why, "not a number from 0 to 1, nor a percentage from 0% to 100%");
  EXPECT_EQ(complaints[1].why, "not a whole number from 1 to 1000000");
  EXPECT_EQ(complaints[2].why, "not a number from 0 to 1000");
}

TEST(Settings, TakeAShareAsANumberOrAsAPercentage) {
  std::vector<Complaint> complaints;
  EXPECT_DOUBLE_EQ(read({{"STARLING_BUDGET", "0.03"}}, complaints).tuning.budget, 0.03);
  EXPECT_DOUBLE_EQ(read({{"STARLING_BUDGET", "3%"}}, complaints).tuning.budget, 0.03);
  EXPECT_DOUBLE_EQ(read({{"STARLING_BUDGET", "100%"}}, complaints).tuning.budget, 1);
  EXPECT_DOUBLE_EQ(read({{"STARLING_BUDGET", "0%"}}, complaints).tuning.budget, 0);
  EXPECT_TRUE(complaints.empty());
}

TEST(Settings, HaveANameAVariableAndAPlaceEach) {
  std::set<std::string_view> names;
  std::set<std::string_view> variables;
  std::set<Place> places;
  Settings settings;
  for (const SettingRow& row : settings_table()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(variables.insert(row.variable).second) << row.variable;
    EXPECT_TRUE(places.insert(row.place(settings)).second) << row.name;
    EXPECT_TRUE(std::string_view(row.variable).starts_with("STARLING_")) << row.variable;
    EXPECT_TRUE(row.says.ends_with('.') || row.says.ends_with("...")) << row.name;
  }
}

TEST(Settings, HaveDefaultsWithinTheirBounds) {
  for (const auto& [name, value] : described(Settings{})) {
    const auto rows = settings_table();
    const auto row = std::find_if(rows.begin(), rows.end(), [&, n = name](const auto& one) { return one.name == n; });
    Settings any;
    const Place place = row->place(any);
    if (std::holds_alternative<std::string*>(place) || std::holds_alternative<std::vector<std::string>*>(place))
      continue;
    if (std::holds_alternative<bool*>(place) || std::holds_alternative<SampleReduction*>(place)) {
      EXPECT_EQ(row->least, row->most) << row->name << " is no number";
    } else {
      EXPECT_LT(row->least, row->most) << row->name << " needs bounds";
    }
    std::vector<Complaint> complaints;
    read({{row->variable, value}}, complaints);
    EXPECT_TRUE(complaints.empty()) << complaints.front().text();
  }
}

TEST(Settings, TravelAsTextWhereAllRanksNeedThem) {
  std::vector<Complaint> complaints;
  const Settings settings = read({{"STARLING_STRATEGY", "native"},
                                  {"STARLING_HISTORY", "/some where/ünder"},
                                  {"STARLING_EXCEPT", "ring"},
                                  {"STARLING_REPRODUCIBLE", "1"},
                                  {"STARLING_SAMPLES", "min"},
                                  {"STARLING_DELTA_LIMIT", "64"},
                                  {"STARLING_MACHINE", "mine"},
                                  {"STARLING_FRESH", "1"}},
                                 complaints);
  Settings arrived = settings_from_text(to_text(settings));
  EXPECT_EQ(arrived.machine, "") << "only rank 0 looks for earlier runs";
  EXPECT_FALSE(arrived.fresh);
  arrived.machine = settings.machine;
  arrived.fresh = settings.fresh;
  EXPECT_EQ(described(arrived), described(settings));
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
