#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "schedule/collective.hpp"

namespace starling {

/// What a schedule calls a buffer. `send` and `recv` are the caller's; what they hold is in docs/schedules.md and, for
/// the checker, in `expectation.cpp`. Scratch buffers are numbered from `scratch`.
enum class Buffer : std::int32_t { send = 0, recv = 1, scratch = 2 };

/// `count` consecutive blocks of one buffer, from block `first`. No bytes here: sizes come from the call.
struct Blocks {
  Buffer buffer;
  int first;
  int count;
  bool operator==(const Blocks&) const = default;
};

constexpr Blocks at(Buffer buffer, int first, int count = 1) {
  return {buffer, first, count};
}
constexpr Blocks sendbuf(int first, int count = 1) {
  return at(Buffer::send, first, count);
}
constexpr Blocks recvbuf(int first, int count = 1) {
  return at(Buffer::recv, first, count);
}
/// No data: a message that only says "I am here".
constexpr Blocks nothing() {
  return at(Buffer::recv, 0, 0);
}

/// A message to or from `peer`.
struct Transfer {
  int peer;
  Blocks blocks;
};

/// Work without messages. `combine` is MPI_Reduce_local: into = from (operator) into, with `from` the left operand.
struct Local {
  enum class Kind : std::uint8_t { copy, combine };
  Kind kind;
  Blocks from;
  Blocks into;
};

/// The ranks first, first + stride, ..., `size` of them.
struct Group {
  int first;
  int stride;
  int size;
  [[nodiscard]] constexpr int rank(int index) const { return first + (index * stride); }
  [[nodiscard]] constexpr bool contains(int rank) const {
    const int offset = rank - first;
    return offset >= 0 && offset % stride == 0 && offset / stride < size;
  }
  bool operator==(const Group&) const = default;
};

/// All ranks there are, each by its own number.
inline constexpr Group every_rank{0, 1, std::numeric_limits<int>::max()};

/// A collective of the MPI library on a group of ranks. `from` and `into` are its send and receive buffers; where the
/// collective has one block for each rank, that block is `scale` blocks here. `root` counts within the group.
struct SubCollective {
  Collective collective;
  Group group;
  int root;
  int scale;
  Blocks from;
  Blocks into;
};

/// What a rank does before it goes on: posts receives and sends together (or takes part in one sub-collective), waits
/// for all of them, then works on its own data in the order given.
struct Round {
  std::vector<Transfer> receives;
  std::vector<Transfer> sends;
  std::vector<Local> locals;
  std::optional<SubCollective> sub;

  /// Nothing to do, while other ranks may send and receive.
  [[nodiscard]] bool is_idle() const { return receives.empty() && sends.empty() && locals.empty() && !sub; }
  Round& receive(Blocks into, int peer) {
    receives.push_back({peer, into});
    return *this;
  }
  Round& send(Blocks from, int peer) {
    sends.push_back({peer, from});
    return *this;
  }
  Round& copy(Blocks from, Blocks into) {
    locals.push_back({Local::Kind::copy, from, into});
    return *this;
  }
  /// into = from (operator) into: `from` holds what stands further left in the order of ranks.
  Round& combine(Blocks from, Blocks into) {
    locals.push_back({Local::Kind::combine, from, into});
    return *this;
  }
};

/// A scratch buffer: slot i is as large as block like[i] of the call, so that uneven blocks fit without gaps.
struct Scratch {
  std::vector<int> like;
};

/// How many scratch buffers one schedule may have: with send and recv they fill the executor's 16 addresses, which lie
/// on its stack.
inline constexpr std::size_t most_scratch_buffers = 14;

/// What keeps the rounds of a schedule apart.
enum class Synchronisation : std::uint8_t {
  none,
  /// Zero-byte messages between the partners of the next round (Faraj and Yuan). Both ranks of a message must be in
  /// communicating rounds of the same number, an idle round being one, or one of them asks where the other does not.
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

/// Where a part's buffer lies in the whole: its block 0 at `blocks.first`, each of its blocks being `scale` blocks
/// there.
struct Origin {
  Buffer buffer;
  int first = 0;
  int scale = 1;
};

/// How a part fits into a whole schedule: its two buffers, and its ranks as a group of the whole's ranks, by default
/// the same ranks.
struct Placement {
  Origin send;
  Origin recv;
  Group ranks = every_rank;
  /// Whose slots tell how large the part's blocks are: slot `first` and on. By default those of `recv`, which is right
  /// where the part's recv holds all of its blocks; a part that ends with one block (reduce_scatter, scatter) must name
  /// another.
  std::optional<Origin> sizes{};
};

/// What one rank does to carry out one collective over `blocks` blocks.
class Schedule {
 public:
  explicit Schedule(int blocks) : blocks_(blocks) {}

  /// A new scratch buffer of `count` slots; slot i is as large as block (first + i) mod blocks.
  Buffer add_scratch(int count, int first = 0);
  /// A new scratch buffer of `count` slots, each as large as block `block`.
  Buffer add_scratch_like(int count, int block);
  /// A new, empty round at the end.
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

/// The index of a scratch buffer within Schedule::scratch.
constexpr std::size_t scratch_index(Buffer buffer) {
  return static_cast<std::size_t>(buffer) - static_cast<std::size_t>(Buffer::scratch);
}

}  // namespace starling
