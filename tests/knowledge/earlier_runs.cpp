#include "knowledge/earlier_runs.hpp"

#include <gtest/gtest.h>
#include <sys/file.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "knowledge/history.hpp"
#include "knowledge/whole_file.hpp"
#include "sample_record.hpp"

namespace starling::testing {
namespace {

namespace fs = std::filesystem;

const Circumstances here{"cluster#", "Open MPI", "4.1.4"};

CandidateRecord candidate(const std::string& name, double agreed, std::int64_t samples) {
  CandidateRecord one;
  one.name = name;
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
  one.winner = "ring";
  one.candidates = std::move(candidates);
  return one;
}

/// A directory of records that is gone after the test.
class Runs : public ::testing::Test {
 protected:
  void SetUp() override {
    const ::testing::TestInfo* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) / (std::string("starling-runs-") + test->name());
    fs::remove_all(folder_);
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, std::vector<ContextRecord> contexts, const Circumstances& its = here) {
    RunRecord record = sample_record();
    record.run.machine = its.machine;
    record.run.mpi_flavour = its.mpi_flavour;
    record.run.mpi_version = its.mpi_version;
    record.contexts = std::move(contexts);
    write_text(name, to_json(record));
  }
  void write_text(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }

  EarlierRuns read() {
    skipped_.clear();
    return EarlierRuns::read(
        folder_, here, [&](const std::string& file, const std::string& why) { skipped_.push_back(file + ": " + why); });
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

  fs::path folder_;
  std::vector<std::string> skipped_;
};

TEST_F(Runs, AreKnownByCallKeyAndCandidate) {
  write("20240501T120000-a-1.json", {context({candidate("native", 2e-5, 10), candidate("ring", 1e-5, 90)})});
  const EarlierRuns earlier = read();
  const auto ring = earlier.of(context({}), "ring");
  ASSERT_TRUE(ring);
  EXPECT_DOUBLE_EQ(ring->seconds, 1e-5);
  EXPECT_EQ(ring->samples, 90);
  EXPECT_FALSE(earlier.of(context({}), "bruck"));
  ContextRecord other = context({});
  other.nodes = 1;
  other.ranks_per_node = 16;
  EXPECT_FALSE(earlier.of(other, "ring")) << "the same ranks on other nodes";
  other.nodes = 0;
  EXPECT_FALSE(earlier.of(other, "ring")) << "nobody knows on which nodes";
  EXPECT_TRUE(skipped_.empty());
}

TEST_F(Runs, OfOtherCircumstancesDoNotCount) {
  write("1.json", {context({candidate("ring", 1e-5, 10)})}, {"other", here.mpi_flavour, here.mpi_version});
  write("2.json", {context({candidate("ring", 1e-5, 10)})}, {here.machine, "MPICH", here.mpi_version});
  write("3.json", {context({candidate("ring", 1e-5, 10)})}, {here.machine, here.mpi_flavour, "5.0"});
  EXPECT_TRUE(read().empty());
}

TEST_F(Runs, ThatAreNewerCountFirstAndOldOnesOnlyWhereTheyAreNeeded) {
  write("20240501T120000-a-1.json", {context({candidate("ring", 9e-5, 50), candidate("chain", 7e-5, 50)})});
  write("20240502T120000-a-1.json", {context({candidate("ring", 1e-5, 50), candidate("chain", 1e-5, 10)})});
  const EarlierRuns earlier = read();
  EXPECT_DOUBLE_EQ(earlier.of(context({}), "ring")->seconds, 1e-5);
  EXPECT_DOUBLE_EQ(earlier.of(context({}), "chain")->seconds, 6e-5) << "weighted by samples";
}

TEST_F(Runs, WithoutWhatRanksAgreedOnTeachNothing) {
  CandidateRecord alone = candidate("ring", 1e-5, 10);
  alone.agreed_s.reset();
  write("1.json", {context({alone})});
  EXPECT_TRUE(read().empty());
}

TEST_F(Runs, CutShortOrOfOtherVersionsOrNoRunsAreSkippedWithANote) {
  RunRecord record = sample_record();
  const std::string whole = to_json(record);
  write_text("a.json", whole.substr(0, whole.size() / 2));
  write_text("b.json", "");
  write_text("c.json", R"({"schema": 99})");
  write_text("d.json", R"({"schema": 1, "run": 7})");
  write_text("e.json", R"([1, 2])");
  write_text("notes.txt", "not ours");
  write_text(".hidden.json.4711.tmp", "being written");
  fs::create_directory(folder_ / "f.json");
  write("g.json", {context({candidate("ring", 1e-5, 10)})});
  EXPECT_FALSE(read().empty());
  std::sort(skipped_.begin(), skipped_.end());
  ASSERT_EQ(skipped_.size(), 6U);
  EXPECT_EQ(skipped_[0], "a.json: it is cut short, or no JSON");
  EXPECT_EQ(skipped_[1], "b.json: it is cut short, or no JSON");
  EXPECT_EQ(skipped_[2], "c.json: it is of schema 99, and this version reads schema 1");
  EXPECT_EQ(skipped_[3].substr(0, 27), "d.json: it is no run record");
  EXPECT_EQ(skipped_[4].substr(0, 27), "e.json: it is no run record");
  EXPECT_EQ(skipped_[5], "f.json: it is not a regular file");
}

TEST_F(Runs, AreNoneWhereThereIsNoDirectory) {
  fs::remove(folder_);
  EXPECT_TRUE(read().empty());
  EXPECT_TRUE(skipped_.empty());
}

TEST_F(Runs, TravelBetweenRanksAsText) {
  write("1.json", {context({candidate("ring", 1e-5, 10)})});
  const EarlierRuns there = EarlierRuns::from_text(read().to_text());
  EXPECT_DOUBLE_EQ(there.of(context({}), "ring")->seconds, 1e-5);
  EXPECT_TRUE(EarlierRuns::from_text("").empty());
}

TEST_F(Runs, MergedSayTheSameInOneFile) {
  write("20240501T120000-a-1.json", {context({candidate("ring", 3e-5, 10)})});
  write("20240502T120000-a-1.json", {context({candidate("ring", 1e-5, 30)})});
  write("20240503T120000-a-1.json", {context({candidate("ring", 1e-5, 30)})}, {"other", "MPICH", "5"});
  write_text("broken.json", "{");
  const double before = read().of(context({}), "ring")->seconds;
  const MergedRuns merged = merge();
  EXPECT_EQ(merged.runs, 2);
  ASSERT_EQ(merged.written.size(), 1U);
  EXPECT_TRUE(is_merged_file_name(merged.written[0]));
  EXPECT_EQ(files(), (std::vector<std::string>{"20240503T120000-a-1.json", "broken.json", merged.written[0]}));
  EXPECT_DOUBLE_EQ(read().of(context({}), "ring")->seconds, before);
  EXPECT_EQ(merge().written.size(), 0U) << "nothing is left to merge";
  write("20240504T120000-a-1.json", {context({candidate("chain", 2e-5, 10)})});
  EXPECT_EQ(merge().runs, 3) << "those of the older merged record too";
  EXPECT_DOUBLE_EQ(read().of(context({}), "ring")->seconds, before);
  EXPECT_DOUBLE_EQ(read().of(context({}), "chain")->seconds, 2e-5);
}

TEST_F(Runs, ThatAMergeWasStoppedBeforeDeletingCountOnce) {
  const std::vector<CandidateRecord> slow{candidate("ring", 3e-5, 10)};
  const std::vector<CandidateRecord> fast{candidate("ring", 1e-5, 30)};
  write("20240501T120000-a-1.json", {context(slow)});
  write("20240502T120000-a-1.json", {context(fast)});
  const double before = read().of(context({}), "ring")->seconds;
  merge();
  write("20240501T120000-a-1.json", {context(slow)});
  EXPECT_DOUBLE_EQ(read().of(context({}), "ring")->seconds, before);
  EXPECT_EQ(read().of(context({}), "ring")->samples, 40);
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
  return machine_name([&](const char* name) { return std::string_view(name) == "STARLING_MACHINE" ? wish : cluster; },
                      host);
}

TEST(MachineName, IsTheUsersElseTheClustersElseTheHostsWithoutNumbers) {
  EXPECT_EQ(machine("mine", "big", "node17"), "mine");
  EXPECT_EQ(machine(nullptr, "big", "node17"), "big");
  EXPECT_EQ(machine("", "", "node017.cluster.org"), "node#");
  EXPECT_EQ(machine(nullptr, nullptr, "r12c3-ib0"), "r#c#-ib#");
  EXPECT_EQ(machine(nullptr, nullptr, "laptop"), "laptop");
}

}  // namespace
}  // namespace starling::testing
