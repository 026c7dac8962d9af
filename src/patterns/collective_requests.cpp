#include "patterns/collective_requests.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "patterns/native_calls.hpp"
#include "runtime/call/facts.hpp"
#include "runtime/contexts/context.hpp"
#include "runtime/contexts/setup.hpp"
#include "runtime/execution/ways/carrier.hpp"
#include "runtime/execution/ways/schedule_carrier.hpp"
#include "runtime/job/job.hpp"
#include "runtime/mpi/gpu.hpp"
#include "runtime/mpi/pmpi.hpp"
#include "runtime/mpi/workspace.hpp"
#include "ways/way.hpp"

namespace starling::patterns {
namespace {

/// A call with arrays of its own.
struct OwnCall {
  Call call;
  std::array<std::vector<int>, 4> arrays;  ///< counts to send, to receive, displacements of both

  OwnCall(const Call& of, int ranks) : call(of) {
    const auto own = [&](const void*& values, std::vector<int>& array) {
      if (values == nullptr) return;
      array.assign(static_cast<const int*>(values), static_cast<const int*>(values) + ranks);
      values = array.data();
    };
    own(call.sendcounts.values, arrays[0]);
    own(call.recvcounts.values, arrays[1]);
    own(call.sdispls.values, arrays[2]);
    own(call.rdispls.values, arrays[3]);
    call.native = call_natively;
  }
  OwnCall(const OwnCall&) = delete;
  OwnCall& operator=(const OwnCall&) = delete;
  OwnCall(OwnCall&&) = delete;
  OwnCall& operator=(OwnCall&&) = delete;
  ~OwnCall() = default;
};

[[noreturn]] void refuse_map(Collective collective, const char* which, const char* wanted) {
  throw Fault(Error::map, std::string(name_of(collective)) + " needs a " + which + " vector with " + wanted);
}

/// The call that vectors and their maps stand for.
Call call_of(Collective collective, const Data& data) {
  const Traits& has = traits_of(collective);
  const Topology& topology = *data.topology;
  const bool is_root = topology.rank() == data.root;
  if (has.root != Root::none && (data.root < 0 || data.root >= topology.ranks()))
    throw Fault(Error::argument, "the root is rank " + std::to_string(data.root) + ", and there are " +
                                     std::to_string(topology.ranks()) + " ranks");
  Call call{.collective = collective, .op = handles.op_null, .root = data.root, .comm = topology.comm()};
  if (collective == Collective::barrier) return call;
  if (collective == Collective::alltoallw || collective == Collective::reduce_scatter)
    throw Fault(Error::function_set,
                std::string(name_of(collective)) + " cannot be made of vectors; call MPI's function");
  if (!data.send || !data.receive)
    throw Fault(Error::vector, std::string(name_of(collective)) + " needs a send and a receive vector");
  const Vector& send = *data.send;
  const Vector& receive = *data.receive;
  const Vector& typed = send.is_in_place() ? receive : send;
  if (receive.is_in_place()) refuse_map(collective, "receive", "data; only the send vector may be in place");
  call.sendbuf = send.data();
  call.recvbuf = receive.data();
  call.sendtype = typed.shape().type;
  call.recvtype = receive.shape().type;
  const auto ranks = topology.ranks();
  if (has.reduces) {
    for (const Vector* one : {&receive, &send})
      if (one->map().kind == Map::Kind::reduced) call.op = one->map().op;
    if (call.op == handles.op_null) refuse_map(collective, "send or receive", "a map of an operator");
    if (collective == Collective::reduce_scatter_block) {
      call.recvcount = receive.elements();
      if (typed.elements() != receive.elements() * ranks)
        throw Fault(Error::extents, "the send vector needs as many elements for each rank as the receive vector has");
      return call;
    }
    call.sendcount = typed.elements();
    // In the root's place only: elsewhere the vector is what is sent.
    if (collective == Collective::reduce && send.is_in_place() && !is_root) call.sendbuf = receive.data();
    if ((has.root == Root::none || is_root) && receive.elements() < typed.elements())
      throw Fault(Error::extents, "the receive vector is smaller than the send vector");
    return call;
  }
  if (has.send == Holds::vector) {  // bcast
    call.recvbuf = typed.data();
    call.sendcount = typed.elements();
    return call;
  }
  const auto list_of = [&](const Vector& vector, const char* which) -> const Map& {
    if (vector.map().kind != Map::Kind::list || std::ssize(vector.map().counts) != ranks)
      refuse_map(collective, which, "a list of counts and displacements, one for each rank");
    for (std::size_t i = 0; i < vector.map().counts.size(); ++i) {
      const std::int64_t end = std::int64_t{vector.map().displacements[i]} + vector.map().counts[i];
      if (vector.map().counts[i] < 0 || vector.map().displacements[i] < 0 || end > vector.elements())
        throw Fault(Error::extents,
                    std::string("the list of the ") + which + " vector reaches beyond it at rank " + std::to_string(i));
    }
    return vector.map();
  };
  /// Elements for each rank.
  const auto share_of = [&](const Vector& vector, int Map::*count, const char* which) -> std::int64_t {
    const std::int64_t share = vector.map().kind == Map::Kind::counts ? vector.map().*count : vector.elements() / ranks;
    if (share * ranks > vector.elements())
      throw Fault(Error::extents, std::string("the ") + which + " vector has " + std::to_string(vector.elements()) +
                                      " elements, and " + std::to_string(share) + " for each of " +
                                      std::to_string(ranks) + " ranks are more");
    return share;
  };
  const bool lists = has.sizes != Sizes::alike;
  if (has.send == Holds::block) {
    call.sendcount = send.is_in_place() ? 0 : send.elements();
  } else if (!send.is_in_place() && (has.root != Root::gives || is_root)) {
    if (lists) {
      const Map& map = list_of(send, "send");
      call.sendcounts.values = map.counts.data();
      call.sdispls.values = map.displacements.data();
    } else {
      call.sendcount = share_of(send, &Map::send, "send");
    }
  }
  if (has.recv == Holds::block) {
    call.recvcount = receive.elements();
  } else if (has.root != Root::takes || is_root) {
    if (lists) {
      const Map& map = list_of(receive, "receive");
      call.recvcounts.values = map.counts.data();
      call.rdispls.values = map.displacements.data();
    } else {
      call.recvcount = share_of(receive, &Map::receive, "receive");
    }
  }
  return call;
}

/// A call's facts, with the places of the ranks in them.
Facts facts_on(const Call& call, Topology& topology) {
  Facts facts{};
  if (!facts_of(call, topology.ranks(), topology.rank(), facts)) {
    const std::string start =
        "the MPI library would refuse such a call of MPI_" + std::string(name_of(call.collective));
    if (reduces(call.collective) && call.op == handles.op_null)
      throw Fault(Error::op, start + ": the operator is MPI_OP_NULL");
    if (call.sendtype == handles.datatype_null || call.recvtype == handles.datatype_null)
      throw Fault(Error::datatype, start + ": a datatype is MPI_DATATYPE_NULL");
    throw Fault(Error::argument, start + ": a count, datatype, operator or buffer is wrong");
  }
  facts.situation.places = topology.places();
  facts.situation.tree = topology.tree();
  return facts;
}

/// Whether a call that goes this way may be begun and left: memory that ranks share carries one call at a time.
bool may_be_split(const Way& way) {
  const Bound* const candidate = way.scheduled();
  return candidate != nullptr && !candidate->shares_memory();
}

/// The schedules in flight of nonblocking requests. Each rank may wait for its requests in an order of its own, so who
/// waits for one advances all, as MPI does with its own.
class InFlight {
 public:
  void add(ScheduleCarrier* schedule) {
    const std::lock_guard lock(guard_);
    all_.push_back({schedule, false});
  }
  /// Advances all; whether `schedule`, which need not be one of them, has ended. It is none of them then.
  bool advance(const ScheduleCarrier* schedule) {
    const std::lock_guard lock(guard_);
    for (One& one : all_) one.ended = one.ended || one.schedule->advance();
    return std::erase_if(all_, [&](const One& one) { return one.ended && one.schedule == schedule; }) > 0;
  }
  void remove(const ScheduleCarrier* schedule) {
    const std::lock_guard lock(guard_);
    std::erase_if(all_, [&](const One& one) { return one.schedule == schedule; });
  }
  [[nodiscard]] bool are_none() {
    const std::lock_guard lock(guard_);
    return all_.empty();
  }

