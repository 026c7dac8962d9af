#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/candidate.hpp"
#include "knowledge/run_record.hpp"
#include "measurement/samples.hpp"
#include "messages/interned.hpp"
#include "runtime/call/call.hpp"
#include "runtime/call/facts.hpp"
#include "runtime/execution/prepared.hpp"
#include "selection/strategy.hpp"
#include "topology/nodes.hpp"

namespace starling {

class Communicator;

/// The tuning state of one call key on one communicator: its candidates, the strategy, what was measured.
class Context {
 public:
  /// Collective: ranks find out together whether their own algorithms can be used.
  Context(const Facts& facts, Communicator& communicator);

  /// Carries out one call with the candidate that the strategy names, and lets it learn. Returns an MPI error code, of
  /// which the application's error handler knows. It may have freed the communicator: then this is gone.
  int carry_out(const Call& call, const Facts& facts, Communicator& communicator);

  [[nodiscard]] const CallKey& key() const { return key_; }
  [[nodiscard]] std::int64_t calls() const { return calls_; }
  enum class Names : std::uint8_t { told, left_out };
  /// What happened; the candidates, in the order of the brief, with names, parameters and reasons or without.
  [[nodiscard]] ContextRecord record(Names names) const;

 private:
  /// What was measured of a candidate that was tried. Candidate 0 is native and has no algorithm.
  struct Entry {
    std::unique_ptr<Prepared> prepared;  ///< while it is tried or used
    Samples samples;
  };

  /// Seconds in this context.
  struct Spent {
    double all = 0;
    double exploring = 0;
  };

  /// What is kept once candidates were tried, or ranks agreed on anything.
  struct Trying {
    std::vector<double> agreed;
    Samples bookkeeping;            ///< of exploring calls that agreed on nothing
    PhaseRecord exploring;          ///< so far
    Spent told;                     ///< what ranks were told of, of this rank's
    std::optional<Spent> slowest;   ///< from one agreement to the next the longest that a rank took, up to the last
    std::int64_t agreed_calls = 0;  ///< those of the other phase
    double agreed_seconds = 0;      ///< and what agreeing took there
  };

  /// The fields of a record that make its call key.
  [[nodiscard]] ContextRecord key_record() const;
  struct Result {
    int error;
    bool by_library;  ///< which has told the error handler then
  };
  [[nodiscard]] std::string name(std::size_t candidate) const;
  [[nodiscard]] bool eligible(std::size_t candidate) const { return refusals_[candidate].empty(); }
  [[nodiscard]] Entry& entry(std::size_t candidate) {
    std::unique_ptr<Entry>& one = entries_[candidate];
    if (!one) one = std::make_unique<Entry>();
    return *one;
  }
  [[nodiscard]] Trying& trying() {
    if (!trying_) trying_ = std::make_unique<Trying>();
    return *trying_;
  }
  Result run(std::size_t candidate, const Call& call, const Facts& facts, Communicator& communicator);
  void conclude(double start, double end, bool exploring, std::span<const double> local, Communicator& communicator);
  void agree(std::span<const double> local, Communicator& communicator);
  void release_losers(Communicator& communicator);

  CallKey key_;
  Collective collective_;
  int ranks_;
  Spread spread_;
  std::unique_ptr<const Bound> forced_;
  std::span<const Bound> bounds_;   ///< candidates 1, 2, ...: those of the repository, or the one that is forced
  std::vector<Interned> refusals_;  ///< of each candidate; empty for those that may be proposed
  std::vector<std::unique_ptr<Entry>> entries_;  ///< of each candidate; null for those that were never tried
  std::unique_ptr<Strategy> strategy_;
  std::unique_ptr<Trying> trying_;
  std::int64_t calls_ = 0;
  double seconds_ = 0;
};

}  // namespace starling
