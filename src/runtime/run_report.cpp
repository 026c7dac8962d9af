#include "runtime/run_report.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "knowledge/history.hpp"
#include "knowledge/run_record.hpp"
#include "knowledge/variables.hpp"
#include "knowledge/whole_file.hpp"
#include "runtime/communicator.hpp"
#include "runtime/features.hpp"
#include "runtime/flavour.hpp"
#include "runtime/nodes.hpp"
#include "runtime/pmpi.hpp"
#include "runtime/state.hpp"

namespace starling {
namespace {

/// This rank's contexts, a line of JSON each.
std::string my_lines() {
  State& now = state();
  std::vector<ContextRecord> records;
  {
    const std::lock_guard lock(now.guard);
    records = std::move(now.finished);
    for (const Communicator* one : now.communicators) one->add_records(records);
  }
  std::string lines;
  for (const ContextRecord& record : records) lines.append(to_json_line(record)).append("\n");
  return lines;
}

/// All ranks' lines on rank 0, nothing elsewhere.
std::string gathered(const std::string& mine) {
  const State& now = state();
  const auto ranks = static_cast<std::size_t>(now.world_size);
  std::vector<int> lengths(ranks);
  std::vector<int> offsets(ranks);
  // A rank with more than this to tell would need a record of gigabytes: it tells what fits, whole lines only.
  const std::size_t most = static_cast<std::size_t>(INT_MAX) / ranks;
  const std::string_view told =
      std::string_view(mine).substr(0, mine.size() <= most ? mine.size() : mine.rfind('\n', most) + 1);
  int length = static_cast<int>(told.size());
  pmpi.Gather(&length, 1, handles.int_, lengths.data(), 1, handles.int_, 0, now.world);
  std::exclusive_scan(lengths.begin(), lengths.end(), offsets.begin(), 0);
  std::string all(now.world_rank == 0 ? static_cast<std::size_t>(offsets.back() + lengths.back()) : 0, '\0');
  pmpi.Gatherv(told.data(), length, handles.char_, all.data(), lengths.data(), offsets.data(), handles.char_, 0,
               now.world);
  return all;
}

std::vector<ContextRecord> contexts_in(const std::string& lines) {
  std::vector<ContextRecord> all;
  for (std::size_t start = 0; start < lines.size();) {
    const std::size_t end = lines.find('\n', start);
    all.push_back(context_from_json_line(lines.substr(start, end - start)));
    start = end + 1;
  }
  return all;
}

std::string program_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string line((std::istreambuf_iterator<char>(file)), {});
  while (!line.empty() && line.back() == '\0') line.pop_back();
  std::replace(line.begin(), line.end(), '\0', ' ');
  return line;
}

bool was_spawned() {
  if (!STARLING_HAS_SPAWN) return false;
  MPI_Comm parent = handles.comm_null;
  return pmpi.Comm_get_parent(&parent) == MPI_SUCCESS && parent != handles.comm_null;
}

void write(const std::string& path, const std::string& text) {
  if (const std::string why = write_whole(path, text); !why.empty()) {
    say("no run record: " + why);
    record_explained();
  }
}

}  // namespace

void publish_run_record() {
  const State& now = state();
  if (now.settings.history.empty() && now.settings.record.empty()) return;
  RunRecord record;
  record.run.seconds = pmpi.Wtime() - now.started_wtime;
  const std::string lines = gathered(my_lines());
  if (now.world_rank != 0) return;

  record.run.program = program_line();
  record.run.machine = now.settings.machine;
  record.run.ranks = now.world_size;
  const Spread spread = spread_over(now.nodes);
  record.run.nodes = spread.nodes;
  record.run.ranks_per_node = spread.ranks_per_node;
  record.run.mpi_flavour = flavour().name;
  record.run.mpi_version = flavour().version;
  record.run.strategy = now.settings.strategy;
  record.run.settings = described(now.settings);
  record.run.started = in_iso_8601(now.started);
  record.contexts = folded(contexts_in(lines));
  const std::string text = to_json(record);
  const std::string name = record_file_name(now.started, host_name(), getpid());
  if (!now.settings.history.empty()) {
    std::string trouble = make_directory(now.settings.history);
    if (trouble.empty()) trouble = write_new_whole(now.settings.history, name, text).trouble;
    if (!trouble.empty()) {
      say("no run record in the history: " + trouble);
      record_explained();
    }
  }
  // Ranks that MPI_Comm_spawn started inherit the path, and must not overwrite the record of those that spawned them.
  if (!now.settings.record.empty()) write(now.settings.record + (was_spawned() ? "." + name : ""), text);
}

}  // namespace starling
