#include "shared_memory/other_process.hpp"

#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <random>

namespace starling {

namespace {

using Copy = ssize_t (*)(pid_t, const iovec*, unsigned long, const iovec*, unsigned long, unsigned long);

std::size_t copy_by(Copy copy, std::int64_t process, std::uint64_t address, char* mine, std::size_t bytes) {
  std::size_t done = 0;
  while (done < bytes) {
    // The system copies at most 2 GiB at once.
    constexpr std::size_t most = std::size_t{1} << 30U;
    const iovec here{mine + done, std::min(bytes - done, most)};
    // It points to nothing in this process
    const iovec there{reinterpret_cast<void*>(static_cast<std::uintptr_t>(address + done)), here.iov_len};
    const ssize_t copied = copy(static_cast<pid_t>(process), &here, 1, &there, 1, 0);
    if (copied <= 0) break;
    done += static_cast<std::size_t>(copied);
  }
  return done;
}

std::uint64_t own_pid_namespace() {
  static const std::uint64_t number = [] {
    struct stat found {};
    return stat("/proc/self/ns/pid", &found) == 0 ? std::uint64_t{found.st_ino} : 0;
  }();
  return number;
}

/// Whether a process has ended. One whose first thread has, but not the others, cannot be read any more and is not
/// over.
bool is_over(pid_t process) {
  constexpr long pidfd_open = 434;  // older headers have no name for it
  const auto found = static_cast<int>(syscall(pidfd_open, process, 0));
  if (found < 0) return errno == ESRCH || (kill(process, 0) != 0 && errno == ESRCH);
  pollfd end{found, POLLIN, 0};
  const bool is_over = poll(&end, 1, 0) == 1;
  close(found);
  return is_over;
}

}  // namespace

std::size_t read_process(std::int64_t process, std::uint64_t address, char* into, std::size_t bytes) {
  return copy_by(process_vm_readv, process, address, into, bytes);
}

std::size_t write_process(std::int64_t process, std::uint64_t address, const char* data, std::size_t bytes) {
  return copy_by(process_vm_writev, process, address, const_cast<char*>(data), bytes);
}

ProcessWord ProcessWord::mine() {
  static const std::uint64_t word = [] {
    std::random_device random;
    return (std::uint64_t{random()} << 32U) | random();
  }();
  return {getpid(), own_pid_namespace(), std::uint64_t{reinterpret_cast<std::uintptr_t>(&word)}, word};
}

Reading try_reading(const ProcessWord& of) {
  std::uint64_t word = 0;
  if (read_process(of.process, of.address, reinterpret_cast<char*>(&word), sizeof word) == sizeof word)
    return word == of.word ? Reading::possible : Reading::another_process;
  return errno == EPERM || errno == ENOSYS ? Reading::forbidden : Reading::another_process;
}

bool has_ended(const ProcessWord& of) {
  if (of.pid_namespace == 0 || of.pid_namespace != own_pid_namespace()) return false;
  std::uint64_t word = 0;
  if (read_process(of.process, of.address, reinterpret_cast<char*>(&word), sizeof word) == sizeof word)
    return word != of.word;
  return is_over(static_cast<pid_t>(of.process));
}

}  // namespace starling
