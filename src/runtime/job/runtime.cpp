#include "runtime/job/runtime.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "knowledge/explained.hpp"
#include "knowledge/names.hpp"
#include "runtime/call/checks.hpp"
#include "runtime/contexts/communicator.hpp"
#include "runtime/contexts/setup.hpp"
#include "runtime/execution/library_selection.hpp"
#include "runtime/execution/segment.hpp"
#include "runtime/job/agreement.hpp"
#include "runtime/job/job.hpp"
#include "runtime/job/network.hpp"
#include "runtime/job/run_report.hpp"
#include "runtime/mpi/clock.hpp"
#include "runtime/mpi/control_variables.hpp"
#include "runtime/mpi/features.hpp"
#include "runtime/mpi/patience.hpp"
#include "runtime/mpi/pmpi.hpp"
#include "runtime/mpi/process.hpp"

namespace starling {
namespace {

/// A duplicate of a communicator does not inherit the attribute: it has its own state.
int copy_nothing(MPI_Comm /*comm*/, int /*keyval*/, void* /*extra*/, void* /*from*/, void* /*into*/, int* flag) {
  *flag = 0;
  return MPI_SUCCESS;
}

/// A private communicator of all ranks. Created by a call whose messages match no other MPI call: if a rank lacks this
/// library, the others wait for it, and it receives none of their messages by mistake.
MPI_Comm private_world() {
  MPI_Comm made = handles.comm_null;
  MPI_Group group{};
  pmpi.Comm_group(handles.comm_world, &group);
  pmpi.Comm_create_group(handles.comm_world, group, 0, &made);
  pmpi.Group_free(&group);
  if (made != handles.comm_null) pmpi.Comm_set_errhandler(made, handles.errors_return);
  return made;
}

/// The tuning table of the settings; every rank reads the same text, and knows the same ways.
void set_table(Setup& now) {
  if (now.settings.table.empty()) return;
  now.table = TuningTable::from_json(now.settings.table);
  if (const std::string unknown = now.table->forget_unknown(); !unknown.empty()) print_notice(unknown);
  now.size_edges = now.table->size_edges();
}

/// The largest tag of Starling's own messages.
int largest_tag() {
  int* largest = nullptr;
  int found = 0;
  pmpi.Comm_get_attr(handles.comm_world, MPI_TAG_UB, static_cast<void*>(&largest), &found);
  return found != 0 ? *largest : 32767;  // the least that the standard allows
}

/// Asked in MPI_Init: the program may disconnect from its parents.
bool was_spawned() {
  if (!STARLING_HAS_SPAWN) return false;
  MPI_Comm parent = handles.comm_null;
  return pmpi.Comm_get_parent(&parent) == MPI_SUCCESS && parent != handles.comm_null;
}

/// Creates a private communicator of this rank only. False if MPI has none left.
bool make_private_self(MPI_Comm& self) {
  MPI_Group group{};
  pmpi.Comm_group(handles.comm_self, &group);
  const int error = pmpi.Comm_create(handles.comm_self, group, &self);
  pmpi.Group_free(&group);
  return error == MPI_SUCCESS && pmpi.Comm_set_errhandler(self, handles.errors_return) == MPI_SUCCESS;
}

}  // namespace

void before_init() {
  const auto environment = [](const char* name) -> const char* { return std::getenv(name); };
  if (may_want_library_algorithms(environment)) prepare_library_selection();
}

void after_init() {
  Setup& now = setup();
  job().started = std::chrono::system_clock::now();
  job().started_wtime = pmpi.Wtime();
  pmpi.Comm_rank(handles.comm_world, &process().rank);
  pmpi.Comm_size(handles.comm_world, &process().size);
  process().world = private_world();
  if (process().world == handles.comm_null) {
    print_notice("the MPI library gives no communicator; the program runs natively, and leaves no run record");
    if (process().rank == 0) record_explained();
    return;
  }
  process().self = handles.comm_null;
  const bool has_all = !is_fault_tolerant() && make_private_self(process().self) &&
                       pmpi.Comm_create_keyval(copy_nothing, Communicator::forget, &now.keyval, nullptr) == MPI_SUCCESS;
  Agreement agreed = agree_in_init(has_all);
  if (!agreed.ends_whole) {
    print_notice("MPI's fault tolerance is on; the program runs natively, and leaves no run record");
    if (process().rank == 0) record_explained();
    if (now.keyval != MPI_KEYVAL_INVALID) pmpi.Comm_free_keyval(&now.keyval);
    if (process().self != handles.comm_null) pmpi.Comm_free(&process().self);
    pmpi.Comm_free(&process().world);
    return;
  }
  now.settings = std::move(agreed.settings);
  Segment::share_at_most(static_cast<std::size_t>(now.settings.shared_memory) << 20U);
  now.nodes = std::move(agreed.nodes);
  now.domains = std::move(agreed.domains);
  now.sharing = std::move(agreed.sharing);
  process().some_share = std::find(now.sharing.begin(), now.sharing.end(), 1) != now.sharing.end();
  process().shares = now.sharing[static_cast<std::size_t>(process().rank)] != 0;
  wait_patiently();
  if (!agreed.has_all) {
    print_notice("the MPI library gives no communicator or no attribute key; the program runs natively");
    if (process().rank == 0) record_explained();
    return;
  }
  process().largest_tag = largest_tag();
  process().concurrent = !agreed.is_serialized;
  now.earlier = std::move(agreed.earlier);
  const auto strategy = strategy_named(now.settings.strategy);
  now.strategy = strategy->first;
  now.strategy_argument = strategy->second;
  set_table(now);
  set_platform(now);
  Clock::calibrate();
  if (now.settings.profile) {
    now.profile = std::make_unique<Profile>();
    if (process().rank == 0 && !process().concurrent) now.profile->order.emplace();
  }
  now.latest = LatestCollective(Clock::now());
  job().is_spawned = was_spawned();
  set_network(now);
  probe_checks();
  begin_checkpoints();
  now.own_seconds = pmpi.Wtime() - job().started_wtime - now.probe_seconds.value_or(0);
  job().running = true;
}

void before_finalize() {
  if (!job().running) return;
  job().running = false;
  publish_run_record();
  // MPI_Finalize deletes the attributes of the remaining communicators, but it is then too late to free their
  // resources.
  const std::scoped_lock lock(setup().guard);
  setup().communicators.clear();
  stop_control_variables();
}

Freeing::Freeing(const MPI_Comm* comm) {
  if (comm == nullptr || !job().running) return;
  handle_ = comm;
  comm_ = *comm;
  refused_ = Communicator::before_free(*comm);
}

Freeing::~Freeing() {
  if (handle_ != nullptr && !refused_) Communicator::after_free(comm_, *handle_ != handles.comm_null);
}

std::optional<int> count(int operation, MPI_Comm comm) {
  std::optional<int> refused;
  if (!job().running) return refused;
  if (Communicator* communicator = Communicator::of(comm, refused)) communicator->count_pass_through(operation);
  return refused;
}

int carry_out(const Call& call) {
  if (!job().running) return call.native(call);
  std::optional<int> refused;
  Communicator* communicator = Communicator::of(call.comm, refused);
  if (communicator == nullptr) return refused ? *refused : call.native(call);
  std::optional<Call> whole;
  const Communicator::FoundCall* known = communicator->look_up(call, whole);
  if (known == nullptr) {
    communicator->count_pass_through(call.collective);
    return call.native(call);
  }
  return known->context->carry_out(whole ? *whole : call, known->facts, *communicator);
}

}  // namespace starling
