#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace starling {

/// A step of a rank: the one of a round that takes other ranks, or the local work that follows it.
struct StepAt {
  int rank;
  std::size_t round;
  bool is_local = false;
};

/// Which steps of ranks happen before which others, in every run of their schedules: by what reaches a rank from
/// another, however the network and the MPI library time it. Vector clocks (Fidge 1988, Mattern 1989) that count the
/// rounds which ranks have begun: what a rank sends in a round is what it knew when the round began. The end of a send
/// says nothing, for a send may end before it is received.
class HappensBefore {
 public:
  enum class Counted : std::uint8_t {
    words,  ///< messages without data, and barriers: those there are in every call
    all,    ///< messages and collectives with data too, which a call leaves out where their blocks turn out empty
  };
  HappensBefore(int ranks, Counted counted)
      : counted_(counted), now_(index(ranks), Clock(index(ranks))), begun_(index(ranks)) {}

  /// Whether what is sent, with data or without, orders anything.
  [[nodiscard]] bool counts(bool has_data) const { return counted_ == Counted::all || !has_data; }
  /// `rank` begins its next round.
  void begin_round(int rank);
  /// Something reaches `rank` that `from` sent in the round it is in.
  void hear(int rank, int from);
  /// Each of `ranks` hears from each of `from`.
  void hear(std::span<const int> ranks, std::span<const int> from);

  /// Whether `first` has ended when `second` begins, in every run. Both ranks have been through those rounds.
  [[nodiscard]] bool before(const StepAt& first, const StepAt& second) const;
  /// A rank whose first round `rank` has not heard of; none where it has heard from all.
  [[nodiscard]] std::optional<int> unheard(int rank) const;

 private:
  using Clock = std::vector<std::uint32_t>;  ///< rounds that each rank is known to have begun

  static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }
  static void learn(Clock& clock, std::span<const std::uint32_t> news);
  /// What a rank knew when it began the round it is in.
  [[nodiscard]] std::span<const std::uint32_t> latest(int rank) const;

  Counted counted_;
  std::vector<Clock> now_;
  std::vector<std::vector<std::uint32_t>> begun_;  ///< the clocks with which each rank began its rounds, in a row
};

}  // namespace starling
