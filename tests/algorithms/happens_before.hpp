#pragma once

#include <cstddef>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include "schedule/schedule.hpp"

namespace starling {

/// The happens-before relation between rounds of ranks, for schedules whose sends do not wait: the order that is
/// certain on any network and MPI library.
class HappensBefore {
 public:
  /// Where a message of data is sent and received.
  struct Rounds {
    std::size_t sent = 0;
    std::size_t received = 0;
  };

  /// Throws std::logic_error where the schedules deadlock. Barriers are of all ranks.
  explicit HappensBefore(const std::vector<Schedule>& all) : all_(all), known_(all.size()), begun_(all.size()) {
    for (auto& of : known_) of.resize(all.size());
    for (bool moved = true; moved;) {
      moved = false;
      for (int rank = 0; rank < ranks(); ++rank)
        while (goes_on(rank)) moved = true;
      moved = passes_barrier() || moved;
    }
    for (int rank = 0; rank < ranks(); ++rank)
      if (!finished(rank)) throw std::logic_error("rank " + std::to_string(rank) + " never goes on");
  }

  /// The rounds of the only message with data from one rank to another.
  [[nodiscard]] const Rounds& message(int from, int to) const { return messages_.at({from, to}); }
  /// Whether `rank` has certainly ended its round `ended` when `other` begins its round `begun`.
  [[nodiscard]] bool ends_before(int rank, std::size_t ended, int other, std::size_t begun) const {
    return begun_[index(other)][begun][index(rank)] > ended;
  }

 private:
  using Clock = std::vector<std::size_t>;  ///< rounds that each rank has ended

  static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }
  [[nodiscard]] int ranks() const { return static_cast<int>(all_.size()); }
  [[nodiscard]] std::size_t now(int rank) const { return known_[index(rank)][index(rank)]; }
  [[nodiscard]] bool finished(int rank) const { return now(rank) == all_[index(rank)].rounds().size(); }
  [[nodiscard]] const Round& round(int rank) const { return all_[index(rank)].rounds()[now(rank)]; }
  static void learn(Clock& clock, const Clock& news) {
    for (std::size_t i = 0; i < clock.size(); ++i) clock[i] = std::max(clock[i], news[i]);
  }

  /// Begins the round of a rank, and ends it if it need not wait.
  bool goes_on(int rank) {
    if (finished(rank)) return false;
    if (begun_[index(rank)].size() == now(rank)) {
      begun_[index(rank)].push_back(known_[index(rank)]);
      for (const Transfer& one : round(rank).sends) {
        sent_[{rank, one.peer}].push_back(now(rank));
        if (one.blocks.count > 0) messages_[{rank, one.peer}].sent = now(rank);
      }
    }
    if (round(rank).sub) return false;
    std::map<int, std::size_t> wanted;
    for (const Transfer& one : round(rank).receives) ++wanted[one.peer];
    for (const auto& [peer, count] : wanted)
      if (sent_[{peer, rank}].size() < taken_[{peer, rank}] + count) return false;
    for (const Transfer& one : round(rank).receives) {
      const std::size_t from_round = sent_[{one.peer, rank}][taken_[{one.peer, rank}]++];
      learn(known_[index(rank)], begun_[index(one.peer)][from_round]);
      if (one.blocks.count > 0) messages_[{one.peer, rank}].received = now(rank);
    }
    ++known_[index(rank)][index(rank)];
    return true;
  }

  bool passes_barrier() {
    Clock everything(all_.size());
    for (int rank = 0; rank < ranks(); ++rank) {
      if (finished(rank) || !round(rank).sub) return false;
      learn(everything, known_[index(rank)]);
    }
    for (int rank = 0; rank < ranks(); ++rank) {
      learn(known_[index(rank)], everything);
      ++known_[index(rank)][index(rank)];
    }
    return true;
  }

  const std::vector<Schedule>& all_;
  std::vector<Clock> known_;
  std::vector<std::vector<Clock>> begun_;  ///< what each rank knew when it began each of its rounds
  std::map<std::pair<int, int>, std::vector<std::size_t>> sent_;  ///< the rounds of messages from one to another
  std::map<std::pair<int, int>, std::size_t> taken_;              ///< how many of them have been received
  std::map<std::pair<int, int>, Rounds> messages_;
};

}  // namespace starling
