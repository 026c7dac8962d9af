#include "runtime/runtime.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "knowledge/names.hpp"
#include "knowledge/variables.hpp"
#include "messages/told.hpp"
#include "runtime/aliases.hpp"
#include "runtime/clock.hpp"
#include "runtime/communicator.hpp"
#include "runtime/flavour.hpp"
#include "runtime/nodes.hpp"
#include "runtime/pmpi.hpp"
#include "runtime/run_report.hpp"
#include "runtime/state.hpp"

namespace starling {
namespace {

/// No attribute goes from a communicator to its duplicate: each has a state of its own.
int copy_nothing(MPI_Comm /*comm*/, int /*keyval*/, void* /*extra*/, void* /*from*/, void* /*into*/, int* flag) {
  *flag = 0;
  return MPI_SUCCESS;
}

/// A private communicator of all ranks. Made by a call that no other call of MPI answers: where a rank lacks this
/// library, the others wait for it, and it gets nothing of theirs as its own.
MPI_Comm private_world() {
  MPI_Comm made = handles.comm_null;
  MPI_Group group{};
  pmpi.Comm_group(handles.comm_world, &group);
  pmpi.Comm_create_group(handles.comm_world, group, 0, &made);
  pmpi.Group_free(&group);
  if (made != handles.comm_null) pmpi.Comm_set_errhandler(made, handles.errors_return);
  return made;
}

/// Whether a rank may die, or a communicator be revoked, without an end of the job: then the others must hear of it
/// where they wait, which they don't on communicators that the application does not know.
bool is_fault_tolerant() {
  if (const auto* ulfm = static_cast<const bool*>(mpi_symbol("ompi_ftmpi_enabled")); ulfm != nullptr && *ulfm)
    return true;
  const char* const mpich = std::getenv("MPIR_CVAR_ENABLE_FT");
  return mpich != nullptr && std::string_view("1tTyY").find(*mpich) != std::string_view::npos && *mpich != '\0';
}

/// Whether each of these holds on every rank of MPI_COMM_WORLD: one that can't take part must not leave the others
/// waiting.
template <std::size_t questions>
std::array<bool, questions> everywhere(const std::array<bool, questions>& here) {
  std::array<int, questions> mine{};
  std::array<int, questions> everyones{};
  std::copy(here.begin(), here.end(), mine.begin());
  pmpi.Allreduce(mine.data(), everyones.data(), static_cast<int>(questions), handles.int_, handles.min, state().world);
  std::array<bool, questions> all{};
  std::transform(everyones.begin(), everyones.end(), all.begin(), [](int one) { return one == 1; });
  return all;
}

/// The largest tag of Starling's own messages.
int largest_tag() {
  int* largest = nullptr;
  int found = 0;
  pmpi.Comm_get_attr(handles.comm_world, MPI_TAG_UB, static_cast<void*>(&largest), &found);
  return found != 0 ? *largest : 32767;  // the least that the standard allows
}

/// Whether only one thread of this rank calls MPI at a time.
bool calls_one_by_one() {
  int threads = MPI_THREAD_SINGLE;
  pmpi.Query_thread(&threads);
  return threads != MPI_THREAD_MULTIPLE;
}

/// The text of rank 0, given to all.
std::string from_first(std::string text) {
  int length = static_cast<int>(text.size());
  pmpi.Bcast(&length, 1, handles.int_, 0, state().world);
  text.resize(static_cast<std::size_t>(length));
  pmpi.Bcast(text.data(), length, handles.char_, 0, state().world);
  return text;
}

/// Rank 0's settings, given to all: what the environment of another rank says never counts.
Settings agreed_settings(int rank) {
  std::string text;
  Settings settings;
  if (rank == 0) {
    std::vector<Complaint> complaints;
    settings = settings_from([](const char* name) -> const char* { return std::getenv(name); }, complaints);
    check_names(settings, complaints);
    for (const Complaint& complaint : complaints) say(complaint.text() + "; the program runs natively");
    for (const std::string& sentence : unknown_variables(environ)) say(sentence);
    if (const auto& except = settings.except; std::find(except.begin(), except.end(), "native") != except.end())
      say("STARLING_EXCEPT (--except) names native, which stays a candidate all the same");
    if (!complaints.empty()) settings.strategy = "native";
    text = to_text(settings);
  }
  text = from_first(std::move(text));
  // Rank 0 keeps its own, for paths need not be text that can travel.
  return rank == 0 ? settings : settings_from_text(text);
}

/// What rank 0 finds in the history, given to all.
EarlierRuns agreed_history(const Settings& settings, int rank) {
  std::string text;
  if (rank == 0) {
    int skipped = 0;
    constexpr int most = 3;
    const auto skip = [&](const std::string& file, const std::string& why) {
      if (++skipped <= most) say("skipped " + told(settings.history + "/" + file) + ": " + why);
    };
    const Circumstances here{settings.machine, flavour().name, flavour().version,
                             std::string(name_of(settings.samples))};
    text = EarlierRuns::read(settings.history, here, skip).to_text();
    if (skipped > most) say("skipped " + std::to_string(skipped - most) + " more files of the history");
  }
  return EarlierRuns::from_text(from_first(std::move(text)));
}

/// A communicator of this rank alone that the application can't see; nothing when MPI has none left.
bool make_alone(MPI_Comm& alone) {
  MPI_Group group{};
  pmpi.Comm_group(handles.comm_self, &group);
  const int error = pmpi.Comm_create(handles.comm_self, group, &alone);
  pmpi.Group_free(&group);
  return error == MPI_SUCCESS && pmpi.Comm_set_errhandler(alone, handles.errors_return) == MPI_SUCCESS;
}

/// Which of the platform's hosts each rank of MPI_COMM_WORLD runs on. Collective.
std::vector<int> hosts_of_ranks(const Platform& platform, int ranks) {
  std::array<char, MPI_MAX_PROCESSOR_NAME + 1> name{};
  int length = 0;
  pmpi.Get_processor_name(name.data(), &length);
  std::vector<int> all = told_by_ranks(platform.host(name.data()).value_or(-1), ranks);
  // One line, whatever the number of ranks: the first of those nobody knows tells its name to rank 0, which says it.
  const auto first = std::find(all.begin(), all.end(), -1);
  if (first != all.end()) {
    pmpi.Bcast(name.data(), static_cast<int>(name.size()), handles.char_, static_cast<int>(first - all.begin()),
               state().world);
    const auto unknown = std::count(first, all.end(), -1);
    say("the platform has no host '" + told(name.data()) + "' (" + std::to_string(unknown) + " of " +
        std::to_string(ranks) + " ranks are on unknown hosts): algorithms for its switches are left out where they " +
        "take part");
  }
  return all;
}

/// The network as settings describe it, and where on it each rank of MPI_COMM_WORLD is. Collective.
void find_places(State& now) {
  if (now.settings.platform.empty()) return;
  if (now.settings.platform != platform_of_nodes) {
    now.platform = Platform::from_json(now.settings.platform);
    now.hosts = hosts_of_ranks(*now.platform, now.world_size);
    return;
  }
  if (now.nodes.empty()) {
    say("MPI does not tell which ranks share a node: algorithms for switches are left out");
    return;
  }
  std::vector<int> different = now.nodes;
  std::sort(different.begin(), different.end());
  different.erase(std::unique(different.begin(), different.end()), different.end());
  now.platform = Platform::of_nodes(static_cast<int>(different.size()));
  for (const int node : now.nodes)
    now.hosts.push_back(
        static_cast<int>(std::lower_bound(different.begin(), different.end(), node) - different.begin()));
}

}  // namespace

State& state() {
  // Never destroyed: a program may call MPI_Finalize when its own statics are.
  static State& only = *new State;
  return only;
}

void say(const std::string& sentence) {
  if (state().world_rank == 0) std::fprintf(stderr, "starling: %s\n", in_one_line(sentence).c_str());
}

void after_init() {
  State& now = state();
  pmpi.Comm_rank(handles.comm_world, &now.world_rank);
  pmpi.Comm_size(handles.comm_world, &now.world_size);
  now.world = private_world();
  const auto [dies_whole, one_by_one] = everywhere<2>({!is_fault_tolerant(), calls_one_by_one()});
  if (!dies_whole) {
    say("MPI's fault tolerance is on; the program runs natively, and leaves no run record");
    pmpi.Comm_free(&now.world);
    return;
  }
  now.largest_tag = largest_tag();
  now.concurrent = !one_by_one;
  now.settings = agreed_settings(now.world_rank);
  const auto strategy = strategy_named(now.settings.strategy);
  now.strategy = strategy->first;
  now.strategy_argument = strategy->second;
  if (!now.settings.history.empty() || !now.settings.record.empty() || now.settings.platform == platform_of_nodes)
    now.nodes = nodes_of_ranks(now.world_size);
  if (!now.settings.history.empty() && !now.settings.fresh && now.strategy->learns)
    now.earlier = agreed_history(now.settings, now.world_rank);
  find_places(now);
  Clock::calibrate();
  now.started = std::chrono::system_clock::now();
  now.started_wtime = pmpi.Wtime();
  const bool has_all = make_alone(now.alone) &&
                       pmpi.Comm_create_keyval(copy_nothing, Communicator::forget, &now.keyval, nullptr) == MPI_SUCCESS;
  if (!everywhere<1>({has_all})[0]) {
    say("the MPI library gives no communicator or no attribute key; the program runs natively");
    if (now.world_rank == 0) record_explained();
    return;
  }
  learn_refused_aliases();
  now.running = true;
}

void before_finalize() {
  State& now = state();
  if (!now.running) return;
  now.running = false;
  publish_run_record();
  // MPI_Finalize deletes the attributes of communicators that live on, when it is too late to free anything of theirs.
  const std::lock_guard lock(now.guard);
  now.communicators.clear();
}

void before_free(MPI_Comm comm) {
  if (state().running) Communicator::before_free(comm);
}

void count(int operation, MPI_Comm comm) {
  if (!state().running) return;
  if (Communicator* communicator = Communicator::of(comm)) communicator->count(operation);
}

int carry_out(const Call& call) {
  if (!state().running) return call.native(call);
  Communicator* communicator = Communicator::of(call.comm);
  if (communicator == nullptr) return call.native(call);
  const Communicator::Known* known = communicator->know(call);
  if (known == nullptr) {
    communicator->pass(call.collective);
    return call.native(call);
  }
  return known->context->carry_out(call, known->facts, *communicator);
}

}  // namespace starling
