#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "messages/interned.hpp"
#include "selection/candidates.hpp"

namespace starling {

/// What is believed of a candidate's time before it is tried in a context.
struct Belief {
  double seconds;  ///< per call
  double spread;   ///< standard deviation of the logarithm of true time / `seconds`
  /// In words, for the record: "the cost model", "calls of 4 KiB".
  Interned source;
  /// Beliefs of one source have an error in common, of so large a standard deviation, besides their own.
  double common_spread = 0;
  bool is_proven = false;  ///< measured in a context of the same key on another communicator of the same shape
};

/// What is known of the candidates of a context besides what is measured in it. Asked on rank 0 only, and as late as
/// possible: an answer may have to be computed.
class Knowledge {
 public:
  Knowledge() = default;
  Knowledge(const Knowledge&) = delete;
  Knowledge& operator=(const Knowledge&) = delete;
  Knowledge(Knowledge&&) = delete;
  Knowledge& operator=(Knowledge&&) = delete;
  virtual ~Knowledge() = default;
  /// Seconds that asking about all candidates may take.
  [[nodiscard]] virtual double seconds_to_ask() const { return 0; }
  /// Seconds that the ranks would take to measure their network, which most answers need; nothing where it is known
  /// already, or cannot be measured.
  [[nodiscard]] virtual std::optional<double> seconds_to_measure() const { return std::nullopt; }
  /// Takes the seconds that calls of this context took, without waiting.
  virtual void spend(double /*seconds*/) {}
  /// Those of the calls of all other contexts.
  [[nodiscard]] virtual double spent_elsewhere() const { return 0; }
  /// What other communicators of this shape have measured: candidates, and what is believed of them. Asking costs
  /// hardly anything.
  [[nodiscard]] virtual std::vector<std::pair<int, Belief>> measured_elsewhere() const { return {}; }
  /// Nothing where nothing is known. `native` is native's time per call in this context.
  [[nodiscard]] virtual std::optional<Belief> belief(int candidate, double native) = 0;
  /// Takes what the ranks found for a candidate: its time per call, from so many calls.
  virtual void learn(int candidate, double seconds, std::int64_t calls) = 0;
  /// Seconds that the first call with a candidate costs besides: communicators have to be made for it.
  [[nodiscard]] virtual double seconds_to_begin(int /*candidate*/) { return 0; }
  /// Candidate::setup_seconds, of any candidate.
  [[nodiscard]] virtual double setup_seconds(int /*candidate*/) { return 0; }
  /// For each candidate, of those that `wanted` is true of, a number that it has in common with those that do the same;
  /// none for others. Empty where nothing is known of that.
  [[nodiscard]] virtual std::vector<std::optional<int>> alike(const std::function<bool(int)>& /*wanted*/) { return {}; }
};

/// The budget that is set by default: the limits of `Ledger` are for this one, and change in proportion.
inline constexpr double usual_budget = 0.05;

/// Of candidates that do the same, those that have a number of `alike` in common, one is tried: that which was the
/// fastest in earlier runs, else the first. For each of the others that one; nothing for the rest.
std::vector<std::optional<int>> tried_instead(std::span<const std::optional<int>> alike,
                                              const std::function<std::optional<double>(int)>& earlier_seconds);

/// The numbers that users can set for strategies; the same on all ranks.
struct StrategySettings {
  double budget = usual_budget;       ///< auto: what trying may cost, as a share of the first 20 calls' native time
  double stake = 0.02;                ///< auto: seconds of a context's calls, without waiting, before anything is tried
  int iterations = 10;                ///< STAR-MPI's ITER: measurements of each candidate
  double epsilon = 0.10;              ///< STAR-MPI's epsilon: tolerated loss against the second best
  std::int64_t delta_limit = 1024;    ///< upper bound of STAR-MPI's delta (periods are delta * ITER calls)
  double alpha = 0.8;                 ///< the lottery's alpha: the share of tickets that the fastest holds
  double memory = 0.8;                ///< the weight of the lottery's average when a call's time is added
  std::int64_t longest_draw = 20;     ///< calls for which a candidate with all tickets of the lottery would be drawn
  std::uint64_t seed = 1;             ///< of a strategy's random numbers
  bool run_off = true;                ///< star: a candidate that looks a little faster than native must win a run-off
  double outlier_factor = 3;          ///< ADCL: a time of at least so many times the smallest is an outlier
  double outlier_fraction = 0.2;      ///< ADCL: from this share of outliers on none is left out of a mean
  bool give_up = true;                ///< ADCL's searches: a candidate that is clearly slower gets no more calls
  double early_stop = 0;              ///< ... end once no other is faster by the margin, but with this probability
  double early_stop_margin = 0.02;    ///< ... the share of the best's time that another must save to be worth it
  double factorial_threshold = 0.02;  ///< 2^k: the relative effect from which on an attribute is searched
  double drift = 0.2;                 ///< relative change of the chosen one's time that starts a new search; 0: none
  bool operator==(const StrategySettings&) const = default;
};

/// The time of a candidate in this run, for later runs to start from.
struct Found {
  double seconds;                        ///< per call, reduced over all ranks
  std::optional<double> deviation = {};  ///< standard deviation of single calls, in seconds; if known
};

/// The key of a context; the same on all ranks.
struct ContextKey {
  std::string_view what;    ///< the name of the collective
  std::int64_t bytes = -1;  ///< per rank and peer block (docs/run-record.md); -1 where not all ranks can know it
  bool bucket = false;      ///< stands for all sizes from `bytes` up to, but without, `up_to`
  std::int64_t up_to = 0;   ///< of a bucket; 0 where `bytes` is not known
  int ranks = 0;
  int nodes = 0;  ///< on which these ranks run; 0 if unknown
  int ranks_per_node = 0;
  int layout = 0;  ///< Spread::layout
  /// Tells keys apart that have all of the above in common: in place or not, the class of the operator.
  int variant = 0;
};

/// A candidate that a tuning table has for a context, and why that one, in words for the record.
struct Advice {
  Interned candidate;
  std::string why;
  std::optional<double> gain{};     ///< native's time / the candidate's, as the table has it
  std::optional<double> seconds{};  ///< of a call of the candidate, likewise
  int communicators = 0;            ///< that a rank needs to begin with the candidate, at most
};

/// The input of a strategy, for one context.
struct Brief {
  ContextKey key;
  Candidates candidates;
  /// What a tuning table has for this context, the entry that fits it best first; the same on all ranks.
  std::vector<Advice> advice{};
  StrategySettings settings;
  std::string argument;           ///< the text after the colon of the strategy's name
  std::int64_t calls_before = 0;  ///< in earlier runs
  /// Of contexts with advice, of calls of one work that a rank may end early, in the order in which this rank met them.
  int number = 0;
  bool varying_work = false;       ///< the work of the context's calls may vary
  bool is_first_rank = true;       ///< this is the rank that judges, where only one does (Judge::first_rank)
  bool tells_first = false;        ///< rank 0 may know how to make the first call; the same on all ranks
  bool synchronises = false;       ///< no rank can end a call before every rank has begun it
  bool root_gives = false;         ///< all comes from the root, which waits for nobody
  bool shares_processors = false;  ///< more ranks than processors: who is last waited for one, and is not late
  bool unpredicted = false;        ///< nothing tells how long candidates take before they are tried
  bool are_runs = false;           ///< a call is a run of a program of its own, which leaves nothing to the next one
  bool guarded = false;            ///< a search must not cost much more than candidate 0 would (`Searcher`)
  std::shared_ptr<Knowledge> knowledge = nullptr;  ///< on rank 0 of the communicator; may be null there as well
};

/// A change of the proposed candidate, for the record.
struct Decision {
  std::int64_t call;  ///< number of calls in the context when it took effect
  int from;           ///< candidate, -1 for none
  int to;
  std::string why;  ///< a sentence with the figures it rests on
  bool operator==(const Decision&) const = default;
};

/// The most decisions of a context that are kept.
inline constexpr std::size_t decisions_kept = 100;

/// The time, in seconds, that a strategy gets for a call whose candidate turned out unable to serve, so that native
/// carried it out: longer than any call takes.
inline constexpr double refused_seconds = 1e6;

/// How the numbers of all ranks become one: the user's setting, or what a strategy needs.
enum class Reduction : std::uint8_t { as_set, maximum };

/// Which ranks decide from the reduced numbers.
enum class Judge : std::uint8_t {
  everyone,    ///< every rank, from the same numbers
  first_rank,  ///< rank 0 only, which knows more than the others; they get its result
};

/// Tries candidates and chooses one, in one context. It sees candidates and seconds, but no MPI, clock or global
/// variable.
///
/// Each rank has its own; all make the same choices, because these depend only on the sequence of calls and on the
/// numbers given to `verdict`, which the tuner makes equal on all ranks. Several calls may be in flight; the tuner
/// passes on their times in order. The seconds and the work given to `observe` differ between ranks; they must not
/// influence `proposed` before a verdict.
///
/// A strategy may explore for ever. All its time then counts as cost of tuning, and the winner in the run record is the
/// fastest candidate so far.
class Strategy {
 public:
  Strategy() = default;
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;
  Strategy(Strategy&&) = delete;
  Strategy& operator=(Strategy&&) = delete;
  virtual ~Strategy() = default;

