#include "knowledge/whole_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "messages/told.hpp"
#include "temporary_folder.hpp"

namespace starling::testing {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class WriteWhole : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return directory_.path(name); }
  [[nodiscard]] std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(directory_.path()), fs::directory_iterator());
  }

 private:
  TemporaryFolder directory_;
};

/// Limits the size of this process's files while it lives, to simulate a full disk without a mount.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limited = before_;
    limited.rlim_cur = bytes;
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    ::setrlimit(RLIMIT_FSIZE, &limited);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = SIG_DFL;
};

TEST_F(WriteWhole, WritesTheTextAndNothingElse) {
  const std::string text(3000000, 'x');
  EXPECT_EQ(write_whole(path("record.json"), text), "");
  EXPECT_EQ(content(path("record.json")), text);
  EXPECT_EQ(files(), 1);
}

TEST_F(WriteWhole, ReplacesWhatWasThere) {
  ASSERT_EQ(write_whole(path("record.json"), "a long first text"), "");
  EXPECT_EQ(write_whole(path("record.json"), "second"), "");
  EXPECT_EQ(content(path("record.json")), "second");
}

TEST_F(WriteWhole, IsNotHinderedByTheRemainsOfAKilledProcess) {
  std::ofstream(path("record.json." + std::to_string(::getpid()) + ".tmp")) << "half a rec";
  EXPECT_EQ(write_whole(path("record.json"), "whole"), "");
  EXPECT_EQ(content(path("record.json")), "whole");
  EXPECT_EQ(files(), 1);
}

TEST_F(WriteWhole, SaysThatTheDirectoryIsMissing) {
  EXPECT_EQ(write_whole(path("missing/record.json"), "text"),
            "cannot write '" + path("missing/record.json") + "': No such file or directory");
  EXPECT_EQ(files(), 0);
}

TEST_F(WriteWhole, SaysThatWhatShouldBeADirectoryIsNone) {
  ASSERT_EQ(write_whole(path("file"), "text"), "");
  EXPECT_EQ(write_whole(path("file/record.json"), "text"),
            "cannot write '" + path("file/record.json") + "': Not a directory");
  EXPECT_EQ(files(), 1);
}

TEST_F(WriteWhole, LeavesDirectoriesAndPipesAlone) {
  fs::create_directory(path("directory"));
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  for (const char* name : {"directory", "pipe"})
    EXPECT_EQ(write_whole(path(name), "text"), "cannot write '" + path(name) + "': it is not a regular file");
  EXPECT_TRUE(fs::is_fifo(path("pipe")));
  EXPECT_EQ(files(), 2);
}

TEST_F(WriteWhole, LeavesDevicesAlone) {
  EXPECT_EQ(write_whole("/dev/full", "text"), "cannot write '/dev/full': it is not a regular file");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(WriteWhole, KeepsTheOldFileAndLeavesNothingBehindWhenTheDiskIsFull) {
  ASSERT_EQ(write_whole(path("record.json"), "old"), "");
  std::string said;
  {
    const FileSizeLimit limit(1000);
    said = write_whole(path("record.json"), std::string(5000, 'x'));
  }
  EXPECT_EQ(said, "cannot write '" + path("record.json") + "': File too large");
  EXPECT_EQ(content(path("record.json")), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(WriteWhole, SaysThatTheNameIsTooLong) {
  const std::string name(400, 'n');
  EXPECT_EQ(write_whole(path(name), "text"), "cannot write '" + told(path(name)) + "': File name too long");
}

TEST_F(WriteWhole, LeavesAloneWhatAnotherProcessWritesUnderTheSameName) {
  std::ofstream(path(".run.json.1.tmp")) << "half a rec";
  const NewFile file = write_new_whole(path(""), "run.json", "mine");
  EXPECT_EQ(file.name, "run.json");
  EXPECT_EQ(file.trouble, "");
  EXPECT_EQ(content(path("run.json")), "mine");
  EXPECT_EQ(content(path(".run.json.1.tmp")), "half a rec");
  EXPECT_EQ(files(), 2);
}

TEST_F(WriteWhole, MakesDirectoriesOnlyWhenAsked) {
  EXPECT_EQ(make_directory(path("a/b/c")), "");
  EXPECT_EQ(make_directory(path("a/b/c")), "") << "one that is there is fine";
  EXPECT_EQ(write_whole(path("a/b/c/record.json"), "text"), "");
}

TEST_F(WriteWhole, SaysWhyADirectoryCannotBeMade) {
  ASSERT_EQ(write_whole(path("file"), "text"), "");
  EXPECT_EQ(make_directory(path("file/history")),
            "cannot make the directory '" + path("file/history") + "': Not a directory");
  EXPECT_EQ(make_directory(path("file")), "cannot make the directory '" + path("file") + "': Not a directory");
}

}  // namespace
}  // namespace starling::testing
