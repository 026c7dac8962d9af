// Operations in flight: schedules of every collective below are started, several at once, and advanced in an order that
// each rank draws for itself. Linked with the runtime, without its entry points. Prints how many were right.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <vector>

#include "algorithms/candidate.hpp"
#include "runtime/call/facts.hpp"
#include "runtime/execution/operation.hpp"
#include "runtime/execution/resources.hpp"
#include "runtime/mpi/pmpi.hpp"
#include "runtime/mpi/process.hpp"

namespace starling {
namespace {

constexpr std::size_t most_in_flight = 6;
constexpr int root = 1;

/// A call of one collective on ints, with buffers of its own.
struct Case {
  Call call;
  std::vector<int> send;
  std::vector<int> recv;
  std::vector<int> expected;
};

int native(const Call& call) {
  const auto count = static_cast<int>(call.sendcount);
  switch (call.collective) {
    case Collective::allreduce: return MPI_Allreduce(call.sendbuf, call.recvbuf, count, MPI_INT, call.op, call.comm);
    case Collective::reduce:
      return MPI_Reduce(call.sendbuf, call.recvbuf, count, MPI_INT, call.op, call.root, call.comm);
    case Collective::bcast: return MPI_Bcast(call.recvbuf, count, MPI_INT, call.root, call.comm);
    case Collective::allgather:
      return MPI_Allgather(call.sendbuf, count, MPI_INT, call.recvbuf, count, MPI_INT, call.comm);
    case Collective::alltoall:
      return MPI_Alltoall(call.sendbuf, count, MPI_INT, call.recvbuf, count, MPI_INT, call.comm);
    case Collective::barrier: return MPI_Barrier(call.comm);
    default: return MPI_ERR_INTERN;
  }
}

std::unique_ptr<Case> make_case(Collective collective, int count, int number) {
  const Process& here = process();
  auto made = std::make_unique<Case>();
  const bool sends_all = collective == Collective::alltoall;
  const bool receives_all = sends_all || collective == Collective::allgather;
  made->send.resize(static_cast<std::size_t>(count * (sends_all ? here.size : 1)));
  for (std::size_t i = 0; i < made->send.size(); ++i)
    made->send[i] = (1000 * number) + (100 * here.rank) + static_cast<int>(i);
  made->recv.assign(static_cast<std::size_t>(count * (receives_all ? here.size : 1)), -1);
  if (collective == Collective::bcast && here.rank == root) made->recv = made->send;
  Call& call = made->call;
  call.collective = collective;
  call.comm = MPI_COMM_WORLD;
  call.native = native;
  if (collective != Collective::barrier) {
    call.sendbuf = collective == Collective::bcast ? nullptr : made->send.data();
    call.sendcount = count;
    call.recvcount = count;
    call.sendtype = call.recvtype = MPI_INT;
    if (reduces(collective)) call.op = MPI_SUM;
    if (rooted(collective)) call.root = root;
  }
  made->expected = made->recv;
  call.recvbuf = made->expected.data();
  native(call);
  call.recvbuf = made->recv.data();
  return made;
}

/// An operation in flight with all that lives as long.
struct InFlight {
  std::unique_ptr<Case> work;
  std::unique_ptr<Plans> plans;
  bool has_groups = false;  ///< it calls the MPI library's collectives on groups
  Workspace workspace;
  Operation operation;
  std::string name;
};

std::unique_ptr<InFlight> start(const Bound& bound, std::unique_ptr<Case> work, const Facts& facts,
                                Resources& resources) {
  auto started = std::make_unique<InFlight>();
  started->name = std::string(name_of(bound.collective)) + ":" + bound.name();
  started->work = std::move(work);
  const Call& call = started->work->call;
  const Team team = bound.team(facts.situation, resources.rank(), call.root);
  started->plans = std::make_unique<Plans>(bound);
  Staging& staging = started->operation.staging();
  staging.set_up(call, facts, team.blocks(), team.rank, bound.works_in_place());
  bool built = false;
  Plan& plan = started->plans->plan(team, staging.send_layout(), staging.recv_layout(), false, built);
  for (const NativePart& part : plan.program.natives) plan.natives.push_back(resources.groups().of(part.group).value());
  started->has_groups = !plan.program.natives.empty();
  started->operation.set_plan(plan);
  if (!started->operation.reserve(started->workspace)) MPI_Abort(MPI_COMM_WORLD, 2);
  started->operation.start(*resources.channel(), call.op);
  return started;
}

/// Makes the communicators that a candidate's native parts need, as ranks do together at its first call.
void join_groups(const Bound& bound, int of_root, const Facts& facts, Resources& resources) {
  const Schedule schedule = bound.schedule(bound.team(facts.situation, resources.rank(), of_root));
  for (const Round& round : schedule.rounds())
    if (round.sub() != nullptr) static_cast<void>(resources.join(round.sub()->group));
}

struct Tally {
  int right = 0;
  int wrong = 0;
  std::size_t most = 0;  ///< in flight at once
};

class Run {
 public:
  explicit Run(Resources& resources) : resources_(resources), own_(static_cast<unsigned>(process().rank)) {}

