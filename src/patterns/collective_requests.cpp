#include "patterns/collective_requests.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "patterns/collective_call.hpp"
#include "patterns/in_flight.hpp"
#include "patterns/native_calls.hpp"
#include "runtime/call/facts.hpp"
#include "runtime/contexts/candidates.hpp"
#include "runtime/contexts/setup.hpp"
#include "runtime/execution/ways/carrier.hpp"
#include "runtime/execution/ways/schedule_carrier.hpp"
#include "runtime/job/job.hpp"
#include "runtime/mpi/gpu.hpp"
#include "runtime/mpi/patience.hpp"
#include "runtime/mpi/pmpi.hpp"
#include "runtime/mpi/workspace.hpp"
#include "ways/way.hpp"

namespace starling::patterns {
namespace {

/// Whether a call that goes this way may be begun and left: memory that ranks share carries one call at a time, and
/// where sizes go before the blocks there is more to do than to advance.
bool may_be_split(const Way& way) {
  return way.scheduled() != nullptr && !way.shares_memory() && !way.scheduled()->learns_sizes();
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
    for (Patience patience; !complete_ && !in_flight().advance(running_);) patience.wait_in_mpi();
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
    Patience patience;
    while (!in_flight().are_none()) {
      int done = 0;
      const int error = pmpi.Test(&request_, &done, MPI_STATUS_IGNORE);
      if (error != MPI_SUCCESS || done != 0) return error;
      in_flight().advance(nullptr);
      patience.wait_in_mpi();
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