  /// Called before the first call, on every rank: the numbers that the first rank tells all others, which `verdict`
  /// then gets. Equally many everywhere, mostly none.
  virtual std::span<double> opening() { return {}; }
  /// The candidate for the next call.
  [[nodiscard]] int proposed() const { return proposed_; }
  /// The candidate for the call `ahead` calls after the next one, if it begins before the others have ended. From
  /// `calls_until_agreement()` on, the one to use until the ranks have agreed.
  [[nodiscard]] virtual int proposed_after(std::int64_t /*ahead*/) const { return proposed_; }
  /// How many more calls are observed before the ranks must agree.
  [[nodiscard]] virtual std::int64_t calls_until_agreement() const { return std::numeric_limits<std::int64_t>::max(); }
  /// Takes the seconds since all ranks met in another collective, before the call that `observe` takes next. A call of
  /// which this is not told did not begin so.
  void came_after(double seconds) { since_meeting_ = seconds; }
  /// Takes the seconds of the next call, in the order in which calls begin, and its work: the bytes of this rank, used
  /// only if the brief says that work varies. Returns the numbers that the ranks must now reduce over the communicator,
  /// element by element; empty for most calls. If not empty, `verdict` follows before the next `observe`.
  virtual std::span<const double> observe(double seconds, double work) = 0;
  /// How many of the next calls need no time: for any of them, not the same on all ranks, there may be `pass` in place
  /// of `observe`.
  [[nodiscard]] virtual std::int64_t calls_without_time() const { return 0; }
  /// Takes the next call without its time.
  virtual void pass() {}
  /// Takes the reduced numbers: element by element the maximum, mean or minimum over ranks (STARLING_SAMPLES). The same
  /// on every rank.
  virtual void verdict(std::span<const double> agreed) = 0;
  /// Takes the seconds since the latest agreement, with all that the program did between calls, on the rank where they
  /// were most: another may be far ahead of it. 0 where they are not known. Called before `ruling`, where that is.
  virtual void stretch_took(double /*seconds*/) {}
  /// Takes how long the latest agreement took on this rank, seconds, with all that the tuner did for it.
  virtual void agreement_took(double /*seconds*/) {}
  /// The candidate that counts as chosen, for the record. Nothing where it is the proposed one, or, while candidates
  /// are tried, the fastest so far.
  [[nodiscard]] virtual std::optional<int> chosen() const { return std::nullopt; }
  /// Whether, while candidates are tried, all that are neither proposed nor chosen may do without what they need for
  /// their calls until they are proposed. Else only the one that was tried last: one of the others may be the fastest,
  /// which is proposed again and again.
  [[nodiscard]] virtual bool others_may_rest() const { return false; }
  [[nodiscard]] virtual Judge judge() const { return Judge::everyone; }
  [[nodiscard]] virtual Reduction reduction() const { return Reduction::as_set; }
  /// How many of the last numbers that `observe` returned are reduced to their mean, whatever `reduction` says.
  [[nodiscard]] virtual std::size_t means() const { return 0; }
  /// Whether the ranks shall measure their network now, for the first rank's knowledge. The same on every rank after a
  /// verdict.
  [[nodiscard]] virtual bool wants_measurement() const { return false; }
  /// Called on the first rank only, where it judges: takes the reduced numbers, and returns equally many that are
  /// broadcast and given to `verdict` on every rank instead.
  virtual std::span<const double> ruling(std::span<const double> reduced) { return reduced; }
  /// What the strategy is doing, for the record: "measure_select", "monitor_adapt", "forced", "native", ...
  [[nodiscard]] virtual std::string_view stage() const = 0;
  /// True while candidates are tried that may be slow; their time is the cost of tuning.
  [[nodiscard]] virtual bool exploring() const = 0;
  /// Whether only the proposed candidate will be needed for a while, so that the resources of others are freed. The
  /// same on every rank after a verdict.
  [[nodiscard]] virtual bool settled() const { return !exploring(); }
  /// The time of a candidate that the ranks agreed on in this run, for later runs to start from. Nothing if the time is
  /// only from earlier runs, which have their own records. Called on rank 0 only.
  [[nodiscard]] virtual std::optional<Found> found(int /*candidate*/) const { return std::nullopt; }
  /// The candidate that does the same and is tried in place of this one, where the strategy has found that out. Called
  /// on the first rank only.
  [[nodiscard]] virtual std::optional<int> tried_instead_of(int /*candidate*/) const { return std::nullopt; }
  /// The first decision and the latest, `decisions_kept` at most, and how many were left out between them.
  [[nodiscard]] std::span<const Decision> decisions() const { return decisions_; }
  [[nodiscard]] std::int64_t decisions_dropped() const { return decisions_dropped_; }

