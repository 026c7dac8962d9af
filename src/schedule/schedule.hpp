#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "schedule/blocks.hpp"
#include "schedule/placement.hpp"
#include "schedule/rank_set.hpp"
#include "schedule/steps/arrays.hpp"
#include "schedule/steps/kinds.hpp"

namespace starling {

/// What a rank does before it goes on: meets other ranks, waits until that is over, then works on its own data in the
/// order given.
struct Round {
  Meeting meeting;
  LocalWork local;

  bool operator==(const Round&) const = default;
  /// Nothing to do, while other ranks may send and receive.
  [[nodiscard]] bool is_idle() const {
    return local.empty() && std::visit([](const auto& one) { return one.empty(); }, meeting);
  }
  [[nodiscard]] std::span<const Transfer> receives() const { return messages_of(&Messages::receives); }
  [[nodiscard]] std::span<const Transfer> sends() const { return messages_of(&Messages::sends); }
  [[nodiscard]] const std::vector<Local>& locals() const { return local.all; }
  /// Null where it has none.
  [[nodiscard]] const SubCollective* sub() const { return std::get_if<SubCollective>(&meeting); }
  /// Null where it has none.
  [[nodiscard]] const Sharing* sharing() const { return std::get_if<Sharing>(&meeting); }

  /// Both throw std::logic_error in a round that meets in another way (an error in the algorithm's file).
  Round& receive(Blocks into, int peer) {
    messages().receives.push_back({peer, into});
    return *this;
  }
  Round& send(Blocks from, int peer) {
    messages().sends.push_back({peer, from});
    return *this;
  }
  /// Meets in a collective of the MPI library. Throws as above in a round that has messages.
  Round& join(SubCollective sub) { return meet(std::move(sub)); }
  /// Meets in a step of any kind. Throws as above in a round that has a meeting already.
  template <class Kind>
  Round& meet(Kind step) {
    if (const auto* mine = std::get_if<Messages>(&meeting); mine == nullptr || !mine->empty()) refuse();
    meeting = std::move(step);
    return *this;
  }
  /// Makes blocks readable in memory that the ranks of a node share. This and the takes throw as above in a round that
  /// meets in another way.
  Round& publish(Blocks from, std::vector<int> readers, bool once = false) {
    shared().publications.push_back({from, std::move(readers), once});
    return *this;
  }
  Round& take(Blocks into, int peer) {
    shared().takes.push_back({peer, into});
    return *this;
  }
  /// into = what is taken (operator) into.
  Round& take_combined(Blocks into, int peer) {
    shared().takes.push_back({peer, into, nothing(), into});
    return *this;
  }
  /// into = left (operator) what is taken (operator) right, as in Take.
  Round& take_between(Blocks left, int peer, Blocks right, Blocks into) {
    shared().takes.push_back({peer, into, left, right});
    return *this;
  }
  Round& copy(Blocks from, Blocks into) {
    local.all.push_back({Local::Kind::copy, from, into});
    return *this;
  }
  /// into = from (operator) into: `from` holds what stands further left in the order of ranks.
  Round& combine(Blocks from, Blocks into) {
    local.all.push_back({Local::Kind::combine, from, into});
    return *this;
  }

 private:
  [[nodiscard]] Messages& messages() {
    if (auto* mine = std::get_if<Messages>(&meeting)) return *mine;
    refuse();
  }
  [[nodiscard]] Sharing& shared() {
    if (sharing() == nullptr) meet(Sharing{});
    return std::get<Sharing>(meeting);
  }
  [[nodiscard]] std::span<const Transfer> messages_of(std::vector<Transfer> Messages::*which) const {
    const auto* mine = std::get_if<Messages>(&meeting);
    return mine == nullptr ? std::span<const Transfer>() : std::span(mine->*which);
  }
  [[noreturn]] static void refuse();
};

/// A scratch buffer: slot i is as large as block like[i] of the call, so that uneven blocks fit without gaps.
struct Scratch {
  std::vector<int> like;
  bool operator==(const Scratch&) const = default;
  [[nodiscard]] std::size_t bytes() const { return bytes_of(like); }
};

/// How many scratch buffers one schedule may have: with send and recv they fill the executor's 16 addresses, which lie
/// on its stack.
inline constexpr std::size_t most_scratch_buffers = 14;

/// What keeps the rounds of a schedule apart.
enum class Synchronisation : std::uint8_t {
  none,
  /// Zero-byte messages between the partners of the next round (Faraj and Yuan). Both ranks of a message must be in
  /// communicating rounds of the same number, counting idle ones, or one of them waits for a word that never comes.
  light_barrier,
  mpi_barrier,  ///< an MPI barrier between rounds
};

constexpr std::string_view name_of(Synchronisation synchronisation) {
  switch (synchronisation) {
    case Synchronisation::light_barrier: return "light_barrier";
    case Synchronisation::mpi_barrier: return "mpi_barrier";
    default: return "none";
  }
}

/// What one rank does to carry out one collective over `blocks` blocks.
class Schedule {
 public:
  explicit Schedule(int blocks) : blocks_(blocks) {}
  bool operator==(const Schedule&) const = default;

  /// A new scratch buffer of `count` slots; slot i is as large as block (first + i) mod blocks.
  Buffer add_scratch(int count, int first = 0);
  /// A new scratch buffer with a slot as large as each of these blocks.
  Buffer add_scratch(std::vector<int> like);
  /// A new scratch buffer of `count` slots, each as large as block `block`.
  Buffer add_scratch_like(int count, int block);
  /// A new, empty round at the end. The reference is valid until a round is added: by this, `copy`, `combine`,
  /// `append`.
  Round& round() { return rounds_.emplace_back(); }
  /// Copies when everything so far is done: joins the last round, whose local work follows its messages; where there is
  /// none yet, it is a round by itself.
  void copy(Blocks from, Blocks into);
  /// Combines when everything so far is done: into = from (operator) into. Joins the last round as `copy` does.
  void combine(Blocks from, Blocks into);
  /// Adds the rounds of `part` after those here, its ranks and buffers placed as told; its scratch becomes the whole's.
  /// Copies that are left with nothing to do, because the data lies in place already, vanish. Throws std::out_of_range
  /// where the part talks to a rank that the placement does not give it (an error in the algorithm's file).
  void append(const Schedule& part, const Placement& placement);
  /// The same schedule with `synchronisation` between every two rounds that send, receive or are idle, on `ranks`
  /// ranks. For an MPI barrier all ranks must have equally many such rounds, for a light one partners must meet in such
  /// rounds of the same number; the checker proves it.
  [[nodiscard]] Schedule synchronised(Synchronisation synchronisation, int ranks) const;

  [[nodiscard]] int blocks() const { return blocks_; }
  [[nodiscard]] const std::vector<Round>& rounds() const& { return rounds_; }
  /// Not of a temporary: a loop over its rounds would outlive it.
  [[nodiscard]] const std::vector<Round>& rounds() const&& = delete;
  [[nodiscard]] const std::vector<Scratch>& scratch() const { return scratch_; }

 private:
  int blocks_;
  std::vector<Round> rounds_;
  std::vector<Scratch> scratch_;
};

}  // namespace starling
