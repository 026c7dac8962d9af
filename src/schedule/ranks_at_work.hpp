#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "schedule/checker.hpp"
#include "schedule/expectation.hpp"
#include "schedule/happens_before.hpp"
#include "schedule/memory.hpp"
#include "schedule/symbols.hpp"

namespace starling {

/// All ranks in the middle of their schedules: what the checker's rules work on. Each kind of step has a rule in
/// src/schedule/steps, with two functions: `begin` enters a step of a rank and tells whether it is over at once, else
/// the rule calls `may_go_on` when it is; `wait_of` tells what a rank waits for that can't go on.
class RanksAtWork {
 public:
  /// Throws Mistake where a rank's schedule cannot be begun. `order` may be null.
  RanksAtWork(Collective collective, std::span<const Schedule> per_rank, int root, const CheckedCall& facts,
              HappensBefore* order);

  [[nodiscard]] int ranks() const { return static_cast<int>(schedules_.size()); }
  [[nodiscard]] Memory& memory(int rank) { return memory_[index(rank)]; }
  [[nodiscard]] Symbols& symbols() { return symbols_; }
  /// Whether all blocks of the call are equally large.
  [[nodiscard]] bool uniform_blocks() const { return facts_.uniform && expected_.front().parts == 1; }
  /// Whether every rank knows how large all blocks are.
  [[nodiscard]] bool known_sizes() const {
    return all_know_sizes(collective_) || (facts_.learns_sizes && rooted(collective_));
  }
  /// Whether two ranks are known to be on one node.
  [[nodiscard]] bool on_one_node(int a, int b) const {
    return !facts_.nodes.empty() && facts_.nodes[index(a)] == facts_.nodes[index(b)];
  }
  [[nodiscard]] const Expectation& expected(int rank) const { return expected_[index(rank)]; }
  /// What is known to happen before what; null where nobody asks.
  [[nodiscard]] HappensBefore* order() const { return order_; }

  /// The round that a rank is in, and its number.
  [[nodiscard]] const Round& round(int rank) const { return schedules_[index(rank)].rounds()[at_[index(rank)]]; }
  [[nodiscard]] std::size_t round_number(int rank) const { return at_[index(rank)]; }
  [[nodiscard]] bool finished(int rank) const { return at_[index(rank)] == schedules_[index(rank)].rounds().size(); }
  void begin_round(int rank) {
    memory(rank).begin_round();
    if (order_ != nullptr) order_->begin_round(rank);
  }
  void end_round(int rank) { ++at_[index(rank)]; }

  /// The step that `rank` waits in is over.
  void may_go_on(int rank) { ready_.push_back(rank); }
  /// A rank that may go on, each once; none where all wait.
  std::optional<int> next_ready();

  /// Runs `work`; a Mistake in it is one of `rank`, in the round it is in.
  template <typename Work>
  void naming(int rank, const Work& work) const {
    try {
      work();
    } catch (const Mistake& mistake) {
      throw Mistake{place(rank) + " " + mistake.what};
    }
  }
  /// "rank 1, round 2:".
  [[nodiscard]] std::string place(int rank) const;
  /// What an empty message that nobody answers comes from most often.
  [[nodiscard]] std::string hint(bool is_empty) const;

 private:
  static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }

  Collective collective_;
  std::span<const Schedule> schedules_;
  CheckedCall facts_;
  HappensBefore* order_;
  Symbols symbols_;
  std::vector<Expectation> expected_;
  std::vector<Memory> memory_;
  std::vector<std::size_t> at_;  ///< the round of each rank
  std::vector<int> ready_;
};

}  // namespace starling