 private:
  struct One {
    ScheduleCarrier* schedule;
    bool ended;
  };
  std::mutex guard_;
  std::vector<One> all_;
};

InFlight& in_flight() {
  // Never destroyed: a program may end its requests while its own statics are destroyed.
  static InFlight& only = *new InFlight;
  return only;
}

/// The ways of the repository for one call. Those that only exist as blocking calls are left out of a nonblocking set.
class CollectiveWays final : public Implementations {
 public:
  CollectiveWays(std::unique_ptr<OwnCall> call, std::shared_ptr<Topology> topology, bool nonblocking)
      : own_(std::move(call)),
        topology_(std::move(topology)),
        nonblocking_(nonblocking),
        facts_(facts_on(own_->call, *topology_)) {
    const auto all = ways(own_->call.collective, topology_->ranks());
    const Way* const native = all->data();
    for (const Way& one : *all)
      if (!nonblocking || &one == native || may_be_split(one)) ways_.push_back(one);
    carriers_.resize(ways_.size());
    refusals_.resize(ways_.size());
  }

  ~CollectiveWays() override {
    in_flight().remove(running_);
    release_others(-1);
  }
  CollectiveWays(const CollectiveWays&) = delete;
  CollectiveWays& operator=(const CollectiveWays&) = delete;
  CollectiveWays(CollectiveWays&&) = delete;
  CollectiveWays& operator=(CollectiveWays&&) = delete;

