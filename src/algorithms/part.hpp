#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "algorithms/candidate.hpp"

namespace starling {

/// A part of a composed algorithm: a collective among some of its ranks, by a candidate of the repository or by the
/// MPI library's own algorithm.
class Part {
 public:
  /// The way of that name: "native" for the library's own, else a candidate's, "chain:segment=8192" for
  /// chain?segment=8192, as the value of a parameter can hold it. Nothing for a name that is none.
  static std::optional<Part> find(Collective collective, std::string_view name);
  /// The same; throws std::out_of_range for a name that is none.
  static Part named(Collective collective, std::string_view name);

  /// What one rank does. The part has its data in Buffer::send and Buffer::recv.
  [[nodiscard]] Schedule schedule(const Team& team) const;
  /// Why it cannot serve its ranks, of which a situation tells all but the collective; empty if it can.
  [[nodiscard]] std::string refusal(Situation part) const;
  /// How it divides the data there.
  [[nodiscard]] Division division(Situation part) const;
  /// Blocks of scratch that it uses there at most.
  [[nodiscard]] std::int64_t scratch_blocks(Situation part) const;
  /// Communicators that a rank needs for it at most.
  [[nodiscard]] int communicators() const { return by_candidate_ ? by_candidate_->communicators() : 1; }
  /// Whether its ranks meet in memory that they share.
  [[nodiscard]] bool shares_memory() const { return by_candidate_ && by_candidate_->shares_memory(); }
  /// Whether its ranks learn the sizes of blocks that they pass on.
  [[nodiscard]] bool learns_sizes() const { return by_candidate_ && by_candidate_->learns_sizes(); }
  [[nodiscard]] bool is_native() const { return !by_candidate_; }
  /// Null for the library's own.
  [[nodiscard]] const Algorithm* algorithm() const { return by_candidate_ ? by_candidate_->algorithm : nullptr; }

 private:
  Part(Collective collective, std::optional<Bound> by_candidate)
      : collective_(collective), by_candidate_(std::move(by_candidate)) {}

  Collective collective_;
  std::optional<Bound> by_candidate_;
};

/// Why the MPI library cannot do a part of a call in that situation; empty if it can. Where the blocks of members may
/// differ in size it is given counts.
std::string native_part_refusal(const Situation& part, bool blocks_may_differ);

}  // namespace starling
