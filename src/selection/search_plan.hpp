#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "messages/shared.hpp"
#include "selection/agreement_cost.hpp"
#include "selection/attribute_space.hpp"
#include "selection/outlook.hpp"
#include "selection/trials.hpp"

namespace starling {

/// What an agreement of the ranks takes at least, in calls of the fastest: whatever it takes by the clock, it also
/// makes ranks wait for each other.
constexpr double least_of_agreement = 0.2;
/// The first call of a candidate that is probably slow must be expected to save what it costs within so many calls, or
/// as many as there were. A program with fewer calls of a context has little to gain.
constexpr double calls_to_pay = 1000;
/// Calls after which a candidate that is still no worse than the best gets all.
constexpr std::int64_t second_look = 3;

/// Which candidates a search measures: what ADCL's searches differ in. On the rank that judges; what it answers depends
/// on nothing but what was measured.
class SearchPlan {
 public:
  explicit SearchPlan(const Brief& brief)
      : space_(shared(AttributeSpace(brief.candidates))), settings_(shared(brief.settings)) {}
  SearchPlan(const SearchPlan&) = delete;
  SearchPlan& operator=(const SearchPlan&) = delete;
  SearchPlan(SearchPlan&&) = delete;
  SearchPlan& operator=(SearchPlan&&) = delete;
  virtual ~SearchPlan() = default;

  /// The candidates that must be measured next, in this order; none where the fastest of those measured can be chosen.
  /// `calls`: of the context so far.
  std::vector<int> wanted(Trials& trials, std::int64_t calls);
  /// Takes how long an agreement of the ranks took, in seconds.
  void agreement_took(double seconds) { seconds_of_agreement_ = usual_agreement(seconds_of_agreement_, seconds); }
  /// What one takes, in calls of the fastest. Some was tried.
  [[nodiscard]] double calls_of_agreement(const Trials& trials) const {
    return std::max(least_of_agreement, seconds_of_agreement_ / trials.time(trials.best()));
  }
  /// Whether the search may stop early once those wanted were tried.
  [[nodiscard]] bool may_stop() const { return may_stop_; }
  /// One that was left out, because its first call does not pay yet.
  struct NotYet {
    int candidate;
    double seconds;     ///< expected of the call
    double calls;       ///< of the context, from which on it pays
    double begins = 0;  ///< seconds of `seconds` that beginning with its kind takes, once
  };
  /// Of the latest answer, in the order in which they pay.
  [[nodiscard]] const std::vector<NotYet>& not_yet() const { return not_yet_; }
  /// The search has ended: frees what the next answer does without.
  void end() {
    forget();
    why_ = std::string();
    outlook_ = nullptr;
  }
  /// What is expected of candidates that were not tried, by what was measured when `wanted` was asked last.
  const Outlook& outlook(const Trials& trials) {
    if (!outlook_) outlook_ = std::make_unique<const Outlook>(space(), trials, settings().early_stop_margin);
    return *outlook_;
  }
  /// How the latest answer came about, for the record: "partners=pair won 2 of 2 comparisons". May be empty.
  [[nodiscard]] const std::string& why() const { return why_; }

 protected:
  [[nodiscard]] const AttributeSpace& space() const { return *space_; }
  [[nodiscard]] const StrategySettings& settings() const { return *settings_; }
  void because(std::string why) { why_ = std::move(why); }
  /// What `wanted` answers.
  virtual std::vector<int> choose(const Trials& trials) = 0;
  /// Frees what the next answer does without, and is large.
  virtual void forget() {}

  /// What to begin with, of those that were not tried: two that differ in one attribute, then, of the faster one, a
  /// neighbour by each other attribute. Whatever makes the first candidate slow, few of these share. Three at least.
  [[nodiscard]] std::vector<int> first_few(const Trials& trials) const;
  /// Those of `among` that are not known yet. With early stopping those that are expected to save most, or none where
  /// it is less probable than `early_stop` that any is better than the best, or none may pay; 0: no early stopping.
  std::vector<int> rest_of(const std::vector<int>& among, const Trials& trials, double early_stop);
  /// Those that are not known yet.
  [[nodiscard]] static std::vector<int> unknown(const std::vector<int>& among, const Trials& trials);
  /// Whether there are several kinds, and none of the candidate's was tried.
  [[nodiscard]] bool is_of_new_kind(int candidate, const Trials& trials) const;
  /// Whether there are several kinds, and all of the candidate's that were tried take several times as long as the
  /// fastest: each further one may cost many calls. As published there are no kinds.
  [[nodiscard]] bool is_of_slow_kind(int candidate, const Trials& trials) const;
  /// Of these, the first of each new kind, which tells of the others, and all of other kinds.
  [[nodiscard]] std::vector<int> one_of_each_new_kind(const std::vector<int>& among, const Trials& trials) const;
  /// Of these, those that were tried and need more calls.
  [[nodiscard]] static std::vector<int> begun(const std::vector<int>& among, const Trials& trials);

 private:
  [[nodiscard]] std::vector<int> comparison(int attribute, int near, const Trials& trials) const;
  bool pays(const Outlook::Chance& one, const Trials& trials);
  std::vector<int> put_off_kinds(Trials& trials) const;
  [[nodiscard]] NotYet nearest_of_kind(int kind, const Trials& trials) const;
  [[nodiscard]] bool waits_for_its_kind(int candidate, const std::vector<int>& others, const Trials& trials) const;

  std::shared_ptr<const AttributeSpace> space_;  ///< many contexts have the same
  std::shared_ptr<const StrategySettings> settings_;
  std::string why_;
  double calls_ = 0;
  double seconds_of_agreement_ = 0;
  bool may_stop_ = false;
  std::vector<NotYet> not_yet_;
  std::unique_ptr<const Outlook> outlook_;
};

/// How a strategy makes its plan.
using MakeSearchPlan = std::unique_ptr<SearchPlan> (*)(const Brief&);

}  // namespace starling
