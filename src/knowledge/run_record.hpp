#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "selection/strategy.hpp"

namespace starling {

/// What one candidate did in one context.
struct CandidateRecord {
  std::string name;  ///< without parameters: "chain"
  std::vector<std::pair<std::string, std::string>> parameters;
  std::int64_t samples = 0;
  std::optional<double> median_s;  ///< seconds a call, as rank 0 of the communicator measured them
  std::optional<double> min_s;
  std::optional<double> agreed_s;  ///< as the strategy had all ranks measure it together in this run
  bool eligible = true;
  std::string reason;  ///< why it is not eligible
};

/// The calls that a strategy made while it tried candidates, or those that it made otherwise.
struct PhaseRecord {
  std::int64_t calls = 0;
  double seconds = 0;              ///< spent in the collective
  double bookkeeping_seconds = 0;  ///< spent besides on recording, agreeing between ranks and choosing
};

/// What happened to one call key.
struct ContextRecord {
  std::string collective;
  std::optional<std::int64_t>
      bytes;            ///< per rank and peer block (docs/run-record.md); nothing where ranks cannot know it
  bool bucket = false;  ///< stands for all sizes from `bytes` up to twice that
  int ranks = 0;
  int nodes = 0;                              ///< that these ranks are on; 0 where it is not known
  int ranks_per_node = 0;                     ///< the largest
  bool in_place = false;                      ///< where all ranks must say so alike
  std::optional<std::string> operator_class;  ///< of a reduction: "built-in", "commutative", "non-commutative"
  std::int64_t calls = 0;
  std::string stage;
  std::string winner;  ///< full public name of the candidate in use at the end: "native", "chain?segment=8192"
  std::vector<CandidateRecord> candidates;
  double seconds = 0;         ///< spent in this context, as rank 0 of the communicator saw it
  double tuning_seconds = 0;  ///< spent above the winner's time while exploring, likewise
  /// The same of the slowest rank: from one agreement of the ranks to the next the longest that any of them took; the
  /// calls after the last one as rank 0 saw them. Nothing where ranks never agreed.
  std::optional<double> slowest_seconds;
  std::optional<double> slowest_tuning_seconds;
  PhaseRecord exploring;  ///< STAR-MPI's Measure_Select, and the groups probed later
  PhaseRecord settled;    ///< STAR-MPI's Monitor_Adapt
  std::optional<double> native_s;
  std::vector<Decision> decisions;     ///< `from` and `to` index `candidates`
  std::int64_t decisions_dropped = 0;  ///< earlier decisions that `fold` left out
};

/// What the run was.
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
  std::string started;  ///< UTC, ISO 8601
  double seconds = 0;   ///< from MPI_Init to MPI_Finalize
};

struct RunRecord {
  static constexpr int schema = 1;
  RunDescription run;
  std::vector<ContextRecord> contexts;
  std::vector<std::string> merged;  ///< the files of the runs that were merged into this record; empty for one run
};

/// The public name of a candidate, without the collective: "chain?segment=8192".
std::string public_name(const CandidateRecord& candidate);

/// A context as one line of JSON, to travel between ranks, and back. Reading a line that is not one throws a
/// nlohmann::json::exception. A number that is not finite travels as null: it comes back as nothing, or NaN.
std::string to_json_line(const ContextRecord& context);
ContextRecord context_from_json_line(const std::string& line);

/// Whether both are of one call key: what the tuner tells apart on one communicator, and the number of ranks.
bool same_key(const ContextRecord& one, const ContextRecord& other);

/// Adds what `other`, a context of the same call key on another communicator, saw. Counts and seconds add up; a median
/// becomes the mean of both weighted by samples, a minimum the smaller; where only one knows the slowest rank's
/// seconds, rank 0's stand for the other's; candidates are matched by their public names; of all decisions, ordered by
/// call, the latest `decisions_kept` stay. Stage and winner are those of the one with more calls, so fold contexts in
/// falling order of calls and those of the busiest communicator stay.
void fold(ContextRecord& into, const ContextRecord& other);

/// Contexts in falling order of seconds, those of one call key folded into one.
std::vector<ContextRecord> folded(std::vector<ContextRecord> contexts);

/// Whether a file of a history may be a record, by its name.
bool is_record_name(std::string_view name);

/// Reads what `to_json` writes. Throws std::runtime_error with a sentence that says what is wrong with the text.
RunRecord run_record_from_json(const std::string& text);

/// The record as JSON text (docs/run-record.md, python/starling/schemas/run-record-1.json).
std::string to_json(const RunRecord& record);

}  // namespace starling
