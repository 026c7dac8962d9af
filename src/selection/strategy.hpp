#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "messages/interned.hpp"

namespace starling {

/// What earlier runs found of a candidate.
struct Earlier {
  double seconds;                        ///< a call, as all ranks together measured it
  std::int64_t samples;                  ///< calls behind it
  std::optional<double> deviation = {};  ///< of the seconds of single calls, a standard deviation; where it is known
};

/// Something that can carry out a collective, as a strategy sees it. Candidate 0 is the MPI library's own way; it is
/// always there and always eligible.
struct Candidate {
  Interned name;   ///< "native", "ring_light_barrier", "chain?segment=8192"
  Interned group;  ///< candidates of one group optimise the same thing
  std::vector<std::pair<std::string, std::string>> attributes;
  Interned refusal;                ///< why it may not be proposed; empty if it may
  std::optional<Earlier> earlier;  ///< the same on all ranks; nothing for what is not known
  [[nodiscard]] bool eligible() const { return refusal.empty(); }
};

/// Numbers a strategy can be told; the same on all ranks.
struct StrategySettings {
  int iterations = 10;              ///< STAR-MPI's ITER: measurements of each candidate
  double epsilon = 0.10;            ///< STAR-MPI's epsilon: tolerated loss against the second best
  std::int64_t delta_limit = 1024;  ///< upper bound of STAR-MPI's delta (periods are delta * ITER calls)
  double alpha = 0.8;               ///< the lottery's alpha: the share of tickets that the fastest holds
  double memory = 0.8;              ///< what the lottery's average keeps of itself when a call's time is added
  std::int64_t longest_draw = 20;   ///< calls for which a candidate with all tickets of the lottery would be drawn
  std::uint64_t seed = 1;           ///< of whatever a strategy leaves to chance
  bool run_off = true;              ///< star: what looks a little faster than native must show it before it is used
};

/// What a strategy found of a candidate in this run, for a later one to start from.
struct Found {
  double seconds;                        ///< a call, as all ranks together measured it
  std::optional<double> deviation = {};  ///< of the seconds of single calls, a standard deviation; where it is known
};

/// What a context is of; the same on all ranks.
struct ContextKey {
  std::string_view what;    ///< the name of the collective
  std::int64_t bytes = -1;  ///< per rank and peer block (docs/run-record.md); -1 where ranks cannot know it
  bool bucket = false;      ///< stands for all sizes from `bytes` up to, but without, `up_to`
  std::int64_t up_to = 0;   ///< of a bucket; 0 where `bytes` is not known
  int ranks = 0;
  int nodes = 0;  ///< that these ranks are on; 0 where it is not known
  int ranks_per_node = 0;
};

/// What a strategy starts from, for one context.
struct Brief {
  ContextKey key;
  std::vector<Candidate> candidates;
  StrategySettings settings;
  std::string argument;       ///< what stood after the colon of the strategy's name
  bool varying_work = false;  ///< calls of the context need not all have as much to do
};

/// A change of mind, for the record.
struct Decision {
  std::int64_t call;  ///< number of calls in the context when it took effect
  int from;           ///< candidate, -1 for none
  int to;
  std::string why;  ///< a sentence with the figures it rests on
};

/// The most decisions of a context that are kept.
inline constexpr std::size_t decisions_kept = 100;

/// What a strategy is told of a call whose candidate turned out unable to serve, and which native carried out: longer
/// than any call takes, in seconds.
inline constexpr double refused_seconds = 1e6;

/// Who makes a verdict of the numbers that ranks reduced.
enum class Judge : std::uint8_t {
  everyone,    ///< every rank, of the same numbers
  first_rank,  ///< rank 0 by itself, from what it alone knows; the others follow
};

/// How candidates are tried and one is chosen, in one context. It sees candidates and seconds, and no MPI, clock or
/// global.
///
/// All ranks hold one each and stay in step: what decides is the sequence of calls and the numbers given to `verdict`,
/// which the tuner makes equal on all ranks. Calls may be in flight together; the tuner brings their times in order.
/// `observe` may be given different seconds on every rank; they must not influence `proposed` before a verdict. Nor may
/// their work, which is each rank's own as well.
///
/// A strategy may explore for ever. Its time then counts as what tuning costs, and what the run record calls the winner
/// is the fastest candidate so far.
class Strategy {
 public:
  Strategy() = default;
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;
  Strategy(Strategy&&) = delete;
  Strategy& operator=(Strategy&&) = delete;
  virtual ~Strategy() = default;

