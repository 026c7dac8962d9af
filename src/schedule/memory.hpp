#pragma once

#include <span>
#include <string>
#include <vector>

#include "schedule/checker.hpp"
#include "schedule/schedule.hpp"
#include "schedule/symbols.hpp"

namespace starling {

/// The buffers of one rank, filled with symbols, and what the round in progress does to them. All functions that take
/// blocks throw Mistake where they reach outside a buffer.
class Memory {
 public:
  Memory(const Schedule& schedule, Collective collective, const Expectation& expected, const CheckedCall& facts,
         int rank, Symbols& symbols);

  /// Forgets what earlier rounds touched.
  void begin_round() { ++round_; }
  /// Declares that messages of this round read `blocks`. Throws Mistake for what was never written or is written in the
  /// round.
  void read_in_round(Blocks blocks);
  /// Declares that messages of this round write `blocks`. Throws Mistake for what is read or written in the round
  /// already, and for the send buffer.
  void write_in_round(Blocks blocks);
  /// Declares that takes of this round write `blocks`, one after the other where several do. Throws Mistake for what is
  /// read in the round, and for the send buffer.
  void change_in_round(Blocks blocks);

  /// What `blocks` hold, and how large they are. Valid until the next write.
  [[nodiscard]] std::span<const Symbol> values(Blocks blocks) const;
  [[nodiscard]] std::span<const int> sizes(Blocks blocks) const;
  /// Puts `values` into `blocks`.
  void write(Blocks blocks, std::span<const Symbol> values);

  /// Whether what comes into `blocks` is as large as they are; where sizes are learned, scratch is as large as what
  /// comes first.
  [[nodiscard]] bool fit(Blocks blocks, std::span<const int> sizes);

  /// Whether two ranges have a slot in common, now that buffers may lie in each other.
  [[nodiscard]] bool overlap(Blocks a, Blocks b) const;
  /// Whether two ranges are the same memory.
  [[nodiscard]] bool same(Blocks a, Blocks b) const;
  /// Throws Mistake where a slot of `blocks` was never written.
  void must_be_written(Blocks blocks) const;
  /// Throws Mistake where `blocks` may not be written at all.
  static void must_be_writable(Blocks blocks);

 private:
  struct Area {
    int first;  ///< slot
    int count;
  };
  /// The first slot of `blocks`.
  [[nodiscard]] std::size_t slot(Blocks blocks) const;
  [[nodiscard]] bool in_clobbered(Blocks send, Blocks recv) const;

  int rank_;
  int round_ = 0;
  std::vector<Area> areas_;  ///< of each Buffer
  std::vector<Symbol> held_;
  std::vector<int> sizes_;
  std::vector<int> read_;     ///< the last round that read the slot
  std::vector<int> written_;  ///< the last round that wrote it
  /// In place, reduce_scatter's one block of result lies somewhere over the many blocks of its input.
  bool result_covers_input_ = false;
  int input_read_ = 0;      ///< the last round that read any of them
  int result_written_ = 0;  ///< the last round that wrote it
};

}  // namespace starling
