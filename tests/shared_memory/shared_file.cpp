#include "shared_memory/shared_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <string>

/// As on kernels on which every signal interrupts this; in place of the C library's.
extern "C" int posix_fallocate(int file, off_t first, off_t bytes) {
  sigset_t blocked;
  sigemptyset(&blocked);
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  if (sigismember(&blocked, SIGPROF) == 0) return EINTR;
  return syscall(SYS_fallocate, file, 0, first, bytes) == 0 ? 0 : errno;
}

namespace starling {
namespace {

using Means = SharedFile::Means;

constexpr std::size_t bytes_of_file = 65536;

/// Whether a file of that name is there.
bool has_name(const SharedFile::Address& address) {
  return std::filesystem::exists("/dev/shm/starling-" + std::to_string(static_cast<std::uint64_t>(address.secret)));
}

class SharedFiles : public testing::TestWithParam<Means> {};
INSTANTIATE_TEST_SUITE_P(OfBothMeans, SharedFiles, testing::Values(Means::anonymous_file, Means::named_file));

TEST_P(SharedFiles, AreOneMemoryForAllWhoOpenThem) {
  const SharedFile made = SharedFile::make(GetParam(), bytes_of_file);
  ASSERT_TRUE(made);
  const SharedFile opened = SharedFile::open(GetParam(), made.address(), bytes_of_file);
  ASSERT_TRUE(opened);
  ASSERT_TRUE(made.allocate(0, bytes_of_file / 2));
  ASSERT_TRUE(opened.allocate(bytes_of_file / 2, bytes_of_file / 2));
  char* const mine = made.map();
  char* const its = opened.map();
  ASSERT_TRUE(mine != nullptr && its != nullptr);
  std::memcpy(mine + bytes_of_file - 5, "told", 5);
  EXPECT_STREQ(its + bytes_of_file - 5, "told");
  EXPECT_EQ(its[SharedFile::secret_bytes], 0);
  munmap(mine, bytes_of_file);
  munmap(its, bytes_of_file);
}

TEST_P(SharedFiles, AreNotOpenedByAnotherSecretOrInAnotherSize) {
  const SharedFile made = SharedFile::make(GetParam(), bytes_of_file);
  SharedFile::Address other = made.address();
  EXPECT_FALSE(SharedFile::open(GetParam(), other, bytes_of_file + 1));
  ++other.secret;
  EXPECT_FALSE(SharedFile::open(GetParam(), other, bytes_of_file));
  EXPECT_EQ(SharedFile().address().descriptor, -1);
}

TEST_P(SharedFiles, HaveNoNameOnceTheirMakerIsDone) {
  SharedFile::Address address;
  {
    const SharedFile made = SharedFile::make(GetParam(), bytes_of_file);
    address = made.address();
    EXPECT_EQ(has_name(address), GetParam() == Means::named_file);
  }
  EXPECT_FALSE(has_name(address));
}

TEST(SharedFile, RemovesWhatAKilledProcessLeftButNothingThatIsInUse) {
  const SharedFile in_use = SharedFile::make(Means::named_file, bytes_of_file);
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    const SharedFile made = SharedFile::make(Means::named_file, bytes_of_file);
    const SharedFile::Address its = made.address();
    if (write(ends[1], &its, sizeof its) == sizeof its) kill(getpid(), SIGKILL);
    _exit(1);
  }
  ASSERT_GT(child, 0);
  SharedFile::Address left;
  ASSERT_EQ(read(ends[0], &left, sizeof left), ssize_t{sizeof left});
  ASSERT_GE(left.descriptor, 0);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  const SharedFile another = SharedFile::make(Means::named_file, bytes_of_file);
  EXPECT_TRUE(another);
  EXPECT_FALSE(has_name(left));
  EXPECT_TRUE(SharedFile::open(Means::named_file, in_use.address(), bytes_of_file));
  for (const int end : ends) close(end);
}

}  // namespace
}  // namespace starling
