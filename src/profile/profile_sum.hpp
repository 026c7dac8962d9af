#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "knowledge/run_record.hpp"
#include "profile/heaviest.hpp"
#include "profile/sampled_calls.hpp"

namespace starling {

/// What one rank did in one context on one communicator.
struct CallsOfRank {
  int rank;             ///< in MPI_COMM_WORLD
  bool is_first;        ///< rank 0 of the communicator
  std::uint64_t group;  ///< the same on all ranks of the communicator, another one for other ranks
  std::int64_t calls;
  double seconds;
  double moved;  ///< bytes sent and received, where `bytes` is not known
  /// Empty where no rank waits for another one by what the collective does.
  std::span<const SampledCalls::Kept> sampled;
};

/// The part of a profile that needs what every rank measured, summed over communicators and ranks. It goes from rank to
/// rank as a text of bounded length.
///
/// How long ranks waited: a call that all ranks must have begun before one can end takes the rank that came last only
/// the transfer, and all others what they waited besides. So the least of the ranks' times is the transfer. It is found
/// call by call for the sampled calls of each group of ranks; the other calls count with their mean, so that a long
/// wait in any call is found in the sum of the seconds.
///
/// Why they waited: a rank is late because it had more to do since its collective before, or because that one let it go
/// late. Of the waiting in a call, no more is for the work than ranks would wait that all had begun it together: what
/// the one with most to do had more than the others.
class ProfileSum {
 public:
  /// Ranks named at most as those that came last.
  static constexpr std::size_t most_last = 8;
  /// Contexts, and groups of ranks in them, at most: those with the most seconds, which each rank decides alone.
  /// Nothing is told of a context, or of the waiting in it, of which any rank left out any call.
  static constexpr std::size_t most_contexts = 8192;
  static constexpr std::size_t most_groups = 4096;

  /// Adds calls of this rank, in a context with the call key of `key`. All ranks of a group add their communicators in
  /// the same order.
  void add(const ContextRecord& key, const CallsOfRank& calls);
  /// Adds another rank's `text`. A text that is not one is ignored.
  void add(const std::string& text);
  /// The sum as bytes for a rank of the same job.
  [[nodiscard]] std::string text() const;

  /// Gives each context of all ranks' record its part.
  void tell(std::vector<ContextRecord>& contexts) const;

 private:
  /// A call key, as bytes that can be sent.
  struct Key {
    std::int64_t bytes;
    std::int64_t up_to;
    std::int32_t collective;
    std::int32_t variant;  ///< bucket, MPI_IN_PLACE, class of the operator
    std::int32_t ranks;
    std::int32_t nodes;
    std::int32_t ranks_per_node;
    std::int32_t layout;
    // NOLINTNEXTLINE(modernize-use-nullptr): what clang-tidy 14 takes for a 0 is in the compiler-made comparison
    auto operator<=>(const Key&) const = default;
  };
  struct Total {
    Key key;
    std::int64_t communicators = 0;
    std::int64_t calls = 0;    ///< on all of these
    std::int64_t members = 0;  ///< ranks of each of these, together
    std::int64_t ranks = 0;
    double seconds = 0;
    double slowest = 0;
    double quickest = 0;
    double moved = 0;
    double waiting = 0;
    double unequal_work = 0;  ///< of the waiting
    std::int64_t sampled = 0;
    std::int64_t groups = 0;     ///< of ranks of which the waiting is to be known
    std::int64_t compared = 0;   ///< of these, those of which it is
    std::int64_t explained = 0;  ///< of these, those of which it is known why
    std::int32_t slowest_rank = 0;
    std::int32_t quickest_rank = 0;
    std::array<LastRank, most_last> last{};  ///< by falling calls; those without calls are no ranks
  };
  struct Group {
    Key key;
    std::uint64_t group = 0;
    std::int64_t ranks = 0;       ///< that have been added
    std::int64_t calls = 0;       ///< of each of them
    double seconds = 0;           ///< of all of them
    std::int64_t most_calls = 0;  ///< of the communicator from which the samples are
    std::uint32_t sampled = 0;    ///< 0 where ranks have kept different calls
    std::array<std::uint32_t, SampledCalls::most> number{};
    std::array<float, SampledCalls::most> least{};        ///< seconds of a rank in the call
    std::array<float, SampledCalls::most> all{};          ///< seconds of all ranks
    std::array<float, SampledCalls::most> most_work{};    ///< seconds before the call of the rank with most of them
    std::array<float, SampledCalls::most> all_work{};     ///< of all ranks; negative where any are unknown
    std::array<std::int32_t, SampledCalls::most> last{};  ///< the rank with the least time
  };

  static Key key_of(const ContextRecord& record);
  static void merge(Total& into, const Total& other);
  static void merge(Group& into, const Group& other);
  static void name_last(Total& into, std::span<const LastRank> more);
  /// The part of the waiting in the sampled calls of a group that is for ranks with more to do; nothing if unknown.
  static std::optional<double> share_of_work(const Group& group);
  /// Adds the waiting in a group, of which all ranks have been added.
  static void conclude(Total& into, const Group& group);
  /// Changes a total. Without it, groups are of no use.
  template <typename Change>
  void change_total(const Key& key, Change change);

  /// A group of ranks in a context.
  using Place = std::pair<Key, std::uint64_t>;
  Heaviest<Key, Total> totals_{most_contexts};
  Heaviest<Place, Group> groups_{most_groups};
};

}  // namespace starling