  /// The candidate for the next call.
  [[nodiscard]] int proposed() const { return proposed_; }
  /// The candidate for the call that comes `ahead` calls after the next one, if it begins before the others have ended:
  /// by what is known now. From `calls_until_agreement()` on one to bridge the time until the ranks have agreed.
  [[nodiscard]] virtual int proposed_after(std::int64_t /*ahead*/) const { return proposed_; }
  /// How many more calls are observed before the ranks must agree.
  [[nodiscard]] virtual std::int64_t calls_until_agreement() const { return std::numeric_limits<std::int64_t>::max(); }
  /// Takes the time of the next call in the order in which calls begin, in seconds, and its work: this rank's own bytes
  /// of it, which count only where the brief says that they vary. Returns what the ranks must now reduce over the
  /// communicator, element by element; empty for most calls. If not empty, `verdict` follows before the next one.
  virtual std::span<const double> observe(double seconds, double work) = 0;
  /// Takes the reduced numbers: element by element the slowest rank's, or the mean or smallest, as the setting
  /// STARLING_SAMPLES says (max, mean, min). The same on every rank.
  virtual void verdict(std::span<const double> agreed) = 0;
  [[nodiscard]] virtual Judge judge() const { return Judge::everyone; }
  /// Where the first rank judges: takes the reduced numbers there, and returns equally many that are broadcast and
  /// given to `verdict` on every rank in their place.
  virtual std::span<const double> ruling(std::span<const double> reduced) { return reduced; }
  /// What the strategy is doing, for the record: "measure_select", "monitor_adapt", "forced", "native", ...
  [[nodiscard]] virtual std::string_view stage() const = 0;
  /// True while candidates are tried that may be slow; their time is what tuning costs.
  [[nodiscard]] virtual bool exploring() const = 0;
  /// Whether the proposed candidate is the only one that will be needed for a while: what was made for others is freed.
  /// The same on every rank after a verdict.
  [[nodiscard]] virtual bool settled() const { return !exploring(); }
  /// What the ranks together found of a candidate in this run: what a later run can start from. Nothing for what was
  /// only taken over from earlier runs, which tell it themselves. Asked for on rank 0 only.
  [[nodiscard]] virtual std::optional<Found> found(int /*candidate*/) const { return std::nullopt; }
  /// The latest `decisions_kept` of them, and how many were made before.
  [[nodiscard]] std::span<const Decision> decisions() const { return decisions_; }
  [[nodiscard]] std::int64_t decisions_dropped() const { return decisions_dropped_; }

 protected:
  void propose(int candidate) { proposed_ = candidate; }
  void decide(Decision decision) {
    if (decisions_.size() == decisions_kept) {
      decisions_.erase(decisions_.begin());
      ++decisions_dropped_;
    }
    decisions_.push_back(std::move(decision));
  }

 private:
  int proposed_ = 0;
  std::vector<Decision> decisions_;
  std::int64_t decisions_dropped_ = 0;
};

/// A strategy as the repository of strategies lists it: the only place that knows it.
/// The file src/selection/strategies/<file>.cpp defines one function, `StrategyKind starling::strategies::<file>()`.
struct StrategyKind {
  std::string_view name;  ///< on the command line; a colon and the argument follow where it takes one
  std::string_view says;  ///< one true sentence
  std::string_view source;
  /// The argument, as the command line's help shows it; empty where it takes none.
  std::string_view argument;
  /// Uses what its argument names and nothing else, also where tuning would not.
  bool forces = false;
  /// Measures candidates, so that what earlier runs found is of use to it.
  bool learns = false;
  /// Sizes beyond the first X of a collective on a communicator are left to native (STAR-MPI, section 3.2), not
  /// bucketed.
  bool few_sizes = false;
  /// Why `argument` is no good, in words for people; nothing if it is good.
  std::string (*rejects)(std::string_view argument) = nullptr;
  std::unique_ptr<Strategy> (*make)(const Brief&) = nullptr;
};

/// Every strategy, in the order of files. Generated from the files by CMake.
const std::vector<StrategyKind>& strategy_kinds();

/// The strategy of a name like "star-basic" or "forced:ring": its kind and its argument. Nothing for an unknown one.
std::optional<std::pair<const StrategyKind*, std::string>> strategy_named(std::string_view name);

}  // namespace starling
