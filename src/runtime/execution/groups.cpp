#include "runtime/execution/groups.hpp"

#include <algorithm>
#include <atomic>

#include "runtime/execution/library_selection.hpp"
#include "runtime/mpi/pmpi.hpp"
#include "runtime/mpi/process.hpp"

namespace starling {
namespace {

/// How many communicators of groups a rank may hold. MPICH has 2046 in all, and the application may need most of them.
constexpr std::size_t most_private_communicators = 128;

/// How many of them this rank holds now, on all communicators.
std::atomic<std::size_t> private_communicators{0};

void free_one(MPI_Comm comm) {
  pmpi.Comm_free(&comm);
  --private_communicators;
}

/// A communicator of `group`, made while the algorithms of communicator `number` are selected; MPI_COMM_NULL if MPI
/// has none left.
MPI_Comm made(const RankSet& group, const Channel& channel, int number) {
  std::vector<int> ranks;
  for (int i = 0; i < group.size(); ++i) ranks.push_back(channel.peers()[group.rank(i)]);
  MPI_Group everyone{};
  MPI_Group some{};
  MPI_Comm made = handles.comm_null;
  pmpi.Comm_group(process().world, &everyone);
  pmpi.Group_incl(everyone, group.size(), ranks.data(), &some);
  const SelectionOfCommunicator wanted =
      number == Groups::ordinary ? SelectionOfCommunicator() : selection_of_communicator(number);
  if (auto selection = Selection::of(wanted.settings)) {
    const Selection::Switch selected(*selection);
    if (pmpi.Comm_create_group(process().world, some, channel.number(), &made) != MPI_SUCCESS) made = handles.comm_null;
  }
  pmpi.Group_free(&some);
  pmpi.Group_free(&everyone);
  if (made == handles.comm_null || wanted.component.empty()) return made;
  MPI_Info info{};
  MPI_Comm preferring = handles.comm_null;
  pmpi.Info_create(&info);
  pmpi.Info_set(info, "ompi_comm_coll_preference", wanted.component.c_str());
  if (pmpi.Comm_dup_with_info(made, info, &preferring) != MPI_SUCCESS) preferring = handles.comm_null;
  pmpi.Info_free(&info);
  pmpi.Comm_free(&made);
  return preferring;
}

}  // namespace

Groups::~Groups() {
  for (const Held& one : held_)
    if (one.comm != handles.comm_null) free_one(one.comm);
}

bool Groups::may_make(std::size_t groups) {
  return private_communicators + groups <= most_private_communicators;
}

std::vector<Groups::Held>::const_iterator Groups::find(const RankSet& group, int number) const {
  return std::find_if(held_.begin(), held_.end(),
                      [&](const Held& one) { return one.group == group && one.number == number; });
}

bool Groups::has(const RankSet& group, int number) const {
  return find(group, number) != held_.end();
}

std::optional<MPI_Comm> Groups::of(const RankSet& group) const {
  const auto held = find(group);
  if (held == held_.end() || held->comm == handles.comm_null) return std::nullopt;
  return held->comm;
}

std::optional<MPI_Comm> Groups::join(const RankSet& group, const Channel& channel, int number) {
  auto held = held_.begin() + (find(group, number) - held_.cbegin());
  if (held == held_.end()) {
    const MPI_Comm comm = made(group, channel, number);
    held = held_.insert(held_.end(), {group, number, comm, 0});
    if (comm != handles.comm_null) {
      pmpi.Comm_set_errhandler(comm, handles.errors_return);  // not every library inherits it
      ++private_communicators;
    }
  }
  ++held->holders;
  if (held->comm == handles.comm_null) return std::nullopt;
  return held->comm;
}

void Groups::leave(const RankSet& group, int number) {
  const auto held = held_.begin() + (find(group, number) - held_.cbegin());
  if (held == held_.end() || --held->holders > 0) return;
  if (held->comm != handles.comm_null) free_one(held->comm);
  held_.erase(held);
}

}  // namespace starling
