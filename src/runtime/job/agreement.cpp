#include "runtime/job/agreement.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "knowledge/names.hpp"
#include "knowledge/tuning_table.hpp"
#include "knowledge/variables.hpp"
#include "messages/told.hpp"
#include "runtime/execution/library_selection.hpp"
#include "runtime/job/hosts.hpp"
#include "runtime/job/job.hpp"
#include "runtime/mpi/features.hpp"
#include "runtime/mpi/flavour.hpp"
#include "runtime/mpi/pmpi.hpp"
#include "runtime/mpi/process.hpp"
#include "selection/strategy.hpp"
#include "topology/nodes.hpp"
#include "ways/selected.hpp"

namespace starling {
namespace {

/// What a rank sends to rank 0.
struct RankFacts {
  std::int64_t ends_whole;
  std::int64_t is_serialized;
  std::int64_t has_all;
  std::int64_t host;
  std::int64_t domain;
  ProcessorShare processors;
};
constexpr int words_of_facts = sizeof(RankFacts) / sizeof(std::int64_t);

/// The start of rank 0's message, before the nodes, the domains, who shares processors, and the texts.
struct Header {
  std::int64_t ends_whole;
  std::int64_t is_serialized;
  std::int64_t has_all;
  std::int64_t wants_library;
  std::int64_t settings_bytes;
  std::int64_t earlier_bytes;
};

/// Bytes of the first broadcast. A second one sends the rest.
constexpr std::size_t first_part = 4096;

/// Whether only one thread of this rank calls MPI at a time.
bool calls_are_serialized() {
  int threads = MPI_THREAD_SINGLE;
  pmpi.Query_thread(&threads);
  return threads != MPI_THREAD_MULTIPLE;
}

/// Lets the ranks make sure that all can select the same algorithms of the MPI library; else none can.
void agree_on_library_algorithms() {
  const auto mine = static_cast<std::int64_t>(library_algorithms().fingerprint());
  std::array<std::int64_t, 2> bounds{mine, ~mine};
  pmpi.Allreduce(MPI_IN_PLACE, bounds.data(), static_cast<int>(bounds.size()), handles.int64, handles.min,
                 process().world);
  if (bounds[0] == ~bounds[1]) return;
  print_notice("the ranks' MPI libraries have different algorithms; none of them is selected");
  LibraryAlgorithms none{.looked_for = true};
  none.why_none = "the ranks' MPI libraries have different ones";
  set_library_algorithms(std::move(none));
}

Circumstances circumstances(const Settings& settings, bool shares_processors = false) {
  return {settings.machine, flavour().name, flavour().version, std::string(name_of(settings.samples)),
          shares_processors};
}

/// Leaves out a table that was made elsewhere, unless the user wants it all the same.
void refuse_foreign_table(Settings& settings) {
  if (settings.table.empty() || settings.foreign_table) return;
  const TuningTable table = TuningTable::from_json(settings.table);
  const std::string why = table.misfit(circumstances(settings));
  if (why.empty()) return;
  print_notice(told(table.file()) + " is not followed: " + why + "; STARLING_FOREIGN_TABLE=1 (--foreign-table) " +
               "follows it all the same");
  settings.table.clear();
}

/// The settings from the environment of rank 0. Prints the complaints. `is_serialized` is that of all ranks.
Settings settings_here(bool is_serialized) {
  std::vector<Complaint> complaints;
  Settings settings = settings_from([](const char* name) -> const char* { return std::getenv(name); }, complaints);
  if (wants_library_algorithms(settings)) set_library_algorithms(find_library_algorithms(is_serialized));
  check_names(settings, complaints);
  for (const Complaint& complaint : complaints) print_notice(complaint.text() + "; the program runs natively");
  for (const std::string& sentence : unknown_variables(environ)) print_notice(sentence);
  if (const auto& except = settings.except; std::find(except.begin(), except.end(), "native") != except.end())
    print_notice("STARLING_EXCEPT (--except) names native, which stays a candidate all the same");
  if (!complaints.empty()) settings.strategy = "native";
  refuse_foreign_table(settings);
  return settings;
}

/// The records that match this run: those of the history, then the site's, of which a known candidate needs no more.
EarlierRuns earlier_runs(const Settings& settings, bool shares_processors) {
  if (settings.history.empty() || settings.fresh || !strategy_named(settings.strategy)->first->learns) return {};
  const Circumstances wanted = circumstances(settings, shares_processors);
  int skipped = 0;
  constexpr int most = 3;
  EarlierRuns earlier;
  for (const std::string& folder : {settings.history, settings.site_history}) {
    const auto skip = [&](const std::string& file, const std::string& why) {
      if (++skipped <= most) print_notice("skipped " + told(folder + "/" + file) + ": " + why);
    };
    if (!folder.empty()) earlier = EarlierRuns::read(folder, wanted, skip, &earlier);
  }
  if (skipped > most) print_notice("skipped " + std::to_string(skipped - most) + " more files of the history");
  return earlier;
}

template <typename Value>
void append(std::string& message, std::span<const Value> values) {
  message.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

/// Broadcasts the text of rank 0. `length_of` reads its length from the first part.
template <typename Length>
std::string broadcast_text(std::string text, Length length_of) {
  const std::size_t length = text.size();
  text.resize(std::max(first_part, length));
  pmpi.Bcast(text.data(), static_cast<int>(first_part), handles.char_, 0, process().world);
  const std::size_t whole = process().rank == 0 ? length : length_of(text);
  text.resize(std::max(first_part, whole));
  if (whole > first_part)
    pmpi.Bcast(text.data() + first_part, static_cast<int>(whole - first_part), handles.char_, 0, process().world);
  text.resize(whole);
  return text;
}

}  // namespace

bool is_fault_tolerant() {
  if (const auto* ulfm = static_cast<const bool*>(mpi_symbol("ompi_ftmpi_enabled")); ulfm != nullptr && *ulfm)
    return true;
  // All that MPICH takes for true.
  constexpr std::array<std::string_view, 7> yes{"1", "true", "TRUE", "yes", "YES", "on", "ON"};
  const char* const mpich = std::getenv("MPIR_CVAR_ENABLE_FT");
  return mpich != nullptr && std::find(yes.begin(), yes.end(), mpich) != yes.end();
}

Agreement agree_in_init(bool has_all) {
  const auto ranks = static_cast<std::size_t>(process().size);
  const bool is_first = process().rank == 0;
  const PlaceOnHost place = place_on_host();
  const RankFacts mine{std::int64_t{!is_fault_tolerant()},
                       std::int64_t{calls_are_serialized()},
                       std::int64_t{has_all},
                       number_of_host(),
                       place.domain,
                       place.processors};
  std::vector<RankFacts> gathered(is_first ? ranks : 0);
  pmpi.Gather(&mine, words_of_facts, handles.int64, gathered.data(), words_of_facts, handles.int64, 0, process().world);

  Agreement agreed;
  agreed.nodes.resize(ranks);
  agreed.domains.resize(ranks);
  agreed.sharing.resize(ranks);
  Header header{};
  std::string message;
  if (is_first) {
    const auto all = [&](std::int64_t RankFacts::*fact) {
      return std::int64_t{
          std::all_of(gathered.begin(), gathered.end(), [&](const RankFacts& one) { return one.*fact != 0; })};
    };
    header = {.ends_whole = all(&RankFacts::ends_whole),
              .is_serialized = all(&RankFacts::is_serialized),
              .has_all = all(&RankFacts::has_all),
              .wants_library = 0,
              .settings_bytes = 0,
              .earlier_bytes = 0};
    std::vector<std::int64_t> hosts;
    std::vector<int> domains;
    std::vector<ProcessorShare> processors;
    for (const RankFacts& one : gathered) {
      hosts.push_back(one.host);
      processors.push_back(one.processors);
      domains.push_back(static_cast<int>(one.domain));
    }
    agreed.nodes = nodes_by_hosts(hosts);
    agreed.domains = domains_as_told(agreed.nodes, domains);
    agreed.sharing = sharing_processors(agreed.nodes, processors);
    std::string settings;
    std::string earlier;
    if (header.ends_whole != 0) {
      agreed.settings = settings_here(header.is_serialized != 0);
      if (const std::string& told = agreed.settings.processors; told != "auto" && !STARLING_SIMULATED)
        agreed.sharing.assign(ranks, told == "shared" ? 1 : 0);
      header.wants_library = wants_library_algorithms(agreed.settings);
      if (header.wants_library == 0) set_library_algorithms({});  // the other ranks do not look for them
      settings = to_text(agreed.settings);
      const bool shares = std::find(agreed.sharing.begin(), agreed.sharing.end(), 1) != agreed.sharing.end();
      if (header.has_all != 0) earlier = earlier_runs(agreed.settings, shares).to_text(process().size);
    }
    header.settings_bytes = static_cast<std::int64_t>(settings.size());
    header.earlier_bytes = static_cast<std::int64_t>(earlier.size());
    append(message, std::span<const Header>(&header, 1));
    for (const auto* each : {&agreed.nodes, &agreed.domains, &agreed.sharing})
      append(message, std::span<const int>(*each));
    message += settings + earlier;
  }
  const std::size_t nodes_bytes = ranks * sizeof(int);
  message = broadcast_text(std::move(message), [&](const std::string& begin) {
    std::memcpy(&header, begin.data(), sizeof header);
    return sizeof header + (3 * nodes_bytes) + static_cast<std::size_t>(header.settings_bytes + header.earlier_bytes);
  });
  agreed.ends_whole = header.ends_whole != 0;
  agreed.is_serialized = header.is_serialized != 0;
  agreed.has_all = header.has_all != 0;
  if (!agreed.ends_whole) return agreed;
  std::size_t at = sizeof header;
  for (auto* each : {&agreed.nodes, &agreed.domains, &agreed.sharing}) {
    std::memcpy(each->data(), message.data() + at, nodes_bytes);
    at += nodes_bytes;
  }
  const std::string texts = message.substr(at);
  const auto settings_bytes = static_cast<std::size_t>(header.settings_bytes);
  // Rank 0 keeps its own settings, because a path may not survive the conversion to text.
  if (!is_first) agreed.settings = settings_from_text(texts.substr(0, settings_bytes));
  if (header.wants_library != 0) {
    if (!is_first) set_library_algorithms(find_library_algorithms(agreed.is_serialized));
    agree_on_library_algorithms();
  }
  if (agreed.has_all) agreed.earlier = EarlierRuns::from_text(texts.substr(settings_bytes));
  return agreed;
}

}  // namespace starling
