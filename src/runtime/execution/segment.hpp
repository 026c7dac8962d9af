#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "runtime/execution/channel.hpp"
#include "shared_memory/rings.hpp"
#include "topology/places.hpp"

namespace starling {

/// Memory that the ranks of one communicator on a node share, for the sharings of schedules, in a `SharedFile`.
class Segment {
 public:
  /// Sets how many bytes all segments of this process may have together; else there is no limit. Before any is made.
  static void share_at_most(std::size_t bytes);

  /// Makes one on each node. Collective over the communicator, of which this is rank `rank`. Null, on all ranks, if
  /// ranks of some node cannot share memory; `why` is then a sentence without a full stop.
  static std::unique_ptr<Segment> open(const Places& places, int rank, Channel& channel, std::string& why);

  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;
  Segment(Segment&&) = delete;
  Segment& operator=(Segment&&) = delete;

  /// What its ranks have to do without; a sentence without a full stop, the same on all ranks, or empty.
  [[nodiscard]] const std::string& note() const { return note_; }

  /// Members are named by the communicator's ranks. Null on a node with one rank.
  [[nodiscard]] SharedRings* rings() const { return rings_.get(); }

 private:
  Segment() = default;

  char* memory_ = nullptr;
  std::size_t bytes_ = 0;
  std::unique_ptr<SharedRings> rings_;
  std::string note_;
};

}  // namespace starling
