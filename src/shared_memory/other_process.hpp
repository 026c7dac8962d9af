#pragma once

#include <cstddef>
#include <cstdint>

namespace starling {

/// Copies `bytes` bytes from an address of another process, without its help. Fewer were copied if less is returned;
/// `errno` tells why.
std::size_t read_process(std::int64_t process, std::uint64_t address, char* into, std::size_t bytes);

/// The same the other way round: from `data` to an address of another process.
std::size_t write_process(std::int64_t process, std::uint64_t address, const char* data, std::size_t bytes);

/// How others find this process, and a word in it by which they know that they have found it. The number of a process
/// means another one in another PID namespace.
struct ProcessWord {
  std::int64_t process;
  std::uint64_t pid_namespace;  ///< the same number for processes in the same one; 0 if it is not known
  std::uint64_t address;
  std::uint64_t word;

  /// Of this process. There is one word in it, which lasts as long as it does.
  static ProcessWord mine();
};

enum class Reading : std::uint8_t { possible, another_process, forbidden };
/// Whether this process can read that one.
Reading try_reading(const ProcessWord& of);
/// Whether that one is no more, with all of its threads. False where nothing is known of it, as in another PID
/// namespace. Another one may have its number by now, which is found out only where this process may read it.
bool has_ended(const ProcessWord& of);

}  // namespace starling
