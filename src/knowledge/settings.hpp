#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "messages/told.hpp"
#include "selection/strategy.hpp"

namespace starling {

/// How the seconds that ranks measured become one number.
enum class SampleReduction : std::uint8_t { mean, max, min };

/// `mean`, `max` or `min`.
std::string_view name_of(SampleReduction reduction);

/// In place of a platform's text: MPI tells which ranks share a node, and all nodes hang on one switch.
inline constexpr std::string_view platform_of_nodes = "nodes";

/// Everything a user can set, as one value, with the defaults. Rank 0's settings are those of all ranks. Each has a row
/// in settings_table(), which says the rest of it.
struct Settings {
  std::string strategy = "auto";    ///< with its argument, if it takes one
  std::string record;               ///< path of one more copy of the run record; empty: none
  std::string history;              ///< directory of run records; empty: off
  std::string site_history;         ///< directory of records that are read and never written; empty: none
  int history_records = 1000;       ///< the most records of single runs that the history keeps
  std::string machine;              ///< what runs must share to learn from each other; (machine_name)
  bool fresh = false;               ///< starts without what earlier runs found
  bool reproducible = false;        ///< floating-point reductions add in the same order from run to run
  bool host_buffers = false;        ///< buffers lie in host memory, also where a GPU runtime is loaded
  bool library = false;             ///< the MPI library's own algorithms are candidates too
  std::vector<std::string> only;    ///< if not empty: no candidates but these (see `admits`)
  std::vector<std::string> except;  ///< no candidates of these
  StrategySettings tuning;
  int shared_memory = 256;  ///< MiB that a rank may share with others of its node, at most; 0: none
  double checkpoint = 60;   ///< seconds from one record to the next while the program runs; 0: only at its end
  int domains = 0;          ///< of each node; 0: as the platform or the operating system says
  int exact_sizes = 16;     ///< STAR-MPI's X: sizes of a collective on a communicator tuned one by one
  SampleReduction samples = SampleReduction::max;
  /// A platform file's text (topology/platform.hpp), or `platform_of_nodes`; empty: the network is not described.
  std::string platform;
  std::string network;  ///< text of a file of the cost model's parameters (cost/parameters_file.hpp); empty: none
  /// A tuning table (knowledge/tuning_table.hpp) as one line of JSON, with the name of its file; empty: none.
  std::string table;
  bool foreign_table = false;  ///< follows the table of another machine or MPI library, too
  bool profile = false;        ///< the record tells what all ranks did, and in which order (docs/profile.md)
  /// Whether a job may measure its network where nothing else tells of it, and when: "on", "start", "off".
  std::string probe = "on";
  std::string processors = "auto";  ///< whether ranks share them: "own", "shared", or "auto": as found in MPI_Init

  /// Whether `only` and `except` let a candidate in. Their items are a collective (`allreduce`), an algorithm (`ring`),
  /// or both (`allreduce:ring`); a name with parameters (`chain?segment=8192`) is that candidate alone.
  [[nodiscard]] bool admits(std::string_view collective, std::string_view algorithm, std::string_view candidate) const;
};

/// The value of an environment variable, nullptr where it is not set.
using Environment = std::function<const char*(const char* name)>;

/// What is wrong with the value of a variable, in words for people. `why` can be printed as it is.
struct Complaint {
  std::string variable;
  std::string value;  ///< or the part of it that is wrong; empty where it is too long to be told
  std::string why;
  /// As a sentence without an end.
  [[nodiscard]] std::string text() const {
    return variable + (value.empty() ? "" : "='" + told(value) + "'") + ": " + why;
  }
};

/// Settings from STARLING_* variables. What is wrong with a variable goes to `complaints`, and then the whole has to be
/// `native`: a half-understood wish is not carried out. Names in lists are for `check_names` to look at.
Settings settings_from(const Environment& environment, std::vector<Complaint>& complaints);

/// What all ranks need of them, as text for one MPI message, and back.
std::string to_text(Settings settings);
Settings settings_from_text(const std::string& text);

/// The settings in words, for the run record: name and value.
std::vector<std::pair<std::string, std::string>> described(Settings settings);

}  // namespace starling
