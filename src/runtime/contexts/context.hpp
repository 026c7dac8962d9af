#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "knowledge/run_record.hpp"
#include "runtime/call/call.hpp"
#include "runtime/call/facts.hpp"
#include "runtime/execution/ways/carrier.hpp"
#include "topology/nodes.hpp"
#include "tuning/tuner.hpp"
#include "ways/way.hpp"

namespace starling {

class Communicator;

/// One call key on one communicator: the ways to carry its calls out, and the tuner that chooses among them. Way i is
/// the tuner's candidate i.
class Context {
 public:
  /// Collective: ranks find out together whether their own algorithms can be used.
  Context(const Facts& facts, Communicator& communicator);

  /// Carries out one call in the way that the tuner names, and lets it learn. Returns an MPI error code, of which the
  /// application's error handler knows. It may have freed the communicator: then this is gone.
  int carry_out(const Call& call, const Facts& facts, Communicator& communicator);

  [[nodiscard]] const CallKey& key() const { return key_; }
  [[nodiscard]] std::int64_t calls() const { return tuner_->calls(); }
  /// How many ways there are.
  [[nodiscard]] std::size_t ways() const { return ways_.size(); }
  /// Adds what happened here to the record of the same call key, which has the same ways in the same order.
  void add_to(ContextRecord& record) const;
  /// What happened, all ways with names, parameters and reasons.
  [[nodiscard]] ContextRecord record() const;
  /// A record that has the call key and nothing else.
  [[nodiscard]] ContextRecord key_record() const;

 private:
  struct Result {
    int error;
    bool told;    ///< the application's error handler knows of the error
    bool served;  ///< by the way that was asked for
  };
  Result run(int way, const Call& call, const Facts& facts, Communicator& communicator);
  void conclude(const Tuner::Turn& turn, double end, Communicator& communicator);
  ContextRecord told(std::span<const int> which) const;

  CallKey key_;
  Collective collective_;
  int ranks_;
  Spread spread_;
  std::unique_ptr<const std::vector<Way>> own_;     ///< null where all ways of the collective are the context's
  std::span<const Way> ways_;                       ///< of all or of `own_`
  std::vector<std::unique_ptr<Carrier>> carriers_;  ///< of each way; null for those that were never used, or have lost
  std::unique_ptr<Tuner> tuner_;
};

}  // namespace starling
