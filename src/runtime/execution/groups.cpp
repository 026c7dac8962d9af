#include "runtime/execution/groups.hpp"

#include <algorithm>
#include <atomic>

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

}  // namespace

Groups::~Groups() {
  for (const Held& one : held_)
    if (one.comm != handles.comm_null) free_one(one.comm);
}

bool Groups::may_make(std::size_t groups) {
  return private_communicators + groups <= most_private_communicators;
}

std::vector<Groups::Held>::const_iterator Groups::find(const RankSet& group) const {
  return std::find_if(held_.begin(), held_.end(), [&](const Held& one) { return one.group == group; });
}

bool Groups::has(const RankSet& group) const {
  return find(group) != held_.end();
}

std::optional<MPI_Comm> Groups::of(const RankSet& group) const {
  const auto held = find(group);
  if (held == held_.end() || held->comm == handles.comm_null) return std::nullopt;
  return held->comm;
}

std::optional<MPI_Comm> Groups::join(const RankSet& group, const Channel& channel) {
  auto held = held_.begin() + (find(group) - held_.cbegin());
  if (held == held_.end()) {
    std::vector<int> ranks;
    for (int i = 0; i < group.size(); ++i) ranks.push_back(channel.peers()[group.rank(i)]);
    MPI_Group everyone{};
    MPI_Group some{};
    MPI_Comm made = handles.comm_null;
    pmpi.Comm_group(process().world, &everyone);
    pmpi.Group_incl(everyone, group.size(), ranks.data(), &some);
    if (pmpi.Comm_create_group(process().world, some, channel.number(), &made) != MPI_SUCCESS) made = handles.comm_null;
    pmpi.Group_free(&some);
    pmpi.Group_free(&everyone);
    held = held_.insert(held_.end(), {group, made, 0});
    if (made != handles.comm_null) {
      pmpi.Comm_set_errhandler(made, handles.errors_return);  // not every library inherits it
      ++private_communicators;
    }
  }
  ++held->holders;
  if (held->comm == handles.comm_null) return std::nullopt;
  return held->comm;
}

void Groups::leave(const RankSet& group) {
  const auto held = held_.begin() + (find(group) - held_.cbegin());
  if (held == held_.end() || --held->holders > 0) return;
  if (held->comm != handles.comm_null) free_one(held->comm);
  held_.erase(held);
}

}  // namespace starling
