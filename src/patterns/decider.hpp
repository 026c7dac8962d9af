#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "patterns/topology.hpp"
#include "runtime/contexts/happened.hpp"
#include "selection/strategy.hpp"
#include "tuning/tuner.hpp"

namespace starling::patterns {

/// Which strategy chooses, and what the user has set for it.
struct Choosing {
  const StrategyKind* strategy = nullptr;
  std::string argument;
  StrategySettings settings;
  bool starts_from_history = true;
};

/// How a function did while it was tried: seconds a call on the slowest rank.
struct Figures {
  double mean = 0;
  double filtered = 0;  ///< without outliers
  double outliers = 0;  ///< how many
};

/// Chooses among the functions of one request, or of several that are tuned as one: a tuner, the times of calls until
/// they are final, the agreements of the ranks on a topology, and the record of what happened.
///
/// The time of a call becomes final when the next call begins, so that the program may tell its own measurement.
class Decider final : public LeavesRecord {
 public:
  struct Task {
    ContextRecord key;                 ///< the name of the function set, and what all ranks know of its data
    std::string name_in_settings;      ///< of the function set
    std::vector<Candidate> functions;  ///< the baseline first
  };
  /// Collective over the topology.
  Decider(Task task, std::shared_ptr<Topology> topology, Choosing choosing);
  ~Decider();
  Decider(const Decider&) = delete;
  Decider& operator=(const Decider&) = delete;
  Decider(Decider&&) = delete;
  Decider& operator=(Decider&&) = delete;

  /// Begins a call for `who`, whose earlier one is final from now on. The ranks may agree. All ranks begin the same
  /// calls in the same order.
  Tuner::Turn begin(const void* who);
  /// A call with the function that is chosen so far, from which nothing is learnt.
  [[nodiscard]] Tuner::Turn unlearnt() const { return {-1, chosen(), false, false}; }
  /// How a call ended.
  enum class Ending : std::uint8_t {
    served,
    by_baseline,  ///< its function turned out unable to serve, on all ranks, and the baseline carried it out
    failed        ///< the function returned an error on this rank
  };
  /// Ends a call.
  void end(const void* who, const Tuner::Turn& turn, double seconds, Ending ending);
  /// Replaces the seconds of the latest call of `who`. False if there is none that is not final.
  bool replace(const void* who, double seconds);
  /// Forgets `who`, whose latest call becomes final.
  void forget(const void* who) { make_final(who); }
  /// Adds the seconds of a call until its function had what it needs (`Implementations::take_setup`).
  void add_setup(const Tuner::Turn& turn, double seconds) {
    if (turn.candidate >= 0) tuner_->add_setup(turn, seconds);
  }
  /// Excludes a function that turned out unable to serve, on all ranks at the same call.
  void refuse(int function, const std::string& why) { tuner_->refuse(function, why); }

  [[nodiscard]] int in_use() const { return tuner_->proposed(); }
  [[nodiscard]] bool exploring() const { return exploring_; }
  /// Whether a call that begins now tries a function: while functions are tried, and in looks at others after that. The
  /// same on all ranks where no call is in flight.
  [[nodiscard]] bool tries_next() const { return exploring_ || tuner_->explores(); }
  /// The function that is chosen; nothing while functions are tried.
  [[nodiscard]] std::optional<int> winner() const;
  /// How often the ranks have come to a choice that makes all but one function unneeded.
  [[nodiscard]] int settlements() const { return settlements_; }
  [[nodiscard]] const std::vector<Candidate>& functions() const { return task_.functions; }
  /// How a function did; nothing where the ranks have not agreed on it.
  [[nodiscard]] const std::optional<Figures>& figures(int function) const {
    return figures_[static_cast<std::size_t>(function)];
  }
  /// How many functions ranks have agreed on, and the best of them; -1 for none.
  [[nodiscard]] int tried() const;
  [[nodiscard]] int best() const;
  /// Begins anew as if the first functions had been tried with these figures. On all ranks alike.
  void restore(const std::vector<Figures>& known);

  void add_to(Happened& happened) const override;

 private:
  struct Ended {
    const void* who;
    Tuner::Turn turn;
    double seconds;
    Ending ending;
  };
  /// The function that counts as chosen, which a look at another one does not change.
  [[nodiscard]] int chosen() const { return tuner_->chosen().value_or(tuner_->proposed()); }
  void make_final(const void* who);
  void make_final(const Ended& call);
  void agree();
  void make_tuner();

  Task task_;
  std::shared_ptr<Topology> topology_;
  Choosing choosing_;
  Channel* channel_ = nullptr;  ///< null where ranks can't agree, and the baseline is used
  std::unique_ptr<Tuner> tuner_;
  std::vector<Ended> ended_;                  ///< calls that are not final
  std::vector<std::vector<double>> samples_;  ///< of each function, since it was last agreed on
  std::vector<std::optional<Figures>> figures_;
  int failed_ = -1;  ///< a function that failed here since the ranks last agreed
  int settlements_ = 0;
  bool exploring_ = false;
};

}  // namespace starling::patterns