  /// What ranks do together: the right results, communicators of groups. Nobody advances operations meanwhile.
  void prepare(Collective collective, int count) {
    for (const Bound& bound : candidates(collective, process().size)) {
      auto work = make_case(collective, count, ++number_);
      Facts facts{};
      if (!facts_of(work->call, process().size, process().rank, facts)) MPI_Abort(MPI_COMM_WORLD, 3);
      if (!bound.refusal(facts.situation).empty()) continue;
      join_groups(bound, work->call.root, facts, resources_);
      prepared_.push_back({bound, std::move(work), facts});
    }
  }

  /// Starts all that was prepared. No rank waits for another to start. Of those that share communicators of groups one
  /// is in flight at a time, for MPI wants collectives of a communicator in the same order on all ranks.
  Tally start_all() {
    for (Prepared& one : prepared_) {
      while (has_groups(one) &&
             std::any_of(in_flight_.begin(), in_flight_.end(), [](const auto& other) { return other->has_groups; }))
        advance_some();
      in_flight_.push_back(start(one.bound, std::move(one.work), one.facts, resources_));
      tally_.most = std::max(tally_.most, in_flight_.size());
      while (in_flight_.size() >= most_in_flight) advance_some();
    }
    while (!in_flight_.empty()) advance_some();
    return tally_;
  }

 private:
  struct Prepared {
    Bound bound;
    std::unique_ptr<Case> work;
    Facts facts;
  };

  [[nodiscard]] bool has_groups(const Prepared& one) const {
    const Schedule schedule =
        one.bound.schedule(one.bound.team(one.facts.situation, resources_.rank(), one.work->call.root));
    return std::any_of(schedule.rounds().begin(), schedule.rounds().end(),
                       [](const Round& round) { return round.sub() != nullptr; });
  }

  /// Any one of them: a rank may wait for one that another rank has not advanced for long.
  void advance_some() {
    const std::size_t which = own_() % in_flight_.size();
    InFlight& one = *in_flight_[which];
    if (!one.operation.advance()) return;
    const bool is_right = one.operation.error() == MPI_SUCCESS && one.work->recv == one.work->expected;
    ++(is_right ? tally_.right : tally_.wrong);
    if (!is_right) std::printf("rank %d: %s is wrong\n", process().rank, one.name.c_str());
    in_flight_.erase(in_flight_.begin() + static_cast<std::ptrdiff_t>(which));
  }

  Resources& resources_;
  std::mt19937 own_;
  std::vector<Prepared> prepared_;
  std::vector<std::unique_ptr<InFlight>> in_flight_;
  Tally tally_;
  int number_ = 0;
};

}  // namespace
}  // namespace starling

int main(int argc, char** argv) {
  using namespace starling;
  MPI_Init(&argc, &argv);
  resolve_pmpi();
  Process& here = process();
  MPI_Comm_rank(MPI_COMM_WORLD, &here.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &here.size);
  MPI_Comm_dup(MPI_COMM_WORLD, &here.world);
  MPI_Comm_dup(MPI_COMM_SELF, &here.self);
  MPI_Comm_set_errhandler(here.self, MPI_ERRORS_RETURN);
  int* largest_tag = nullptr;
  int found = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&largest_tag), &found);
  here.largest_tag = *largest_tag;
  {
    Resources resources(MPI_COMM_WORLD, here.rank, here.size);
    if (resources.channel() == nullptr) MPI_Abort(MPI_COMM_WORLD, 1);
    Run run(resources);
    constexpr std::array counts{1, 1000, 40000};
    constexpr std::array collectives{Collective::allreduce, Collective::reduce,   Collective::bcast,
                                     Collective::allgather, Collective::alltoall, Collective::barrier};
    for (const int count : counts)
      for (const Collective collective : collectives) run.prepare(collective, count);
    const Tally mine = run.start_all();
    int right = 0;
    int wrong = 0;
    int most = static_cast<int>(mine.most);
    MPI_Reduce(&mine.right, &right, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&mine.wrong, &wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (here.rank == 0) std::printf("%d right, %d wrong, %d at once\n", right, wrong, most);
  }
  MPI_Comm_free(&here.self);
  MPI_Comm_free(&here.world);
  MPI_Finalize();
  return 0;
}