  [[nodiscard]] std::vector<Candidate> candidates() const override {
    std::vector<Candidate> all;
    for (const Way& way : ways_) {
      Candidate& one = all.emplace_back();
      one.name = way.name();
      one.group = way.group();
      one.attributes = way.attributes();
      if (&way != ways_.data() && job().running)
        one.refusal = refusal_here(way, facts_, setup().settings, *setup().strategy);
    }
    return all;
  }
  void describe(ContextRecord& key) const override {
    if (facts_.key.bytes >= 0) key.bytes = facts_.key.bytes;
    key.in_place = facts_.key.in_place;
    if (reduces(own_->call.collective))
      key.operator_class = facts_.key.built_in      ? "built-in"
                           : facts_.key.commutative ? "commutative"
                                                    : "non-commutative";
  }

  std::string refusal(int function) override {
    if (function == 0) return {};
    if (!agreed_on_buffers_) {
      agreed_on_buffers_ = true;
      if (own_->call.collective != Collective::barrier && !setup().settings.host_buffers &&
          !topology_->resources().channel()->all(!has_gpu_runtime()))
        why_none_ = "a rank has a GPU runtime in its process, so that buffers may lie in GPU memory";
    }
    return why_none_.empty() ? refusals_[static_cast<std::size_t>(function)] : why_none_;
  }
  [[nodiscard]] bool splits(int /*function*/) const override { return nonblocking_; }

  int begin(int function, Request& /*request*/) override {
    const auto place = static_cast<std::size_t>(function);
    running_ = nullptr;
    if (!nonblocking_) return refusals_[place].empty() ? carry_out(place) : call_natively(own_->call);
    if (function == 0 || !refusals_[place].empty()) return begin_natively(own_->call, request_);
    auto& carrier = carriers_[place];
    if (!carrier) carrier = std::make_unique<ScheduleCarrier>(*ways_[place].scheduled());
    auto* const schedules = static_cast<ScheduleCarrier*>(carrier.get());
    const Carrier::Outcome outcome = schedules->begin(own_->call, facts_, topology_->resources(), workspace_);
    setup_s_ = outcome.setup_s;
    if (outcome.refused != nullptr) {
      refusals_[place] = *outcome.refused;
      carrier.reset();
      return begin_natively(own_->call, request_);
    }
    running_ = schedules;
    in_flight().add(running_);
    return 0;
  }
  int progress(int /*function*/, Request& /*request*/, bool& complete) override {
    complete_ = complete_ || in_flight().advance(running_);
    if (running_ != nullptr) {
      complete = complete_;
      return 0;
    }
    int done = 0;
    const int error = pmpi.Test(&request_, &done, MPI_STATUS_IGNORE);
    complete = done != 0;
    return error;
  }
  int finish(int /*function*/, Request& /*request*/) override {
    if (running_ == nullptr) return wait_natively();
    while (!complete_) complete_ = in_flight().advance(running_);
    complete_ = false;
    return std::exchange(running_, nullptr)->error();
  }

