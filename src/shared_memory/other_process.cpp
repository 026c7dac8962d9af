#include "shared_memory/other_process.hpp"

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
  return {getpid(), std::uint64_t{reinterpret_cast<std::uintptr_t>(&word)}, word};
}

Reading try_reading(const ProcessWord& of) {
  std::uint64_t word = 0;
  if (read_process(of.process, of.address, reinterpret_cast<char*>(&word), sizeof word) == sizeof word)
    return word == of.word ? Reading::possible : Reading::another_process;
  return errno == EPERM || errno == ENOSYS ? Reading::forbidden : Reading::another_process;
}

bool has_ended(const ProcessWord& of) {
  std::uint64_t word = 0;
  if (read_process(of.process, of.address, reinterpret_cast<char*>(&word), sizeof word) == sizeof word)
    return word != of.word;
  return errno == ESRCH || (kill(static_cast<pid_t>(of.process), 0) != 0 && errno == ESRCH);
}

}  // namespace starling
