#include "cost/message_table.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace starling {
namespace {

/// Calls `use(index, message, is_send)` for each message of a program, in the order of the program.
template <class Use>
void each_message(const Program& program, Use use) {
  for (const Step& step : program.steps) {
    if (!step.is<Messages>()) continue;
    const auto first = static_cast<std::size_t>(step.first);
    for (std::int32_t i = 0; i < step.count; ++i) {
      const std::size_t index = first + static_cast<std::size_t>(i);
      use(index, program.messages[index], i >= step.receives());
    }
  }
}

}  // namespace

MessageTable::MessageTable(std::span<const Program> programs) : first_{0} {
  const auto ranks = static_cast<int>(programs.size());
  for (const Program& program : programs) first_.push_back(first_.back() + program.messages.size());
  numbers_.resize(first_.back());
  messages_.reserve(first_.back() / 2);

  // Senders in the order of ranks: so each rank's arrivals are sorted by sender, and by age for each of them.
  std::vector<std::vector<int>> arrivals(programs.size());
  for (int rank = 0; rank < ranks; ++rank) {
    each_message(programs[static_cast<std::size_t>(rank)], [&](std::size_t index, const Message& one, bool is_send) {
      if (!is_send) return;
      if (one.peer < 0 || one.peer >= ranks)
        throw std::invalid_argument("rank " + std::to_string(rank) + " sends to rank " + std::to_string(one.peer));
      const auto number = static_cast<int>(messages_.size());
      numbers_[first_[static_cast<std::size_t>(rank)] + index] = number;
      arrivals[static_cast<std::size_t>(one.peer)].push_back(number);
      messages_.push_back({rank, one.peer, one.data.count});
    });
  }
  std::vector<std::pair<int, std::size_t>> receives;  // from whom, and the index in the program
  for (int rank = 0; rank < ranks; ++rank) {
    const auto here = static_cast<std::size_t>(rank);
    receives.clear();
    each_message(programs[here], [&](std::size_t index, const Message& one, bool is_send) {
      if (!is_send) receives.emplace_back(one.peer, index);
    });
    std::sort(receives.begin(), receives.end());
    if (receives.size() != arrivals[here].size())
      throw std::invalid_argument("rank " + std::to_string(rank) + " receives " + std::to_string(receives.size()) +
                                  " messages, and " + std::to_string(arrivals[here].size()) + " are sent to it");
    // Within a pair of ranks the order of a program's messages is that of its steps.
    for (std::size_t i = 0; i < receives.size(); ++i) {
      const int number = arrivals[here][i];
      Joined& message = messages_[static_cast<std::size_t>(number)];
      if (message.from != receives[i].first)
        throw std::invalid_argument("rank " + std::to_string(rank) + " receives from rank " +
                                    std::to_string(receives[i].first) + " what rank " + std::to_string(message.from) +
                                    " sends");
      numbers_[first_[here] + receives[i].second] = number;
      if (i > 0 && receives[i - 1].first == message.from)
        messages_[static_cast<std::size_t>(arrivals[here][i - 1])].next = number;
    }
  }
}

}  // namespace starling
