#include "knowledge/earlier_runs.hpp"

#include <gtest/gtest.h>
#include <sys/file.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "knowledge/history.hpp"
#include "knowledge/record_json.hpp"
#include "knowledge/whole_file.hpp"
#include "sample_record.hpp"
#include "temporary_folder.hpp"

namespace starling::testing {
namespace {

namespace fs = std::filesystem;

const Circumstances here{"cluster#", "Open MPI", "4.1.4", "max"};

CandidateRecord candidate(const std::string& name, double agreed, std::int64_t samples) {
  CandidateRecord one;
  const std::size_t question = name.find('?');
  one.name = name.substr(0, question);
  if (question != std::string::npos) {
    const std::string parameter = name.substr(question + 1);
    const std::size_t equals = parameter.find('=');
    one.parameters = {{parameter.substr(0, equals), parameter.substr(equals + 1)}};
  }
  one.samples = samples;
  one.median_s = agreed;
  one.agreed_s = agreed;
  return one;
}

ContextRecord context(std::vector<CandidateRecord> candidates) {
  ContextRecord one;
  one.collective = "bcast";
  one.bytes = 65536;
  one.ranks = 16;
  one.nodes = 4;
  one.ranks_per_node = 4;
  one.calls = 100;
  one.winner = "chain?segment=none";
  one.candidates = std::move(candidates);
  return one;
}

/// A directory of records.
class Runs : public ::testing::Test {
 protected:
  void write(const std::string& name, std::vector<ContextRecord> contexts, const Circumstances& its = here) {
    RunRecord record = sample_record();
    record.run.machine = its.machine;
    record.run.mpi_flavour = its.mpi_flavour;
    record.run.mpi_version = its.mpi_version;
    record.run.settings = {{"samples", its.samples}};
    record.run.shares_processors = its.shares_processors;
    record.contexts = std::move(contexts);
    write_text(name, to_json(record));
  }
  void write_text(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }

  EarlierRuns read() {
    skipped_.clear();
    return EarlierRuns::read(
        folder_, here, [&](const std::string& file, const std::string& why) { skipped_.push_back(file + ": " + why); });
  }
  std::optional<Earlier> known(const std::string& name) {
    const EarlierRuns earlier = read();
    const ContextRecord* const found = earlier.find(context({}));
    return found == nullptr ? std::nullopt : EarlierRuns::of(*found, name);
  }
  MergedRuns merge() {
    return merge_runs(folder_,
                      [&](const std::string& file, const std::string& why) { skipped_.push_back(file + ": " + why); });
  }
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& one : fs::directory_iterator(folder_)) names.push_back(one.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }

