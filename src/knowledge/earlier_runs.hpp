#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/fold.hpp"
#include "knowledge/run_record.hpp"
#include "messages/interned.hpp"
#include "selection/strategy.hpp"

namespace starling {

/// What must be equal for one run to learn from another, besides the call key.
struct Circumstances {
  std::string machine;
  std::string mpi_flavour;
  std::string mpi_version;
  std::string samples;             ///< how ranks' times were reduced: a mean says nothing about the slowest rank
  bool shares_processors = false;  ///< there every call takes what it takes to get a processor
  bool operator==(const Circumstances&) const = default;
};

/// Reports why a file of the history is skipped, in one sentence.
using SkippedFile = std::function<void(const std::string& file, const std::string& why)>;

/// The results of earlier runs, by call key and candidate.
class EarlierRuns {
 public:
  /// Calls of a candidate from which on older runs add nothing to it.
  static constexpr std::int64_t enough_samples = 50;
  /// The most candidates, in all contexts together; those of older runs are left out first.
  static constexpr std::size_t most_candidates = 50'000;
  /// The most contexts.
  static constexpr std::size_t most_contexts = 20'000;
  /// The most bytes to read of records of runs, again as many of merged records, and of one record.
  static constexpr std::int64_t most_bytes = std::int64_t{16} << 20;
  /// The most bytes to read of all records.
  static constexpr std::int64_t most_bytes_read = std::int64_t{128} << 20;

  /// Reads the matching records of a directory, the newest first, as runs older than those of `newer`. A missing
  /// directory has none. If a file disappears meanwhile, because another process merges, reads all again.
  static EarlierRuns read(const std::string& directory, const Circumstances& wanted, const SkippedFile& skipped,
                          const EarlierRuns* newer = nullptr);

  /// Adds a run older than those added before: of collectives only candidates that the repository has; all of patterns;
  /// and only those on whose time the ranks agreed.
  void add(std::vector<ContextRecord> contexts);
  /// The context with the call key of `key`; nullptr if there is none, or if the placement of its ranks on nodes is
  /// unknown.
  [[nodiscard]] const ContextRecord* find(const ContextRecord& key) const;
  /// The time of a candidate, by its public name, in such a context.
  static std::optional<Earlier> of(const ContextRecord& known, std::string_view candidate);
  /// The same of several, in their order: quicker than one by one.
  static std::vector<std::optional<Earlier>> of(const ContextRecord& known, std::span<const Interned> candidates);
  [[nodiscard]] bool empty() const { return contexts_.all().empty(); }

  /// Convert to text for one MPI message, without contexts of more ranks than `most_ranks`, and back. `from_text`
  /// throws if `to_text` did not write the text.
  [[nodiscard]] std::string to_text(int most_ranks = std::numeric_limits<int>::max()) const;
  static EarlierRuns from_text(const std::string& text);

 private:
  FoldedContexts contexts_;  ///< only candidates with `agreed_s`; no decisions
  std::size_t candidates_ = 0;
};

/// Removes the oldest records of single runs in a directory, all but `most`, and no other file. What cannot be removed
/// stays.
void keep_newest(const std::string& directory, std::size_t most);

/// The result of merging.
struct MergedRuns {
  std::int64_t runs = 0;             ///< now in merged records
  std::vector<std::string> written;  ///< files
};

/// Merges all records with the same circumstances into one, and then deletes them. Runs that end or start meanwhile
/// lose nothing: a merged record names the files in it, and readers skip these. Throws std::runtime_error with one
/// sentence if the directory can't be used, or another process is merging in it.
MergedRuns merge_runs(const std::string& directory, const SkippedFile& skipped);

}  // namespace starling
