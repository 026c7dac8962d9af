#include "knowledge/settings_table.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "cost/parameters_file.hpp"
#include "knowledge/history.hpp"
#include "knowledge/tuning_table.hpp"
#include "knowledge/whole_file.hpp"
#include "topology/platform.hpp"

namespace starling {
namespace {

void read_strategy(const Wish& wish, std::string& strategy) {
  if (!wish.text().empty()) strategy = wish.text();
  const auto named = strategy_named(strategy);
  if (!named) {
    std::string known;
    for (const StrategyKind& kind : strategy_kinds()) {
      known.append(known.empty() ? "" : ", ").append(kind.name);
      if (!kind.argument.empty())
        known.append(kind.forces ? ":" : "[:").append(kind.argument).append(kind.forces ? "" : "]");
    }
    wish.complain("no such strategy; there are: " + known);
  } else if (named->first->rejects != nullptr) {
    if (const std::string why = named->first->rejects(named->second); !why.empty()) wish.complain(why);
  }
}

/// The path from the root: the program may go to another directory before it ends.
std::string from_here(const std::string& path) {
  std::error_code error;
  const auto absolute = std::filesystem::absolute(path, error);
  return path.empty() || error ? path : absolute.string();
}

void read_path(const Wish& wish, std::string& path) {
  path = from_here(wish.text());
}

void read_record(const Wish& wish, std::string& path) {
  if (wish.text() != "off") read_path(wish, path);
}

void read_history(const Wish& wish, std::string& directory) {
  directory = from_here(history_directory(wish.text(), wish.environment));
}

std::string shown_history(const std::string& directory) {
  return directory.empty() ? "off" : directory;
}

void read_machine(const Wish& wish, std::string& machine) {
  machine = machine_name(wish.text(), wish.environment, host_name());
}

/// The text of the file that is wished, with what is wrong with it by `check`, which throws std::runtime_error; else
/// nothing, and a complaint.
std::optional<std::string> text_of_file(const Wish& wish, std::int64_t most_bytes, void (*check)(const std::string&)) {
  const std::string name = wish.text();
  const bool is_text = name.starts_with('{');
  std::string text = name;
  if (!is_text) {
    const auto complain = [&](const std::string& why) {
      wish.complain(why);
      return std::nullopt;
    };
    try {
      if (!read_whole(name, most_bytes, text)) return complain("there is no such file");
    } catch (const std::runtime_error& error) {
      return complain(error.what());
    }
  }
  try {
    check(text);
    return text;
  } catch (const std::runtime_error& error) {
    wish.complaints.push_back({wish.variable, is_text ? std::string() : name, error.what()});
  }
  return std::nullopt;
}

/// The text of the platform that is wished, or of the file that the wish names; none, and a complaint, where that is no
/// platform.
void read_platform(const Wish& wish, std::string& platform) {
  constexpr std::int64_t most_bytes = std::int64_t{16} << 20;  // of 65536 hosts, with room to spare
  const std::string name = wish.text();
  if (name.empty() || name == platform_of_nodes) {
    platform = name;
  } else if (auto text = text_of_file(wish, most_bytes, [](const auto& json) { Platform::from_json(json); })) {
    platform = std::move(*text);
  }
}

/// The same for the cost model's parameters.
void read_network(const Wish& wish, std::string& network) {
  constexpr std::int64_t most_bytes = std::int64_t{1} << 20;
  if (wish.text().empty()) return;
  if (auto text = text_of_file(wish, most_bytes, [](const auto& json) { parameters_from_json(json); }))
    network = std::move(*text);
}

void read_table(const Wish& wish, std::string& table) {
  if (wish.text().empty()) return;
  const auto check = [](const std::string& json) { TuningTable::from_json(json); };
  const auto text = text_of_file(wish, TuningTable::most_bytes, check);
  if (!text) return;
  TuningTable found = TuningTable::from_json(*text);
  if (found.file().empty()) found.set_file(wish.text().starts_with('{') ? wish.variable : wish.text());
  table = found.to_json();
}

std::string shown_table(const std::string& table) {
  return table.empty() ? "none" : TuningTable::from_json(table).file();
}

std::string shown_network(const std::string& network) {
  return network.empty() ? "none" : "described";
}

/// One of three words.
void read_word(const Wish& wish, const std::array<std::string, 3>& words, std::string& word) {
  if (wish.text().empty()) return;
  if (std::find(words.begin(), words.end(), wish.text()) == words.end())
    return wish.complain("none of " + words[0] + ", " + words[1] + " and " + words[2]);
  word = wish.text();
}

void read_probe(const Wish& wish, std::string& probe) {
  read_word(wish, {"on", "start", "off"}, probe);
}

void read_processors(const Wish& wish, std::string& processors) {
  read_word(wish, {"auto", "own", "shared"}, processors);
}

std::string shown_platform(const std::string& platform) {
  if (platform.empty()) return "none";
  return platform == platform_of_nodes ? platform : "described";
}

// A row for each setting. Numbers have bounds; texts are taken as they stand unless there is something to read them.
constexpr auto table = std::to_array<SettingRow>({
    {.name = "strategy",
     .variable = "STARLING_STRATEGY",
     .says = "How candidates are tried and one is chosen: auto, native, star, forced:NAME, ...",
     .place = [](Settings& all) -> Place { return &all.strategy; },
     .option = "S",
     .read = read_strategy},
    {.name = "history",
     .variable = "STARLING_HISTORY",
     .says = "Folder for the records of runs.",
     .place = [](Settings& all) -> Place { return &all.history; },
     .option = "DIR|off",
     .otherwise = "starling/history in $XDG_DATA_HOME, else in ~/.local/share",
     .is_path = true,
     .read = read_history,
     .shown = shown_history},
    {.name = "site_history",
     .variable = "STARLING_SITE_HISTORY",
     .says = "A second folder of records: runs read it and never write to it.",
     .place = [](Settings& all) -> Place { return &all.site_history; },
     .is_path = true,
     .is_for_all = false,
     .read = read_path},
    {.name = "history_records",
     .variable = "STARLING_HISTORY_RECORDS",
     .says = "Number of records that the history keeps; the end of a run removes older ones.",
     .place = [](Settings& all) -> Place { return &all.history_records; },
     .least = 1,
     .most = 1000000,
     .is_for_all = false},
    {.name = "record",
     .variable = "STARLING_RECORD",
     .says = "A file for one more copy of this run's record, or off.",
     .place = [](Settings& all) -> Place { return &all.record; },
     .option = "F|off",
     .is_path = true,
     .read = read_record},
    {.name = "machine",
     .variable = "STARLING_MACHINE",
     .says = "Name of the machine: runs learn only from runs on the same machine.",
     .place = [](Settings& all) -> Place { return &all.machine; },
     .option = "NAME",
     .otherwise = "the name of the cluster or host",
     .is_for_all = false,
     .read = read_machine},
    {.name = "fresh",
     .variable = "STARLING_FRESH",
     .says = "Ignore the results of earlier runs; still leave a record.",
     .place = [](Settings& all) -> Place { return &all.fresh; },
     .option = "",
     .is_for_all = false},
    {.name = "reproducible",
     .variable = "STARLING_REPRODUCIBLE",
     .says = "Reductions give the same result from run to run.",
     .place = [](Settings& all) -> Place { return &all.reproducible; },
     .option = ""},
    {.name = "host_buffers",
     .variable = "STARLING_HOST_BUFFERS",
     .says = "All buffers are in host memory, even if a GPU runtime is loaded.",
     .place = [](Settings& all) -> Place { return &all.host_buffers; },
     .option = ""},
    {.name = "library",
     .variable = "STARLING_LIBRARY",
     .says = "The MPI library's own algorithms are candidates too.",
     .place = [](Settings& all) -> Place { return &all.library; },
     .option = ""},
    {.name = "only",
     .variable = "STARLING_ONLY",
     .says = "Tune only these collectives or algorithms.",
     .place = [](Settings& all) -> Place { return &all.only; },
     .option = "A,B"},
    {.name = "except",
     .variable = "STARLING_EXCEPT",
     .says = "Do not use these collectives or algorithms.",
     .place = [](Settings& all) -> Place { return &all.except; },
     .option = "A,B"},
    {.name = "platform",
     .variable = "STARLING_PLATFORM",
     .says = "The network: a platform file, a name like star:4x8, or nodes (the hosts that MPI reports).",
     .place = [](Settings& all) -> Place { return &all.platform; },
     .option = "F",
     .is_path = true,
     .read = read_platform,
     .shown = shown_platform},
    {.name = "domains",
     .variable = "STARLING_DOMAINS",
     .says = "NUMA domains of each node, filled with its ranks one after the other; 0: those that the platform file "
             "has, or "
             "to which ranks are bound.",
     .place = [](Settings& all) -> Place { return &all.domains; },
     .least = 0,
     .most = 4096},
    {.name = "shared_memory",
     .variable = "STARLING_SHARED_MEMORY",
     .says = "Most MiB of memory that a rank shares with others of its node; 0: algorithms that share memory are left "
             "out.",
     .place = [](Settings& all) -> Place { return &all.shared_memory; },
     .least = 0,
     .most = 1048576},
    {.name = "network",
     .variable = "STARLING_NETWORK",
     .says = "Cost of messages: a file of starling calibrate, instead of a probe.",
     .place = [](Settings& all) -> Place { return &all.network; },
     .option = "F",
     .is_path = true,
     .is_for_all = false,
     .read = read_network,
     .shown = shown_network},
    {.name = "probe",
     .variable = "STARLING_PROBE",
     .says = "Whether a strategy that predicts times may measure the network: on (once calls took long enough), start "
             "(in MPI_Init) or off.",
     .place = [](Settings& all) -> Place { return &all.probe; },
     .option = "on|start|off",
     .is_for_all = false,
     .read = read_probe},
    {.name = "processors",
     .variable = "STARLING_PROCESSORS",
     .says = "Whether ranks share processors: auto (as found in MPI_Init), own or shared. Ranks that share give the "
             "processor away while they wait.",
     .place = [](Settings& all) -> Place { return &all.processors; },
     .option = "auto|own|shared",
     .is_for_all = false,
     .read = read_processors},
    {.name = "table",
     .variable = "STARLING_TABLE",
     .says = "A tuning table; it overrides the strategy where it has an entry.",
     .place = [](Settings& all) -> Place { return &all.table; },
     .option = "F",
     .is_path = true,
     .read = read_table,
     .shown = shown_table},
    {.name = "foreign_table",
     .variable = "STARLING_FOREIGN_TABLE",
     .says = "Follow the table even if another machine or MPI made it.",
     .place = [](Settings& all) -> Place { return &all.foreign_table; },
     .option = "",
     .is_for_all = false},
    {.name = "budget",
     .variable = "STARLING_BUDGET",
     .says = "auto: most cost of trials, as a share of native's time in the first 20 calls (less later): 3% or 0.03.",
     .place = [](Settings& all) -> Place { return &all.tuning.budget; },
     .option = "SHARE",
     .least = 0,
     .most = 1,
     .is_share = true},
    {.name = "stake",
     .variable = "STARLING_STAKE",
     .says = "auto: seconds that the calls of a context must take, without waiting, before anything is tried.",
     .place = [](Settings& all) -> Place { return &all.tuning.stake; },
     .least = 0,
     .most = 1000},
    {.name = "profile",
     .variable = "STARLING_PROFILE",
     .says = "Record the calls of all ranks and their order; starling profile sets it.",
     .place = [](Settings& all) -> Place { return &all.profile; }},
    {.name = "checkpoint",
     .variable = "STARLING_CHECKPOINT",
     .says = "Seconds between checkpoints of the record, for jobs that are killed; 0: none.",
     .place = [](Settings& all) -> Place { return &all.checkpoint; },
     .least = 0,
     .most = 1000000},
    {.name = "iterations",
     .variable = "STARLING_ITER",
     .says = "Measurements of each candidate.",
     .place = [](Settings& all) -> Place { return &all.tuning.iterations; },
     .least = 1,
     .most = 1000000},
    {.name = "epsilon",
     .variable = "STARLING_EPSILON",
     .says = "Tolerated loss against the second best.",
     .place = [](Settings& all) -> Place { return &all.tuning.epsilon; },
     .least = 0,
     .most = 1000},
    {.name = "delta_limit",
     .variable = "STARLING_DELTA_LIMIT",
     .says = "Longest period between two checks, in units of iterations calls.",
     .place = [](Settings& all) -> Place { return &all.tuning.delta_limit; },
     .least = 2,
     .most = std::int64_t{1} << 40},
    {.name = "sizes",
     .variable = "STARLING_SIZES",
     .says = "Message sizes of a collective that are tuned one by one.",
     .place = [](Settings& all) -> Place { return &all.exact_sizes; },
     .least = 1,
     .most = 1000000},
    {.name = "samples",
     .variable = "STARLING_SAMPLES",
     .says = "How ranks' times are reduced to one: max, the slowest rank's; mean, STAR-MPI's; or min.",
     .place = [](Settings& all) -> Place { return &all.samples; }},
    {.name = "alpha",
     .variable = "STARLING_ALPHA",
     .says = "lottery: the fastest candidate's share of the tickets.",
     .place = [](Settings& all) -> Place { return &all.tuning.alpha; },
     .least = 0,
     .most = 1},
    {.name = "memory",
     .variable = "STARLING_MEMORY",
     .says = "lottery: weight of the old average at each new call.",
     .place = [](Settings& all) -> Place { return &all.tuning.memory; },
     .least = 0,
     .most = 1},
    {.name = "longest_draw",
     .variable = "STARLING_LONGEST_DRAW",
     .says = "lottery: calls that a draw of a candidate with all tickets would last.",
     .place = [](Settings& all) -> Place { return &all.tuning.longest_draw; },
     .least = 1,
     .most = std::int64_t{1} << 30},
    {.name = "seed",
     .variable = "STARLING_SEED",
     .says = "Seed for random choices of a strategy.",
     .place = [](Settings& all) -> Place { return &all.tuning.seed; },
     .least = 0,
     .most = std::numeric_limits<std::int64_t>::max()},
    {.name = "run_off",
     .variable = "STARLING_RUN_OFF",
     .says = "star: a candidate only a little faster than native must win a run-off; 0: none, as in the paper.",
     .place = [](Settings& all) -> Place { return &all.tuning.run_off; }},
    {.name = "outlier_factor",
     .variable = "STARLING_OUTLIER_FACTOR",
     .says = "ADCL's searches: a time of at least this many times the smallest is an outlier.",
     .place = [](Settings& all) -> Place { return &all.tuning.outlier_factor; },
     .least = 1,
     .most = 1000000},
    {.name = "outlier_fraction",
     .variable = "STARLING_OUTLIER_FRACTION",
     .says = "ADCL's searches: with this share of outliers or more, outliers count in the mean.",
     .place = [](Settings& all) -> Place { return &all.tuning.outlier_fraction; },
     .least = 0,
     .most = 1},
    {.name = "give_up",
     .variable = "STARLING_GIVE_UP",
     .says =
         "ADCL's searches: a candidate that is clearly slower gets no more calls; 0: each gets all, as in the paper.",
     .place = [](Settings& all) -> Place { return &all.tuning.give_up; }},
    {.name = "early_stop",
     .variable = "STARLING_EARLY_STOP",
     .says = "ADCL's searches end if no untried candidate is faster with this probability; 0: they try all.",
     .place = [](Settings& all) -> Place { return &all.tuning.early_stop; },
     .least = 0,
     .most = 1},
    {.name = "early_stop_margin",
     .variable = "STARLING_EARLY_STOP_MARGIN",
     .says = "The share of the best's time that an untried candidate must save to count as faster.",
     .place = [](Settings& all) -> Place { return &all.tuning.early_stop_margin; },
     .least = 0,
     .most = 1},
    {.name = "factorial_threshold",
     .variable = "STARLING_FACTORIAL_THRESHOLD",
     .says = "factorial: an attribute that changes the time by at least this share is searched further.",
     .place = [](Settings& all) -> Place { return &all.tuning.factorial_threshold; },
     .least = 0,
     .most = 1000},
    {.name = "drift",
     .variable = "STARLING_DRIFT",
     .says = "ADCL's searches: the relative change of the winner's time that starts a new search; 0: none does.",
     .place = [](Settings& all) -> Place { return &all.tuning.drift; },
     .least = 0,
     .most = 1000},
});

}  // namespace

std::span<const SettingRow> settings_table() {
  return table;
}

}  // namespace starling