  double take_setup() override { return std::exchange(setup_s_, 0); }

  void release_others(int kept) final {
    for (std::size_t i = 0; i < carriers_.size(); ++i) {
      if (!carriers_[i] || static_cast<int>(i) == kept) continue;
      carriers_[i]->release(topology_->resources());
      carriers_[i].reset();
    }
  }

 private:
  int wait_natively() {
    for (int done = 0; !in_flight().are_none(); in_flight().advance(nullptr)) {
      const int error = pmpi.Test(&request_, &done, MPI_STATUS_IGNORE);
      if (error != MPI_SUCCESS || done != 0) return error;
    }
    return pmpi.Wait(&request_, MPI_STATUS_IGNORE);
  }
  int carry_out(std::size_t place) {
    auto& carrier = carriers_[place];
    if (!carrier) carrier = carrier_for(ways_[place]);
    const Carrier::Outcome outcome = carrier->carry_out(own_->call, facts_, topology_->resources());
    setup_s_ = outcome.setup_s;
    if (outcome.refused == nullptr) {
      if (outcome.error != MPI_SUCCESS && !outcome.reported) pmpi.Comm_call_errhandler(own_->call.comm, outcome.error);
      return outcome.error;
    }
    refusals_[place] = *outcome.refused;
    carrier.reset();
    return call_natively(own_->call);
  }

  std::unique_ptr<OwnCall> own_;
  std::shared_ptr<Topology> topology_;
  bool nonblocking_;
  Facts facts_;
  double setup_s_ = 0;  ///< of the latest call
  std::vector<Way> ways_;
  std::vector<std::unique_ptr<Carrier>> carriers_;
  std::vector<std::string> refusals_;
  std::string why_none_;
  bool agreed_on_buffers_ = false;
  Workspace workspace_;  ///< of the call in flight
  ScheduleCarrier* running_ = nullptr;
  bool complete_ = false;
  MPI_Request request_ = handles.request_null;
};

class CollectiveSet final : public FunctionSet {
 public:
  CollectiveSet(Collective collective, bool nonblocking, const Call* call)
      : FunctionSet((nonblocking ? "i" : "") + std::string(name_of(collective))),
        collective_(collective),
        nonblocking_(nonblocking),
        predefined_(call == nullptr) {
    if (call != nullptr) call_ = *call;
  }
  [[nodiscard]] bool is_predefined() const override { return predefined_; }
  [[nodiscard]] std::unique_ptr<Implementations> on(const Data& data) const override {
    const Call call = call_ ? *call_ : call_of(collective_, data);
    return std::make_unique<CollectiveWays>(std::make_unique<OwnCall>(call, data.topology->ranks()), data.topology,
                                            nonblocking_);
  }

 private:
  Collective collective_;
  bool nonblocking_;
  bool predefined_;
  std::optional<Call> call_;
};

}  // namespace

std::shared_ptr<FunctionSet> collective_set(Collective collective, bool nonblocking) {
  return std::make_shared<CollectiveSet>(collective, nonblocking, nullptr);
}

std::shared_ptr<FunctionSet> blocking_set(const Call& call) {
  return std::make_shared<CollectiveSet>(call.collective, false, &call);
}

std::shared_ptr<FunctionSet> nonblocking_set(const Call& call) {
  return std::make_shared<CollectiveSet>(call.collective, true, &call);
}

}  // namespace starling::patterns
