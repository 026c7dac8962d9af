#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/fold.hpp"
#include "knowledge/run_record.hpp"
#include "selection/strategy.hpp"

namespace starling {

/// What must be the same for one run to learn from another; the call key tells the communicators apart.
struct Circumstances {
  std::string machine;
  std::string mpi_flavour;
  std::string mpi_version;
  std::string samples;  ///< how ranks' times became one: a mean says nothing of the slowest rank
  bool operator==(const Circumstances&) const = default;
};

/// Says in a sentence what is wrong with a file of the history, which is then skipped.
using SkippedFile = std::function<void(const std::string& file, const std::string& why)>;

/// What earlier runs found, by call key and candidate.
class EarlierRuns {
 public:
  /// Calls of a candidate after which older runs add nothing to it.
  static constexpr std::int64_t enough_samples = 50;
  /// Candidates that are known at most, in all contexts; those of older runs are left out first.
  static constexpr std::size_t most_candidates = 50'000;
  /// Contexts likewise.
  static constexpr std::size_t most_contexts = 20'000;
  /// Bytes of records of runs that are read at most, and again of merged ones, where they fit; also of one record.
  static constexpr std::int64_t most_bytes = std::int64_t{16} << 20;
  /// Bytes of all records that are read at most.
  static constexpr std::int64_t most_bytes_read = std::int64_t{128} << 20;

  /// Reads the records of a directory that fit, the newest first. A directory that is not there holds none. Where a
  /// file goes away meanwhile, because somebody merges, all is read again.
  static EarlierRuns read(const std::string& directory, const Circumstances& wanted, const SkippedFile& skipped);

  /// Adds a run that is older than those that are there: of its candidates those that the repository has, and that
  /// ranks measured together.
  void add(std::vector<ContextRecord> contexts);
  /// What is known in the context of the same call key as `key`; nullptr for nothing, and where it is not known how
  /// its ranks lie on nodes.
  [[nodiscard]] const ContextRecord* find(const ContextRecord& key) const;
  /// What such a context knows of a candidate, by its public name.
  static std::optional<Earlier> of(const ContextRecord& known, std::string_view candidate);
  [[nodiscard]] bool empty() const { return contexts_.all().empty(); }

  /// As text for one MPI message, without contexts of more ranks than `most_ranks`, and back. `from_text` throws where
  /// `to_text` did not write it.
  [[nodiscard]] std::string to_text(int most_ranks = std::numeric_limits<int>::max()) const;
  static EarlierRuns from_text(const std::string& text);

 private:
  FoldedContexts contexts_;  ///< of their candidates those with `agreed_s` only; no decisions
  std::size_t candidates_ = 0;
};

/// What merging did.
struct MergedRuns {
  std::int64_t runs = 0;             ///< that are now in merged records
  std::vector<std::string> written;  ///< files
};

/// Makes one record of all that were made in the same circumstances, and then deletes those. Runs that end or start
/// meanwhile lose nothing: a merged record names what is in it, and readers skip that. Throws std::runtime_error with
/// one sentence where the directory can't be used, or somebody else is merging in it.
MergedRuns merge_runs(const std::string& directory, const SkippedFile& skipped);

}  // namespace starling
