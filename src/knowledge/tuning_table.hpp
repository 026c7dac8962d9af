#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/earlier_runs.hpp"
#include "schedule/collective.hpp"
#include "selection/strategy.hpp"

namespace starling {

/// When (UTC, ISO 8601), by which command line and by which version of Starling a table was made.
struct TableOrigin {
  std::string when;
  std::string command;
  std::string starling;
};

/// What a program does instead of one of the MPI library's own algorithms, where that cannot be selected.
struct WayAtRunTime {
  std::string way;
  std::optional<double> gain;  ///< native's time / the way's
};

/// Sizes for which a table has one way.
struct TableInterval {
  std::int64_t from = 0;              ///< bytes, per rank and peer block
  std::optional<std::int64_t> below;  ///< exclusive; nothing: without end
  std::string way;                    ///< public name without the collective
  /// Of a call of the way, at both ends.
  std::pair<std::optional<double>, std::optional<double>> seconds;
  std::optional<double> gain;  ///< native's time / the way's
  std::string why;
  std::optional<WayAtRunTime> at_run_time;  ///< nothing: the way itself
};

/// What a table has for one collective on communicators of one shape.
struct TableEntry {
  std::string collective;
  int ranks = 0;
  int nodes = 0;
  int ranks_per_node = 0;                ///< of the fullest node
  std::vector<TableInterval> intervals;  ///< ascending, without overlaps
};

/// A tuning table (docs/tuning-table.md): the choices of a configuration phase, without its measurements. A value; the
/// same on all ranks.
class TuningTable {
 public:
  /// The longest file that is read.
  static constexpr std::int64_t most_bytes = std::int64_t{64} << 20;
  /// An entry counts for communicators with at most so many times as many ranks, in all or on a node, or as few.
  static constexpr double farthest = 2;

  /// Reads a table. Throws std::runtime_error, one sentence that says what is wrong in which line.
  static TuningTable from_json(std::string_view text);
  /// The same as one line, without the measurements.
  [[nodiscard]] std::string to_json() const;

  /// The name of its file, for messages.
  [[nodiscard]] const std::string& file() const { return file_; }
  void set_file(std::string name) { file_ = std::move(name); }

  /// Why a run in these circumstances should not follow it: it was made on another machine, or with another MPI library
  /// or major version of it. Empty if it may.
  [[nodiscard]] std::string misfit(const Circumstances& here) const;

  /// Takes the way for run time where this process does not have an interval's way, and says so in the interval.
  /// Leaves to native, by an empty way, the intervals whose way this version, with the MPI library at hand, does not
  /// have, and removes entries whose collective it does not have. Returns a sentence about those, empty if there were
  /// none.
  std::string forget_unknown();

  /// What it has for a context, the nearest entry first; empty where the nearest entry has no choice for the size, or
  /// none is near. On communicators of one node only entries for one node count, on others only entries for several.
  [[nodiscard]] std::vector<Advice> advice(const ContextKey& key) const;

  /// By collective, in ascending order: the sizes at which an interval begins or ends.
  [[nodiscard]] std::array<std::vector<std::int64_t>, collective_count> size_edges() const;

  [[nodiscard]] const std::vector<TableEntry>& entries() const { return entries_; }

 private:
  std::string file_;
  std::string machine_;  ///< empty: any
  std::string mpi_flavour_;
  std::string mpi_version_;
  TableOrigin made_;
  std::vector<TableEntry> entries_;
};

}  // namespace starling