 protected:
  void propose(int candidate) { proposed_ = candidate; }
  /// Keeps `most` decisions: the first, which tells where it started from, and the latest.
  void decide(Decision decision, std::size_t most = decisions_kept) {
    if (decisions_.size() == most) {
      decisions_.erase(decisions_.begin() + 1);
      ++decisions_dropped_;
    }
    decision.why.shrink_to_fit();
    decisions_.reserve(decisions_.size() + 1);  // a few in each of many contexts: no room for more
    decisions_.push_back(std::move(decision));
  }
  /// For each call that is observed: how it began counts for `longest_since_meeting`.
  void begin_counts() {
    longest_since_meeting_ = std::max(longest_since_meeting_, std::exchange(since_meeting_, infinite));
  }
  /// Seconds since all ranks met in another collective, before the call since the last time that began latest after
  /// one; infinite if any did not begin so.
  double longest_since_meeting() { return std::exchange(longest_since_meeting_, 0); }

 private:
  static constexpr double infinite = std::numeric_limits<double>::infinity();
  double since_meeting_ = infinite;  ///< of the next call
  double longest_since_meeting_ = 0;
  int proposed_ = 0;
  std::int32_t decisions_dropped_ = 0;
  std::vector<Decision> decisions_;
};

/// What a strategy may be doing, a word for the record (docs/strategies.md).
struct Doing {
  std::string_view name;
  bool learning = false;  ///< candidates are still tried
};

/// A strategy in the repository of strategies; nothing else knows it.
/// The file src/selection/strategies/<file>.cpp defines one function, `StrategyKind starling::strategies::<file>()`.
struct StrategyKind {
  std::string_view name;  ///< on the command line; a colon and the argument follow if it takes one
  std::string_view says;  ///< one true sentence
  std::string_view source;
  /// The argument, as the command line's help shows it; empty if it takes none.
  std::string_view argument;
  /// Uses only what its argument names, even where a tuner would not use it.
  bool forces = false;
  /// Tries candidates, in this run or by the results of earlier ones. Without it a context has native only, or what
  /// the argument names where it `forces`.
  bool learns = false;
  /// Tries candidates from the first call on until it has chosen one: it can search where calls serve nothing else.
  bool searches = false;
  /// Asks for predicted times: the job then measures its network where nothing tells of it.
  bool predicts = false;
  /// Compares candidates by their attributes (Candidate::attributes).
  bool by_attributes = false;
  /// Uses what a tuning table advises (Brief::advice).
  bool takes_advice = false;
  /// Sizes beyond the first X of a collective on a communicator are left to native (STAR-MPI, section 3.2), not
  /// bucketed.
  bool few_sizes = false;
  /// Tries many candidates, again and again: what a way needs for its calls is freed from one try to the next.
  bool keeps_trying = false;
  /// Every value that `Strategy::stage` has.
  std::vector<Doing> stages;
  /// Why `argument` is wrong, for the user; empty if it is right.
  std::string (*rejects)(std::string_view argument) = nullptr;
  /// Whether rank 0 may know before the first call of such a context how to make it, and would tell the others; null:
  /// never.
  bool (*may_be_told)(const Brief&) = nullptr;
  std::unique_ptr<Strategy> (*make)(const Brief&) = nullptr;
};

/// Every strategy, in the order of files. Generated from the files by CMake.
const std::vector<StrategyKind>& strategy_kinds();

/// The strategy of a name like "star-basic" or "forced:ring": its kind and its argument. Nothing for an unknown one.
std::optional<std::pair<const StrategyKind*, std::string>> strategy_named(std::string_view name);

/// The strategy of a context whose user asked for `asked`: the one place that says what goes before what. What the user
/// forces, or leaves to native, comes first; then a tuning table, in contexts that it `advises` on; then a strategy
/// that learns, which starts from the history, then tries candidates in this run, and has native to go back to.
const StrategyKind* strategy_for(const StrategyKind* asked, bool advises);

}  // namespace starling
