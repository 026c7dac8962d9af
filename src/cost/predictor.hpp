#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "algorithms/candidate.hpp"
#include "cost/network.hpp"
#include "cost/parameters.hpp"
#include "topology/platform.hpp"

namespace starling {

/// What the cost model needs to know of a job.
struct NetworkModel {
  Platform platform;
  std::vector<int> hosts;  ///< of the platform, by rank of the job
  CostParameters parameters;
  std::vector<int> domains = {};  ///< of its host, by rank of the job; none where each host is one
};

/// Predicted times of the candidates that a job's calls may be carried out by, each computed once as long as it is
/// kept. Simulating all of them would take seconds on thousands of ranks, so that a call's predictions have a budget:
/// first the cheapest candidate of each algorithm is paid from it, then the second cheapest of each, and so on; what it
/// does not reach has no prediction. Work is estimated from the schedules of a few ranks, without a clock, so that
/// equal calls have equal predictions. Several threads may use it.
class Predictor {
 public:
  explicit Predictor(NetworkModel model) : model_(std::move(model)) {}

  [[nodiscard]] const NetworkModel& model() const { return model_; }

  /// Seconds that a call in `situation` takes with `bound`, root 0, where rank r of the communicator is rank `ranks[r]`
  /// of the job. Nothing for what is refused there, for sizes that are not known, and beyond the budget.
  std::optional<double> seconds(const Bound& bound, const Situation& situation, std::span<const int> ranks);

  /// Seconds that the first call with `bound` takes besides, roughly: a communicator of each group that a rank meets in
  /// has to be made, for which the job agrees three times.
  [[nodiscard]] double seconds_to_begin(const Bound& bound, const Situation& situation) const;

  /// Of so many calls predictions are kept, then all are forgotten: a program may make new ones for as long as it runs.
  static constexpr int most_calls = 256;
  /// Of how many calls there are some now.
  [[nodiscard]] int calls() const { return calls_; }

  /// Microseconds that predicting all candidates of a call may take on an ordinary processor, roughly.
  static double budget(int ranks);
  /// Microseconds that it usually takes.
  static double usual(int ranks);

 private:
  /// What a prediction depends on besides the candidate and the places of the ranks: collective, bytes, elements,
  /// whether the operator commutes, whether the call is in place.
  using Key = std::tuple<Collective, std::int64_t, std::int64_t, bool, bool>;
  struct Predicted {
    double work;  ///< estimated, in microseconds
    std::optional<double> seconds = {};
    bool is_known = false;
  };
  /// By name, those that the budget reaches.
  using Call = std::map<std::string, Predicted, std::less<>>;
  /// Ranks on the same hosts and domains: communicators that are alike share it.
  struct Placement {
    Network network;
    std::map<Key, Call> calls;
  };

  static Call affordable(const Situation& situation);

  NetworkModel model_;
  std::mutex guard_;                                                               ///< of what follows
  std::map<std::pair<std::vector<int>, std::vector<int>>, Placement> placements_;  ///< by hosts and domains
  int calls_ = 0;                                                                  ///< of all placements
};

}  // namespace starling
