#pragma once

#include <cstdint>
#include <limits>

namespace starling {

/// The collective that this rank ended last. It tells what the program did since, and whether the ranks of a
/// communicator begin their next call together: then nobody waits in it for late ranks, and its slowest rank's time is
/// what it costs the program. Times are of any clock, in seconds.
class LatestCollective {
 public:
  LatestCollective() = default;
  /// None so far: the program began at `now`.
  explicit LatestCollective(double now) : ended_(now) {}

  /// One of so many bytes ended, which no rank could end before all had begun it, on a communicator of that number and
  /// size.
  void all_met(std::uint64_t communicator, int ranks, std::int64_t bytes, double now) {
    communicator_ = communicator;
    ranks_ = ranks;
    bytes_ = bytes;
    ended_ = now;
  }
  /// Another one ended: ranks may have left it at any time.
  void ended(double now) {
    ranks_ = 0;
    ended_ = now;
  }

  /// One begins that is not followed: ranks may leave it at any time, and it counts as work of the program.
  void not_followed() {
    ranks_ = 0;
    by_ = nullptr;
  }
  /// The latest one was a call of that context.
  void is_by(const void* context) { by_ = context; }
  [[nodiscard]] bool was_by(const void* context) const { return by_ == context; }
  /// Another call of the same context ended, and nobody knows when. What the program did in between does not matter.
  void ended_untimed() { ranks_ = 0; }

  [[nodiscard]] double since_end(double now) const { return now - ended_; }
  /// Seconds since all ranks of a communicator met, which now begin a call of so many bytes; infinite where the latest
  /// collective was on other ranks, or had so much data that ranks may have left it at different times. `all_ranks`: of
  /// MPI_COMM_WORLD.
  [[nodiscard]] double since_all_met(std::uint64_t communicator, std::int64_t bytes, int all_ranks, double now) const {
    constexpr std::int64_t far_less = 16;
    const bool are_the_same = ranks_ > 0 && (communicator == communicator_ || ranks_ == all_ranks);
    return are_the_same && bytes_ >= 0 && far_less * bytes_ < bytes ? since_end(now) : never;
  }

  static constexpr double never = std::numeric_limits<double>::infinity();

 private:
  std::uint64_t communicator_ = 0;
  int ranks_ = 0;  ///< 0 if ranks may have left it at any time
  std::int64_t bytes_ = 0;
  double ended_ = 0;
  const void* by_ = nullptr;  ///< only to be compared
};

}  // namespace starling
