#include "runtime/job/run_report.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "knowledge/earlier_runs.hpp"
#include "knowledge/explained.hpp"
#include "knowledge/history.hpp"
#include "knowledge/names.hpp"
#include "knowledge/record_json.hpp"
#include "knowledge/record_sum.hpp"
#include "knowledge/run_record.hpp"
#include "knowledge/shorten.hpp"
#include "knowledge/whole_file.hpp"
#include "profile/call_order.hpp"
#include "profile/profile_sum.hpp"
#include "runtime/contexts/communicator.hpp"
#include "runtime/contexts/setup.hpp"
#include "runtime/job/job.hpp"
#include "runtime/mpi/clock.hpp"
#include "runtime/mpi/features.hpp"
#include "runtime/mpi/flavour.hpp"
#include "runtime/mpi/pmpi.hpp"
#include "runtime/mpi/process.hpp"
#include "topology/places.hpp"

namespace starling {
namespace {

/// Leaves out those of communicators of one rank, unless the program has only one rank or a profile is to have all
/// calls.
RunRecord counted(RunRecord all) {
  std::vector<ContextRecord>& contexts = all.contexts;
  if (process().size > 1 && !setup().profile)
    contexts.erase(std::remove_if(contexts.begin(), contexts.end(), [](const auto& one) { return one.ranks == 1; }),
                   contexts.end());
  return all;
}

/// The contexts of the communicators on which this rank is rank 0, and those of patterns.
RunRecord my_contexts() {
  const OwnWork work;
  Setup& now = setup();
  const std::scoped_lock lock(now.guard);
  now.remains.add_all_to(now.finished);
  for (const Communicator* one : now.communicators) one->add_to(now.finished);
  for (const LeavesRecord* one : now.others) one->add_to(now.finished);
  now.others.clear();
  return counted(now.finished.take());
}

constexpr int tag_of_records = 0;  // no channel uses it

void send(const std::string& text, int to) {
  int length = static_cast<int>(text.size());
  pmpi.Send(&length, 1, handles.int_, to, tag_of_records, process().world);
  if (length > 0) pmpi.Send(text.data(), length, handles.char_, to, tag_of_records, process().world);
}

/// The text that another rank sent; empty if receiving failed.
std::string received_from(int from) {
  int length = 0;
  pmpi.Recv(&length, 1, handles.int_, from, tag_of_records, process().world, MPI_STATUS_IGNORE);
  std::string text(static_cast<std::size_t>(length), '\0');
  if (length == 0) return text;
  const int error =
      pmpi.Recv(text.data(), length, handles.char_, from, tag_of_records, process().world, MPI_STATUS_IGNORE);
  return error == MPI_SUCCESS ? text : std::string();
}

/// Adds up the sums of all ranks on rank 0, along a binomial tree, in messages of bounded length, so that no rank holds
/// what many have. Returns whether this is rank 0.
template <typename Sum>
bool sum_up(Sum& sum) {
  for (int distance = 1; distance < process().size; distance *= 2) {
    if ((process().rank & distance) != 0) {
      send(sum.text(), process().rank - distance);
      return false;
    }
    if (process().rank + distance < process().size) sum.add(received_from(process().rank + distance));
  }
  return true;
}

/// The record of all ranks, on rank 0; an empty one elsewhere.
RunRecord record_of_all(RunRecord mine) {
  RecordSum sum(std::move(mine.contexts), mine.left_out);
  return sum_up(sum) ? sum.record() : RunRecord{};
}

OrderedCall described(const CallOrder::Kind& kind) {
  OrderedCall call{.collective = std::string(operation_names[static_cast<std::size_t>(kind.operation)])};
  if (kind.bytes >= 0) call.bytes = kind.bytes;
  call.bucket = kind.bucket;
  call.ranks = kind.ranks;
  return call;
}

RunProfile described(const CallOrder& order) {
  constexpr std::size_t most_successions = 100;
  RunProfile profile{.order_left_out = order.calls()};
  for (const CallOrder::Pair& pair : order.pairs(most_successions)) {
    profile.order.push_back({described(pair.from), described(pair.to), pair.calls, pair.seconds_between});
    profile.order_left_out -= pair.calls;
  }
  return profile;
}

/// Adds to the record on rank 0 what a profiled run tells. The states of communicators still exist.
void add_profile(RunRecord& record) {
  Setup& now = setup();
  ProfileSum& sum = now.profile->finished;
  {
    const std::scoped_lock lock(now.guard);
    std::vector<const Communicator*> in_order(now.communicators.begin(), now.communicators.end());
    std::sort(in_order.begin(), in_order.end(),
              [](const Communicator* one, const Communicator* other) { return one->number() < other->number(); });
    for (const Communicator* one : in_order) one->add_to(sum);
  }
  if (!sum_up(sum)) return;
  sum.tell(record.contexts);
  record.profile = now.profile->order ? described(*now.profile->order) : RunProfile{};
}

/// SMPI's command line is: the simulator, the program, options of both kinds, the platform, and the program's words.
void leave_out_simulator(std::vector<std::string>& words) {
  std::erase_if(words,
                [](const std::string& word) { return word.starts_with("--cfg=") || word.starts_with("--log="); });
  if (words.size() < 3) return;
  words.erase(words.begin() + 2);
  words.erase(words.begin());
  words.front() = words.front().substr(words.front().rfind('/') + 1);  // it was compiled into a temporary folder
}

std::string program_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  if (STARLING_SIMULATED) leave_out_simulator(words);
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  return line;
}

/// Adds what rank 0 of MPI_COMM_WORLD knows of the run, and writes the record. Returns what went wrong, in sentences.
std::vector<std::string> describe_and_write(RunRecord& record, double seconds) {
  const Setup& now = setup();
  record.run.seconds = seconds;
  record.run.probe_s = now.probe_seconds;
  record.run.own_s = now.own_seconds;
  record.run.shares_processors = process().some_share;
  record.run.program = program_line();
  record.run.machine = now.settings.machine;
  record.run.ranks = process().size;
  const Spread spread = Places(now.nodes).spread();
  record.run.nodes = spread.nodes;
  record.run.ranks_per_node = spread.ranks_per_node;
  record.run.mpi_flavour = flavour().name;
  record.run.mpi_version = flavour().version;
  record.run.strategy = now.settings.strategy;
  record.run.settings = described(now.settings);
  record.run.started = in_iso_8601(job().started);
  shorten(record);
  const std::string text = to_json(record);
  const std::string name = record_file_name(job().started, host_name(), getpid());
  std::vector<std::string> wrong;
  if (!now.settings.history.empty()) {
    std::string trouble = make_directory(now.settings.history);
    if (trouble.empty() && !job().history_file.empty()) {
      trouble = write_whole(now.settings.history + "/" + job().history_file, text);
    } else if (trouble.empty()) {
      const NewFile made = write_new_whole(now.settings.history, name, text);
      trouble = made.trouble;
      if (trouble.empty()) {
        job().history_file = made.name;
        keep_newest(now.settings.history, static_cast<std::size_t>(now.settings.history_records));
      }
    }
    if (!trouble.empty()) wrong.push_back("no run record in the history: " + trouble);
  }
  if (!now.settings.record.empty()) {
    // Ranks started by MPI_Comm_spawn inherit the path, and must not overwrite the record of their parents.
    const std::string trouble = write_whole(now.settings.record + (job().is_spawned ? "." + name : ""), text);
    if (!trouble.empty()) wrong.push_back("no run record: " + trouble);
  }
  return wrong;
}

/// Writes what this rank knows so far; not again where that fails, which the end of the run tells. Local.
void write_checkpoint() {
  Setup& now = setup();
  Happened so_far;
  {
    const std::scoped_lock lock(now.guard);
    now.remains.add_all_to(now.finished);
    so_far = now.finished;
    for (const Communicator* one : now.communicators) one->add_to(so_far);
    for (const LeavesRecord* one : now.others) one->add_to(so_far);
  }
  RunRecord mine = counted(so_far.take());
  RunRecord record = RecordSum(std::move(mine.contexts), mine.left_out).record();
  record.run.unfinished = true;
  const bool is_written = describe_and_write(record, pmpi.Wtime() - job().started_wtime).empty();
  now.next_checkpoint = is_written ? Clock::now() + now.settings.checkpoint : std::numeric_limits<double>::infinity();
}

}  // namespace

void begin_checkpoints() {
  Setup& now = setup();
  const bool leaves_record = !now.settings.history.empty() || !now.settings.record.empty();
  if (process().rank != 0 || process().concurrent || now.profile || !leaves_record || now.settings.checkpoint == 0)
    return;
  now.checkpoint = write_checkpoint;
  now.next_checkpoint = Clock::now() + now.settings.checkpoint;
}

void publish_run_record() {
  const Setup& now = setup();
  if (now.settings.history.empty() && now.settings.record.empty()) return;
  RunRecord mine = my_contexts();
  const double seconds = pmpi.Wtime() - job().started_wtime;  // before ranks wait for each other
  RunRecord record = record_of_all(std::move(mine));
  if (now.profile) add_profile(record);
  if (process().rank != 0) return;
  const auto was_there = [&](std::string_view set) {
    return std::any_of(record.contexts.begin(), record.contexts.end(), [&](const ContextRecord& one) {
      return one.collective == set || one.collective == std::string(set).append(own_set);
    });
  };
  for (const std::string& what : sets_that_were_not_there(now.settings, was_there)) print_notice(what);
  for (const std::string& why : describe_and_write(record, seconds)) {
    print_notice(why);
    record_explained();
  }
}

}  // namespace starling
