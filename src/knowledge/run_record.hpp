#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "selection/strategy.hpp"

namespace starling {

/// The largest count in a record, so that sums of counts fit.
inline constexpr std::int64_t most_counted = std::int64_t{1} << 50;

/// What one candidate did in one context.
struct CandidateRecord {
  std::string name;  ///< without parameters: "chain"
  std::vector<std::pair<std::string, std::string>> parameters;
  std::int64_t samples = 0;
  std::optional<double> median_s;  ///< seconds per call, as rank 0 of the communicator measured them
  std::optional<double> min_s;
  std::optional<double> agreed_s;     ///< on which the ranks agreed in this run
  std::optional<double> deviation_s;  ///< standard deviation of the single calls in `agreed_s`
  std::optional<double> earlier_s;    ///< on which the ranks agreed in the earlier runs that this one started from
  std::optional<double> setup_s;      ///< until all ranks had the communicators and the shared memory that it needs
  bool eligible = true;
  std::string reason;  ///< why it is not eligible
  std::string note;    ///< what it had to do without, or why it could not serve on some communicators
};

/// The calls while a strategy tried candidates, or its other calls.
struct PhaseRecord {
  std::int64_t calls = 0;
  double seconds = 0;              ///< spent in the collective
  double bookkeeping_seconds = 0;  ///< also spent on recording, agreeing between ranks and choosing
};

/// A rank of MPI_COMM_WORLD, and the compared calls to which it came last.
struct LastRank {
  int rank = 0;
  std::int64_t calls = 0;
  bool operator==(const LastRank&) const = default;
};

/// Adds ranks to those in `into`, which keeps the first `most` of them, by falling calls.
void add_last(std::vector<LastRank>& into, std::span<const LastRank> more, std::size_t most);

/// When ranks came to the calls of a collective that none can end before all have begun. Seconds a call of the calls
/// that were compared: of the rank that came first, of all ranks in the mean, and of the one that came last, which
/// waited for nobody. What others take above that is waiting.
struct ArrivalsRecord {
  std::int64_t calls = 0;
  double slowest_s = 0;
  double mean_s = 0;
  double fastest_s = 0;
  /// The ranks that came last most often, by falling calls. Not of the calls compared at the last agreement.
  std::vector<LastRank> last;
  static constexpr std::size_t most_last = 8;
  bool operator==(const ArrivalsRecord&) const = default;
};

/// What all ranks did in one context, as a profiled run tells it (docs/profile.md).
struct ContextProfile {
  std::int64_t communicators = 0;  ///< on which the context occurred
  std::int64_t ranks = 0;          ///< of MPI_COMM_WORLD that took part on any of them
  double rank_seconds = 0;         ///< of all these ranks together
  int slowest_rank = 0;            ///< of MPI_COMM_WORLD, with the most seconds
  double slowest_rank_seconds = 0;
  int quickest_rank = 0;  ///< with the fewest
  double quickest_rank_seconds = 0;
  std::optional<double> waiting_rank_seconds;  ///< of `rank_seconds`, for ranks that came later
  /// Of these, for ranks that had more to do since their collective before.
  std::optional<double> unequal_work_rank_seconds;
  std::int64_t sampled_calls = 0;          ///< whose times were compared for that
  std::vector<LastRank> last;              ///< the ranks that came last most often
  std::optional<std::int64_t> mean_bytes;  ///< of one block, where ranks cannot know `bytes`
  bool operator==(const ContextProfile&) const = default;
};

/// What happened to one call key.
struct ContextRecord {
  std::string collective;
  std::optional<std::int64_t>
      bytes;            ///< per rank and peer block (docs/run-record.md); nothing where not all ranks can know it
  bool bucket = false;  ///< stands for all sizes from `bytes` up to twice that, or up to `up_to`
  std::optional<std::int64_t> up_to;  ///< exclusive, of a bucket that ends or begins between two powers of two
  int ranks = 0;
  int nodes = 0;                              ///< on which these ranks run; 0 if unknown
  int ranks_per_node = 0;                     ///< the largest
  int layout = 0;                             ///< Spread::layout
  bool in_place = false;                      ///< in collectives where all ranks must pass MPI_IN_PLACE or none
  std::optional<std::string> operator_class;  ///< of a reduction: "built-in", "commutative", "non-commutative"
  std::int64_t calls = 0;
  std::string stage;
  std::string winner;  ///< full public name of the candidate in use at the end: "native", "chain?segment=8192"
  std::vector<CandidateRecord> candidates;
  std::int64_t candidates_left_out = 0;  ///< by `shorten`
  double seconds = 0;                    ///< spent in this context, on rank 0 of the communicator
  double tuning_seconds = 0;             ///< spent above the winner's time while exploring, on the same rank
  /// The same for the slowest rank: the sum of the slowest rank's seconds between agreements; after the last agreement
  /// rank 0's. Nothing if ranks never agreed.
  std::optional<double> slowest_seconds;
  std::optional<double> slowest_tuning_seconds;
  PhaseRecord exploring;  ///< STAR-MPI's Measure_Select, and the groups probed later
  PhaseRecord settled;    ///< STAR-MPI's Monitor_Adapt
  std::optional<double> native_s;
  std::optional<ArrivalsRecord> arrivals;  ///< nothing where ranks never compared them
  std::vector<Decision> decisions;         ///< `from` and `to` index `candidates`
  std::int64_t decisions_dropped = 0;      ///< earlier decisions, left out
  std::optional<ContextProfile> profile;
};

/// The sums of the contexts that a record leaves out, because it would be too long.
struct LeftOut {
  std::int64_t contexts = 0;
  std::int64_t calls = 0;
  double seconds = 0;
  double tuning_seconds = 0;
  std::optional<double> slowest_seconds;
  std::optional<double> slowest_tuning_seconds;
  bool operator==(const LeftOut&) const = default;
};

/// One kind of call, in the order of calls.
struct OrderedCall {
  std::string collective;
  std::optional<std::int64_t> bytes;
  bool bucket = false;
  int ranks = 0;
};

/// How often one kind of call followed another on rank 0.
struct Succession {
  OrderedCall from;
  OrderedCall to;
  std::int64_t calls = 0;
  double seconds_between = 0;  ///< in all, from the end of the first to the start of the second
};

/// The part of a profile that belongs to no context.
struct RunProfile {
  std::vector<Succession> order;    ///< the most frequent ones first; none where several threads may call MPI
  std::int64_t order_left_out = 0;  ///< successions that are not in `order`
};

/// The facts of a run.
struct RunDescription {
  std::string program;
  std::string machine;  ///< what runs must share to learn from each other (knowledge/history.hpp)
  int ranks = 0;
  int nodes = 0;
  int ranks_per_node = 0;  ///< the largest
  std::string mpi_flavour;
  std::string mpi_version;
  std::string strategy;
  std::vector<std::pair<std::string, std::string>> settings;
  std::string started;             ///< UTC, ISO 8601
  double seconds = 0;              ///< from MPI_Init to MPI_Finalize
  std::optional<double> probe_s;   ///< of these, to learn the network; nothing where it was not probed
  std::optional<double> own_s;     ///< of these, Starling's own: MPI_Init, new and freed communicators, new call keys
  bool shares_processors = false;  ///< ranks shared processors, as found or as told
  bool unfinished = false;         ///< written while the program ran; it did not get to MPI_Finalize
};

struct RunRecord {
  static constexpr int schema = 1;
  RunDescription run;
  std::vector<ContextRecord> contexts;
  std::optional<LeftOut> left_out;
  std::optional<RunProfile> profile;
  std::vector<std::string> merged;  ///< the files of the runs that were merged into this record; empty for one run
};

/// The public name of a candidate, without the collective: "chain?segment=8192".
std::string public_name(const CandidateRecord& candidate);

/// The index of a candidate by its public name, -1 for none.
int index_of(const std::vector<CandidateRecord>& candidates, std::string_view name);

/// The place of that candidate in a list, its length for none. Tries those from `expected` on first, for lists of two
/// records are mostly in the same order.
std::size_t place_of(const CandidateRecord& candidate, std::span<const CandidateRecord> list, std::size_t expected);

/// Whether a file name in a history may be that of a record.
bool is_record_name(std::string_view name);

}  // namespace starling
