// Reading the memory of another process: where it works, and each way in which it does not.

#include "shared_memory/other_process.hpp"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <functional>
#include <string>
#include <thread>

namespace starling {
namespace {

/// Whether `holds()` in a child of this process.
bool in_a_child(const std::function<bool()>& holds) {
  const pid_t child = fork();
  if (child == 0) _exit(holds() ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::uint64_t address_of(const void* data) {
  return std::uint64_t{reinterpret_cast<std::uintptr_t>(data)};
}

/// From now on the system refuses this process to read others.
bool refuse_reading() {
  std::array<sock_filter, 4> program{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog filter{program.size(), program.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

TEST(OtherProcess, IsReadFromAnotherOne) {
  const ProcessWord mine = ProcessWord::mine();
  const std::string text = "what the parent has";
  EXPECT_TRUE(in_a_child([&] {
    std::string read(text.size(), '\0');
    return getpid() != mine.process && try_reading(mine) == Reading::possible &&
           read_process(mine.process, address_of(text.data()), read.data(), read.size()) == text.size() && read == text;
  }));
}

TEST(OtherProcess, IsWrittenIntoByAnotherOne) {
  const ProcessWord mine = ProcessWord::mine();
  std::string text(20, ' ');
  EXPECT_TRUE(in_a_child([&] {
    const std::string written = "what the child wrote";
    return write_process(mine.process, address_of(text.data()), written.data(), written.size()) == written.size() &&
           text != written;
  }));
  EXPECT_EQ(text, "what the child wrote");
}

TEST(OtherProcess, IsKnownByItsWord) {
  ProcessWord other = ProcessWord::mine();
  EXPECT_EQ(try_reading(other), Reading::possible);
  other.word += 1;
  EXPECT_TRUE(has_ended(other));
  EXPECT_EQ(try_reading(other), Reading::another_process) << "a process of that number, but not the one that told it";
  other.address = 0;
  EXPECT_EQ(try_reading(other), Reading::another_process) << "nothing is there in this one";
  EXPECT_FALSE(has_ended(other)) << "it is there, for all that can be known";
  for (const std::uint64_t another : {other.pid_namespace + 1, std::uint64_t{0}}) {
    other = ProcessWord::mine();
    other.word += 1;
    other.pid_namespace = another;
    EXPECT_FALSE(has_ended(other)) << "that number is of another process in another namespace";
  }
}

TEST(OtherProcess, IsNotReadWhereTheSystemForbidsIt) {
  const ProcessWord mine = ProcessWord::mine();
  EXPECT_TRUE(in_a_child([&] { return refuse_reading() && try_reading(mine) == Reading::forbidden; }));
  EXPECT_TRUE(in_a_child([&] { return refuse_reading() && !has_ended(mine); }));
}

TEST(OtherProcess, TellsThatItHasEnded) {
  ProcessWord ended = ProcessWord::mine();
  const pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  ended.process = child;
  EXPECT_EQ(try_reading(ended), Reading::possible);
  EXPECT_FALSE(has_ended(ended));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(has_ended(ended));
  EXPECT_TRUE(in_a_child([&] { return refuse_reading() && has_ended(ended); }));
  char byte = 0;
  EXPECT_EQ(read_process(child, ended.address, &byte, 1), 0);
  EXPECT_EQ(errno, ESRCH);
  EXPECT_EQ(try_reading(ended), Reading::another_process);
}

TEST(OtherProcess, HasNotEndedWithItsFirstThread) {
  ProcessWord other = ProcessWord::mine();
  other.process = fork();
  if (other.process == 0) {
    std::thread([&] {
      for (;;) pause();
    }).detach();
    syscall(SYS_exit, 0);
  }
  // The first thread is gone once it cannot be read.
  while (try_reading(other) == Reading::possible) std::this_thread::yield();
  EXPECT_FALSE(has_ended(other));
  kill(static_cast<pid_t>(other.process), SIGKILL);
  waitpid(static_cast<pid_t>(other.process), nullptr, 0);
  EXPECT_TRUE(has_ended(other));
}

TEST(OtherProcess, IsReadUpToWhatCannotBeRead) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  char* const memory =
      static_cast<char*>(mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(memory, MAP_FAILED);
  std::memset(memory, 7, 2 * page);
  ASSERT_EQ(mprotect(memory + page, page, PROT_NONE), 0);
  std::string read(2 * page, '\0');
  EXPECT_EQ(read_process(getpid(), address_of(memory), read.data(), read.size()), page);
  EXPECT_EQ(errno, EFAULT);
  EXPECT_EQ(read.substr(0, page), std::string(page, 7));
  munmap(memory, 2 * page);
}

}  // namespace
}  // namespace starling
