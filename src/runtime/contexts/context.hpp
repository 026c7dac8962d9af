#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "knowledge/run_record.hpp"
#include "messages/interned.hpp"
#include "profile/profile_sum.hpp"
#include "profile/sampled_calls.hpp"
#include "runtime/call/call.hpp"
#include "runtime/call/facts.hpp"
#include "runtime/execution/ways/carrier.hpp"
#include "topology/nodes.hpp"
#include "tuning/tuner.hpp"
#include "ways/way.hpp"

namespace starling {

class Communicator;

/// One call key on one communicator: the ways to carry out its calls, and the tuner that chooses among them. Way i is
/// the tuner's candidate i.
class Context {
 public:
  /// Collective: it may open the communicator's channel, and rank 0 may tell the others how to make the first call.
  /// With `chosen`, calls go by that way or, where it can't serve, natively; else by the run's strategy.
  Context(const Facts& facts, Communicator& communicator, const std::optional<Way>& chosen);

  /// Carries out one call in the way that the tuner proposes, and gives the tuner its time. Returns an MPI error code,
  /// after the application's error handler was called. If the handler freed the communicator, this object is gone.
  int carry_out(const Call& call, const Facts& facts, Communicator& communicator);

  /// Frees what its ways hold, until they are used again. Collective.
  void release(Communicator& communicator);

  /// The communicator is being freed: no more calls are carried out.
  void leave_only_what_happened();

  [[nodiscard]] const CallKey& key() const { return key_; }
  /// Why the way that was chosen can't serve; empty if it can.
  [[nodiscard]] const Interned& refusal_of_chosen() const;
  [[nodiscard]] std::int64_t calls() const { return tuner_->calls(); }
  /// How many ways there are.
  [[nodiscard]] std::size_t ways() const { return static_cast<std::size_t>(ways_); }
  /// Adds what happened here to a record of the same call key, with the same ways in the same order. `key` is
  /// key_record(), by which that record was found; it is written over.
  void add_to(ContextRecord& record, ContextRecord& key) const;
  /// What happened, with the names, parameters and reasons of all ways.
  [[nodiscard]] ContextRecord record() const;
  /// Adds what this rank did here to a profile, if the run has one. `calls` tells which rank this is.
  void add_to(ProfileSum& profile, CallsOfRank calls) const;
  /// A record with the call key only.
  [[nodiscard]] ContextRecord key_record() const;

 private:
  struct Result {
    int error;
    bool reported;       ///< the application's error handler was called for the error
    bool served;         ///< by the requested way
    double setup_s = 0;  ///< Carrier::Outcome
  };
  /// The carrier of a way, which is not null.
  struct Used {
    int way;
    std::unique_ptr<Carrier> carrier;
  };
  /// What a profiled run keeps of the calls, besides what the tuner keeps.
  struct Profiled {
    SampledCalls sampled;
    double seconds = 0;
    double moved = 0;  ///< bytes, where the call key has none
    int in_order = -1;
  };
  void follow(double start, double end, bool synchronises, const Communicator& communicator);
  void profile(double start, double end, double before, double work);
  Result run(int way, const Call& call, const Facts& facts, Communicator& communicator);
  void meet(Communicator& communicator);
  [[nodiscard]] Carrier* carrier_of(int way) const;
  Carrier& make_carrier(int way);
  void delete_carrier(int way);
  [[nodiscard]] const Way& way(int number) const { return (*all_)[static_cast<std::size_t>(number)]; }
  [[nodiscard]] bool was_deleted_at_rest(int way) const { return rested_ && (*rested_)[static_cast<std::size_t>(way)]; }
  [[nodiscard]] bool rests(int way) const;
  void wake(const Tuner::Turn& turn, const Call& call, const Facts& facts, Communicator& communicator);
  void let_rest(const Tuner::Turn& turn, Communicator& communicator);
  void conclude(const Tuner::Turn& turn, double end, Communicator& communicator);
  void fill_in(ContextRecord& record, std::span<const int> which) const;

  CallKey key_;
  Collective collective_;
  int ranks_;
  Spread spread_;
  int ways_ = 0;                                 ///< the first of `all_`
  std::shared_ptr<const std::vector<Way>> all_;  ///< those there are, or the context's own
  /// Of those ways but native that were used, and not released since, or deleted as they rested: few of many. In the
  /// order of ways.
  std::vector<Used> carriers_;
  std::unique_ptr<std::vector<bool>>
      rested_;  ///< of each way: its carrier was deleted as it rested; null while none was
  std::unique_ptr<Tuner> tuner_;
  std::unique_ptr<Profiled> profiled_;  ///< null in a run that is not profiled
  double agreed_at_ = 0;                ///< by Clock, when the ranks agreed last; 0 if never
  bool keeps_trying_ = false;           ///< StrategyKind
  bool any_rests_ = false;              ///< some way may rest
  bool have_met_ = false;               ///< the ranks, to agree that something other than native can serve
};

}  // namespace starling
