#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "selection/ledger.hpp"
#include "selection/plan.hpp"
#include "selection/search_plan.hpp"
#include "selection/strategy.hpp"
#include "selection/trials.hpp"

namespace starling {

/// What ADCL's searches think, on the rank that judges: whose calls come next, and which candidate is chosen.
///
///   learning     the candidates that the plan wants, n calls each and an agreement after each. Giving up: first one
///                call each, but for the first call of all, and an agreement after up to eight; then those that are not
///                clearly slower three, then all, and the fastest what it lacks. At the end up to 5 n for those that
///                may yet be better than the best
///   monitoring   the fastest, in periods of 4 n calls, 8 n, 16 n, ...; of each the last n are compared with what was
///                learnt. Twice in a row off by more than the tolerance, to the same side: all is forgotten, and
///                learning begins anew
///
/// At the end of a period candidates that were given up after a single call, which something else may have disturbed,
/// get another one: those that are least slower first, as long as all this costs little. So do those that were not
/// tried because they are probably slow, once there were so many calls that their first one pays.
///
/// A search that was in vain, because it chose the same candidate, doubles the calls before the next one may begin.
///
/// A guarded search looks at a few candidates at once, whatever they take. From then on all calls together lose against
/// candidate 0 no more than the `Ledger` allows, as far as others let expect of those that were not tried (`Outlook`):
/// a candidate that costs more is tried later, and the fastest known serves until then.
class Searcher {
 public:
  Searcher(const Brief& brief, MakeSearchPlan make);

  /// Candidates that are tried between two agreements at most.
  static constexpr std::size_t most_steps = 8;

  /// The next calls, before the ranks agree again.
  [[nodiscard]] std::vector<PlannedCalls> next();
  /// Takes the times of the calls that `next` planned, those of each step in turn: of each step the latest, at most
  /// the settings' `iterations`.
  void take(std::span<const PlannedCalls> made, std::span<const AgreedCall> calls);
  /// Takes how long an agreement of the ranks took, in seconds.
  void agreement_took(double seconds) { plan_->agreement_took(seconds); }

  [[nodiscard]] bool monitors() const { return monitors_; }
  /// The fastest known, else the one chosen before, else native.
  [[nodiscard]] int best() const {
    const int best = trials_.best();
    return best >= 0 ? best : std::max(0, chosen_);
  }
  [[nodiscard]] std::optional<Found> found(int candidate) const;
  /// The choice made since the last time it was asked for.
  std::optional<Decision> take_decision();

 private:
  /// Whether the next call is the first one of all. It opens connections and touches memory for others too, so its time
  /// does not count where a single call may be enough to give a candidate up.
  [[nodiscard]] bool warms_up() const { return may_warm_up_ && calls_ == 0 && !monitors_; }
  /// What `next` answers, but for the first call of all.
  [[nodiscard]] std::vector<PlannedCalls> following();
  [[nodiscard]] std::vector<PlannedCalls> trials();
  [[nodiscard]] std::vector<PlannedCalls> steps_for(std::span<const int> wanted) const;
  [[nodiscard]] bool fastest_may_be_slow(std::span<const PlannedCalls> steps) const;
  [[nodiscard]] std::int64_t calls_for_next_look(int candidate) const;
  [[nodiscard]] std::vector<PlannedCalls> allowed(const std::vector<PlannedCalls>& steps);
  [[nodiscard]] std::vector<double> losses(std::span<const PlannedCalls> steps);
  [[nodiscard]] double lost() const;
  [[nodiscard]] bool may_lose(double seconds) const;
  [[nodiscard]] std::vector<PlannedCalls> run_off() const;
  [[nodiscard]] std::vector<int> contenders() const;
  [[nodiscard]] std::vector<PlannedCalls> looks(std::int64_t at) const;
  void choose();
  void watch(std::span<const AgreedCall> calls);
  void look(std::span<const PlannedCalls> made, std::span<const AgreedCall> calls);
  void search();

  Trials trials_;
  std::shared_ptr<const std::vector<Interned>> names_;  ///< many contexts have the same
  std::unique_ptr<SearchPlan> plan_;
  std::unique_ptr<Ledger> ledger_;  ///< of a guarded search
  int waits_ = 0;                   ///< of a guarded search, in a row
  std::int64_t calls_each_;
  std::int64_t delta_limit_;
  double drift_;
  bool may_warm_up_;
  bool monitors_ = false;
  int chosen_ = -1;
  double learnt_ = 0;                ///< seconds of a call of the chosen one, from the search
  std::int64_t learnt_from_ = 0;     ///< calls
  double latest_ = 0;                ///< the same, at the end of the latest period; 0 before it
  std::int64_t delta_ = 0;           ///< a period's calls / calls_each_; 0: a look at calls_each_ calls only
  int drifts_ = 0;                   ///< periods in a row that were slower (or, negative, faster) than learnt
  std::int64_t calls_ = 0;           ///< in all
  std::int64_t searched_at_ = 0;     ///< number of calls when the search began
  std::int64_t chosen_at_ = 0;       ///< when it ended
  std::int64_t calls_in_peace_ = 0;  ///< that must follow before the next one
  double looked_ = 0;                ///< what such calls took more than the chosen one's, in calls of that
  bool searches_again_ = false;      ///< because of what the chosen one did
  std::string again_;                ///< why the search was begun anew, in words
  std::optional<Decision> decision_;
};

}  // namespace starling