  TemporaryFolder temporary_;
  const fs::path& folder_ = temporary_.path();
  std::vector<std::string> skipped_;
};

TEST_F(Runs, AreKnownByCallKeyAndCandidate) {
  write("20240501T120000-a-1.json",
        {context({candidate("native", 2e-5, 10), candidate("chain?segment=none", 1e-5, 90)})});
  const auto chain = known("chain?segment=none");
  ASSERT_TRUE(chain);
  EXPECT_DOUBLE_EQ(chain->seconds, 1e-5);
  EXPECT_EQ(chain->samples, 90);
  EXPECT_FALSE(known("binary?segment=none"));
  ContextRecord other = context({});
  other.layout = 7;
  EXPECT_EQ(read().find(other), nullptr) << "in another order on as many nodes";
  other.layout = 0;
  other.nodes = 1;
  other.ranks_per_node = 16;
  EXPECT_EQ(read().find(other), nullptr) << "the same ranks on other nodes";
  other.nodes = 0;
  EXPECT_EQ(read().find(other), nullptr) << "nobody knows on which nodes";
  EXPECT_TRUE(skipped_.empty());
}

TEST_F(Runs, TellHowFarSingleCallsDeviate) {
  CandidateRecord chain = candidate("chain?segment=none", 1e-5, 90);
  chain.deviation_s = 2e-6;
  CandidateRecord nonsense = candidate("chain?segment=1024", 1e-5, 90);
  nonsense.deviation_s = -1;
  write("20240501T120000-a-1.json", {context({candidate("native", 2e-5, 10), chain, nonsense})});
  EXPECT_DOUBLE_EQ(known("chain?segment=none")->deviation.value(), 2e-6);
  EXPECT_FALSE(known("chain?segment=1024")->deviation) << "it can't be";
  EXPECT_FALSE(known("native")->deviation) << "the record does not tell";
  const EarlierRuns sent = EarlierRuns::from_text(read().to_text());
  EXPECT_EQ(EarlierRuns::of(*sent.find(context({})), "chain?segment=none")->deviation, 2e-6) << "all ranks know it";
}

TEST_F(Runs, ThatDoNotMatchDoNotCount) {
  write("1.json", {context({candidate("chain?segment=none", 1e-5, 10)})},
        {"other", here.mpi_flavour, here.mpi_version, here.samples});
  write("2.json", {context({candidate("chain?segment=none", 1e-5, 10)})},
        {here.machine, "MPICH", here.mpi_version, here.samples});
  write("3.json", {context({candidate("chain?segment=none", 1e-5, 10)})},
        {here.machine, here.mpi_flavour, "5.0", here.samples});
  write("4.json", {context({candidate("chain?segment=none", 1e-5, 10)})},
        {here.machine, here.mpi_flavour, here.mpi_version, "mean"});
  EXPECT_TRUE(read().empty());
}

TEST_F(Runs, ThatAreNewerCountFirstAndOldOnesOnlyWhereTheyAreNeeded) {
  write("20240501T120000-a-1.json",
        {context({candidate("chain?segment=none", 9e-5, 50), candidate("chain?segment=1024", 7e-5, 50)})});
  write("20240502T120000-a-1.json",
        {context({candidate("chain?segment=none", 1e-5, 50), candidate("chain?segment=1024", 1e-5, 10)})});
  EXPECT_DOUBLE_EQ(known("chain?segment=none")->seconds, 1e-5);
  EXPECT_DOUBLE_EQ(known("chain?segment=1024")->seconds, 6e-5) << "weighted by samples";
}

TEST_F(Runs, OfTheSiteAddToOnesOwn) {
  write("20240502T120000-a-1.json",
        {context({candidate("chain?segment=none", 9e-5, 50), candidate("chain?segment=1024", 7e-5, 50)})});
  const EarlierRuns own = [&] {
    EarlierRuns all;
    all.add({context({candidate("chain?segment=none", 1e-5, 50)})});
    return all;
  }();
  const EarlierRuns both = EarlierRuns::read(
      folder_, here, [](const auto&...) {}, &own);
  const ContextRecord* const found = both.find(context({}));
  ASSERT_NE(found, nullptr);
  EXPECT_DOUBLE_EQ(EarlierRuns::of(*found, "chain?segment=none")->seconds, 1e-5) << "own runs are enough";
  EXPECT_DOUBLE_EQ(EarlierRuns::of(*found, "chain?segment=1024")->seconds, 7e-5);
}

TEST(EarlierRuns, TellsOfSeveralCandidatesAsOfEach) {
  ContextRecord known = context({candidate("chain?segment=none", 1e-5, 50), candidate("chain?segment=1024", 2e-5, 50),
                                 candidate("native", 3e-5, 50), candidate("never_timed", 4e-5, 50)});
  known.candidates.back().agreed_s.reset();
  const std::vector<Interned> names{
      "native",      "chain", "chain?segment=102", "chain?segment=1024", "chain?segment=10240",
      "never_timed", "other", "chain?segment=none"};
  const std::vector<std::optional<Earlier>> all = EarlierRuns::of(known, names);
  ASSERT_EQ(all.size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto one = EarlierRuns::of(known, names[i]);
    EXPECT_EQ(all[i].has_value(), one.has_value()) << names[i];
    EXPECT_EQ(all[i] ? all[i]->seconds : 0, one ? one->seconds : 0) << names[i];
  }
  EXPECT_EQ(all[3]->seconds, 2e-5);
  EXPECT_FALSE(all[2] || all[4] || all[5]);
}

TEST_F(Runs, AreKeptUpToANumberAndNothingElseIsRemoved) {
  for (const char* name :
       {"20240501T120000-a-1.json", "20240503T120000-a-1.json", "20240502T120000-b-7.json", "table.json",
        "merged-20240401T120000-a-1.json", "20240401T120000-notes.json", "openmpi.network"})
    write_text(name, "{}");
  keep_newest(folder_, 2);
  EXPECT_EQ(files(), (std::vector<std::string>{"20240401T120000-notes.json", "20240502T120000-b-7.json",
                                               "20240503T120000-a-1.json", "merged-20240401T120000-a-1.json",
                                               "openmpi.network", "table.json"}));
  keep_newest(folder_ / "none", 2);
}

TEST_F(Runs, WithoutWhatRanksAgreedOnTeachNothing) {
  CandidateRecord alone = candidate("chain?segment=none", 1e-5, 10);
  alone.agreed_s.reset();
  write("1.json", {context({alone})});
  EXPECT_TRUE(read().empty());
}

TEST_F(Runs, TruncatedOrOfOtherVersionsOrNoRunsAreSkippedWithANote) {
  const auto cut = [](const RunRecord& record) {
    const std::string whole = to_json(record);
    return whole.substr(0, whole.size() / 2);
  };
  RunRecord record = sample_record();
  write_text("of-others.json", cut(record));
  record.run.machine = here.machine;
  record.run.settings = {{"samples", here.samples}};
  record.run.shares_processors = here.shares_processors;
  write_text("a.json", cut(record));
  write_text("b.json", "");
  write_text("c.json", R"({"schema": 99})");
  write_text("d.json", R"({"schema": 1, "run": 7})");
  write_text("e.json", R"([1, 2])");
  write_text("notes.txt", "not ours");
  write_text(".hidden.json.4711.tmp", "being written");
  fs::create_directory(folder_ / "f.json");
  write("g.json", {context({candidate("chain?segment=none", 1e-5, 10)})});
  EXPECT_FALSE(read().empty());
  std::sort(skipped_.begin(), skipped_.end());
  ASSERT_EQ(skipped_.size(), 6U) << "of a record that does not fit only the beginning is read";
  EXPECT_EQ(skipped_[0], "a.json: it is cut short, or no JSON");
  EXPECT_EQ(skipped_[1], "b.json: it is cut short, or no JSON");
  EXPECT_EQ(skipped_[2], "c.json: it is of schema 99, and this version reads schema 1");
  EXPECT_EQ(skipped_[3].substr(0, 27), "d.json: it is no run record");
  EXPECT_EQ(skipped_[4].substr(0, 27), "e.json: it is no run record");
  EXPECT_EQ(skipped_[5], "f.json: it is not a regular file");
}

TEST_F(Runs, WithInvalidValuesTeachNothing) {
  const auto told = [&](double agreed, std::int64_t samples, const std::string& name = "chain?segment=none") {
    write("1.json", {context({candidate(name, agreed, samples)})});
    return !read().empty();
  };
  EXPECT_TRUE(told(1e-5, 10));
  EXPECT_FALSE(told(-1e-5, 10));
  EXPECT_FALSE(told(0, 10));
  EXPECT_FALSE(told(1e308, 10));
  EXPECT_FALSE(told(1e-5, 0));
  EXPECT_FALSE(told(1e-5, 10, "chain?segment=4711")) << "no candidate of the repository";
  EXPECT_TRUE(skipped_.empty());
  EXPECT_FALSE(told(1e-5, -10));
  ASSERT_EQ(skipped_.size(), 1U);
  EXPECT_EQ(skipped_[0], "1.json: its 'samples' is no count");
  RunRecord record = sample_record();
  std::string text = to_json(record);
  text.replace(text.find("\"ranks\": 6"), 10, "\"ranks\": 4294967298");
  write_text("1.json", text);
  read();
  EXPECT_EQ(skipped_[0], "1.json: its 'ranks' is no count");
}

TEST_F(Runs, OfARefusedCandidateTeachNothing) {
  CandidateRecord refused = candidate("chain?segment=none", 1e-5, 10);
  refused.eligible = false;
  write("1.json", {context({refused})});
  EXPECT_TRUE(read().empty());
}

TEST_F(Runs, NestedDeeplyOrNamingFilesElsewhereAreSkipped) {
  const std::string text = to_json(sample_record());
  std::string deep = text;
  deep.replace(deep.find("\"./app\""), 7, std::string(400000, '[') + std::string(400000, ']'));
  write_text("deep.json", deep);
  RunRecord record = sample_record();
  record.merged = {"../precious.json"};
  write_text("elsewhere.json", to_json(record));
  write("good.json", {context({candidate("native", 1e-5, 10)})});
  merge();
  std::sort(skipped_.begin(), skipped_.end());
  EXPECT_EQ(skipped_, (std::vector<std::string>{
                          "deep.json: it is nested too deeply for a run record",
                          "elsewhere.json: '../precious.json' in its list of merged files is no record's name"}));
}

TEST_F(Runs, WhoseRanksSharedProcessorsTellNothingOfOthers) {
  Circumstances crowded = here;
  crowded.shares_processors = true;
  write("1.json", {context({candidate("native", 4e-3, 10)})}, crowded);
  EXPECT_TRUE(read().empty());
  write("2.json", {context({candidate("native", 1e-5, 10)})});
  EXPECT_DOUBLE_EQ(known("native")->seconds, 1e-5);
  EXPECT_EQ(merge().written.size(), 0U) << "two records that do not belong together";
}

TEST_F(Runs, OnOtherMachinesDoNotUseUpTheLimit) {
  const std::string large(static_cast<std::size_t>(EarlierRuns::most_bytes) / 5, 'x');
  for (int i = 0; i < 8; ++i)
    write("2030010" + std::to_string(i) + ".json", {context({candidate(large, 1e-5, 10)})},
          {"other", here.mpi_flavour, here.mpi_version, here.samples});
  write("20240101.json", {context({candidate("native", 1e-5, 10)})});
  EXPECT_FALSE(read().empty());
}

TEST_F(Runs, MergedStayReadable) {
  // Each run has its own sizes, so that no contexts are summed.
  for (int file = 0; file < 6; ++file) {
    std::vector<ContextRecord> contexts;
    for (int i = 0; i < 1500; ++i) {
      contexts.push_back(context({candidate("native", 1e-5, 10)}));
      contexts.back().bytes = 10000 * file + i;
    }
    write("2024010" + std::to_string(file) + ".json", contexts);
  }
  const MergedRuns merged = merge();
  EXPECT_EQ(merged.runs, 6);
  EXPECT_GT(merged.written.size(), 1U);
  for (const std::string& name : merged.written)
    EXPECT_LE(static_cast<std::int64_t>(fs::file_size(folder_ / name)), EarlierRuns::most_bytes / 4);
  const EarlierRuns earlier = read();
  for (int file = 0; file < 6; ++file) {
    ContextRecord key = context({});
    key.bytes = 10000 * file + 7;
    EXPECT_NE(earlier.find(key), nullptr) << file;
  }
  EXPECT_TRUE(skipped_.empty());
}

TEST_F(Runs, AreNoneWhereThereIsNoDirectory) {
  fs::remove(folder_);
  EXPECT_TRUE(read().empty());
  EXPECT_TRUE(skipped_.empty());
}

TEST_F(Runs, TravelBetweenRanksAsText) {
  write("1.json", {context({candidate("chain?segment=none", 1e-5, 10)})});
  const EarlierRuns there = EarlierRuns::from_text(read().to_text());
  EXPECT_DOUBLE_EQ(EarlierRuns::of(*there.find(context({})), "chain?segment=none")->seconds, 1e-5);
  EXPECT_TRUE(EarlierRuns::from_text("").empty());
}

TEST(EarlierRuns, OfAnyNumberOfContextsTravelBetweenRanks) {
  EarlierRuns earlier;
  constexpr std::int64_t all = 30'352;  // more than a record has room for
  for (std::int64_t i = 0; i < all; ++i) {
    ContextRecord one = context({candidate("chain?segment=none", 1e-5, 10)});
    one.bytes = i + 1;
    earlier.add({one});
  }
  ContextRecord first = context({});
  first.bytes = 1;
  const EarlierRuns there = EarlierRuns::from_text(earlier.to_text());
  EXPECT_NE(there.find(first), nullptr);
  first.bytes = all;
  EXPECT_EQ(there.find(first), nullptr) << "the oldest are left out";
}

TEST(EarlierRuns, OfMoreRanksThanTheJobHasDoNotTravel) {
  EarlierRuns earlier;
  earlier.add({context({candidate("chain?segment=none", 1e-5, 10)})});
  EXPECT_FALSE(EarlierRuns::from_text(earlier.to_text(16)).empty());
  EXPECT_TRUE(EarlierRuns::from_text(earlier.to_text(15)).empty());
}

TEST_F(Runs, MergedSayTheSameInOneFile) {
  write("20240501T120000-a-1.json", {context({candidate("chain?segment=none", 3e-5, 10)})});
  write("20240502T120000-a-1.json", {context({candidate("chain?segment=none", 1e-5, 30)})});
  write("20240503T120000-a-1.json", {context({candidate("chain?segment=none", 1e-5, 30)})}, {"other", "MPICH", "5"});
  write_text("broken.json", "{");
  const double before = known("chain?segment=none")->seconds;
  const MergedRuns merged = merge();
  EXPECT_EQ(merged.runs, 2);
  ASSERT_EQ(merged.written.size(), 1U);
  EXPECT_TRUE(is_merged_file_name(merged.written[0]));
  EXPECT_EQ(files(), (std::vector<std::string>{"20240503T120000-a-1.json", "broken.json", merged.written[0]}));
  EXPECT_DOUBLE_EQ(known("chain?segment=none")->seconds, before);
  EXPECT_EQ(merge().written.size(), 0U) << "nothing is left to merge";
  write("20240504T120000-a-1.json", {context({candidate("chain?segment=1024", 2e-5, 10)})});
  EXPECT_EQ(merge().runs, 3) << "those of the older merged record too";
  EXPECT_DOUBLE_EQ(known("chain?segment=none")->seconds, before);
  EXPECT_DOUBLE_EQ(known("chain?segment=1024")->seconds, 2e-5);
}

TEST_F(Runs, ThatAMergeWasStoppedBeforeDeletingCountOnce) {
  const std::vector<CandidateRecord> slow{candidate("chain?segment=none", 3e-5, 10)};
  const std::vector<CandidateRecord> fast{candidate("chain?segment=none", 1e-5, 30)};
  write("20240501T120000-a-1.json", {context(slow)});
  write("20240502T120000-a-1.json", {context(fast)});
  const double before = known("chain?segment=none")->seconds;
  merge();
  write("20240501T120000-a-1.json", {context(slow)});
  EXPECT_DOUBLE_EQ(known("chain?segment=none")->seconds, before);
  EXPECT_EQ(known("chain?segment=none")->samples, 40);
}

TEST_F(Runs, AreNotMergedByTwoAtOnce) {
  const int file = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(::flock(file, LOCK_EX), 0);
  try {
    merge();
    FAIL() << "the directory is locked";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(error.what(), "'" + folder_.string() + "' is being merged by another process: wait for it");
  }
  ::close(file);
}

TEST_F(Runs, ThatWouldHaveTheSameNameAllStay) {
  constexpr int writers = 20;
  std::vector<NewFile> written(writers);
  for (int i = 0; i < writers; ++i)
    written[static_cast<std::size_t>(i)] = write_new_whole(folder_, "run.json", std::to_string(i));
  EXPECT_EQ(files().size(), static_cast<std::size_t>(writers));
  for (int i = 0; i < writers; ++i) {
    const NewFile& file = written[static_cast<std::size_t>(i)];
    EXPECT_EQ(file.trouble, "");
    std::ifstream text(folder_ / file.name);
    std::stringstream content;
    content << text.rdbuf();
    EXPECT_EQ(content.str(), std::to_string(i));
  }
}

TEST_F(Runs, AreNotWrittenWhereThereIsNoDirectory) {
  const NewFile file = write_new_whole(folder_ / "none", "run.json", "x");
  EXPECT_EQ(file.trouble, "cannot write '" + (folder_ / "none" / "run.json").string() + "': No such file or directory");
}

std::string machine(const char* wish, const char* cluster, const char* host) {
  return machine_name(
      wish, [&](std::string_view name) { return name == "SLURM_CLUSTER_NAME" ? cluster : nullptr; }, host);
}

TEST(MachineName, IsTheUsersElseTheClustersElseTheHostsWithoutNumbers) {
  EXPECT_EQ(machine("mine", "big", "node17"), "mine");
  EXPECT_EQ(machine("", "big", "node17"), "big");
  EXPECT_EQ(machine("", "", "node017.cluster.org"), "node#");
  EXPECT_EQ(machine("", nullptr, "r12c3-ib0"), "r#c#-ib#");
  EXPECT_EQ(machine("", nullptr, "laptop"), "laptop");
}

}  // namespace
}  // namespace starling::testing
