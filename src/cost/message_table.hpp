#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/program.hpp"

namespace starling {

/// All messages of a call, sends and receives joined: the k-th send from one rank to another is the k-th receive there.
class MessageTable {
 public:
  /// A message as both ends know it.
  struct Joined {
    int from;
    int to;
    std::int64_t bytes;
    int next = -1;  ///< the one that follows from `from` to `to`
  };

  /// Throws std::invalid_argument where sends and receives do not match.
  explicit MessageTable(std::span<const Program> programs);

  [[nodiscard]] std::size_t size() const { return messages_.size(); }
  [[nodiscard]] const Joined& operator[](int message) const { return messages_[static_cast<std::size_t>(message)]; }
  /// The numbers of a program's messages, in its own order, receives and sends.
  [[nodiscard]] std::span<const int> of(int rank) const {
    const auto index = static_cast<std::size_t>(rank);
    return std::span(numbers_).subspan(first_[index], first_[index + 1] - first_[index]);
  }

 private:
  std::vector<Joined> messages_;
  std::vector<int> numbers_;
  std::vector<std::size_t> first_;  ///< of each rank in `numbers_`
};

}  // namespace starling
