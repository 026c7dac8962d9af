#include "selection/search_plan.hpp"

#include <algorithm>
#include <numeric>

#include "selection/figures.hpp"

namespace starling {
namespace {

/// Candidates that begin between two agreements because one of them may be faster.
constexpr std::size_t few = 4;
/// A kind of which all that were tried take so many times as long as the fastest is slow. A kind that takes so many of
/// its calls to begin with is dear.
constexpr double far_too_slow = 4;

}  // namespace

std::vector<int> SearchPlan::wanted(Trials& trials, std::int64_t calls) {
  end();
  calls_ = static_cast<double>(calls);
  may_stop_ = false;
  not_yet_.clear();
  const std::vector<int> later = put_off_kinds(trials);
  std::vector<int> found = choose(trials);
  if (trials.best() < 0) return found;
  for (const int kind : later) {
    not_yet_.push_back(nearest_of_kind(kind, trials));
    if (found.empty()) because(why_ + (why_.empty() ? "" : "; ") + space().kind_in_words(kind) + " not begun yet");
  }
  std::stable_sort(not_yet_.begin(), not_yet_.end(),
                   [](const auto& one, const auto& other) { return one.calls < other.calls; });
  return found;
}

/// Puts off kinds that are dear to begin with, until one that is faster by the margin would have saved as much in the
/// calls so far. Answers with them. Where a search makes no first calls once it has chosen, none; and not the kind of
/// the first candidate, with which all begins.
std::vector<int> SearchPlan::put_off_kinds(Trials& trials) const {
  std::vector<int> found;
  const bool may_be_later = trials.gives_up() && settings().drift > 0 && settings().early_stop_margin > 0;
  const double of_call = trials.best() < 0 ? 0 : trials.time(trials.best());
  const double affordable = std::max(far_too_slow, settings().early_stop_margin * calls_) * of_call;
  for (int kind = 1; kind < space().kinds(); ++kind) {
    bool is_dear = may_be_later && space().seconds_to_begin(kind) > affordable;
    bool any = false;
    for (const int member : space().members()) {
      if (space().kind(member) != kind || !trials.can_serve(member)) continue;
      is_dear = is_dear && !trials.tried(member);
      any = true;
    }
    if (!any) continue;
    for (const int member : space().members())
      if (space().kind(member) == kind && trials.can_serve(member)) trials.put_off(member, is_dear);
    if (is_dear) found.push_back(kind);
  }
  return found;
}

/// The first of a kind: one that is like the fastest.
SearchPlan::NotYet SearchPlan::nearest_of_kind(int kind, const Trials& trials) const {
  const int best = trials.best();
  const double begins = space().seconds_to_begin(kind);
  NotYet found{-1, trials.time(best) + begins, begins / (settings().early_stop_margin * trials.time(best)), begins};
  for (const int member : space().members()) {
    if (space().kind(member) != kind || !trials.can_serve(member)) continue;
    if (found.candidate < 0 || space().differences(best, member) < space().differences(best, found.candidate))
      found.candidate = member;
  }
  return found;
}

std::vector<int> SearchPlan::unknown(const std::vector<int>& among, const Trials& trials) {
  std::vector<int> found;
  for (const int one : among)
    if (!trials.known(one)) found.push_back(one);
  return found;
}

std::vector<int> SearchPlan::begun(const std::vector<int>& among, const Trials& trials) {
  std::vector<int> found;
  for (const int one : among)
    if (trials.begun(one)) found.push_back(one);
  return found;
}

std::vector<int> SearchPlan::first_few(const Trials& trials) const {
  if (space().members().empty()) return {};
  const int first = space().members().front();
  const int near = trials.best() >= 0 ? trials.best() : first;
  std::vector<int> few;
  const auto add = [&](int candidate) {
    if (!trials.tried(candidate) && std::find(few.begin(), few.end(), candidate) == few.end()) few.push_back(candidate);
  };
  if (trials.best() < 0) add(first);
  std::vector<int> attributes(static_cast<std::size_t>(space().attributes()));
  std::iota(attributes.begin(), attributes.end(), 0);
  // One of few values is shared by many.
  std::stable_sort(attributes.begin(), attributes.end(),
                   [&](int one, int other) { return space().values(one) < space().values(other); });
  for (const int attribute : attributes) {
    for (const int one : comparison(attribute, near, trials)) add(one);
    if (trials.best() < 0 && few.size() > 1) return few;
  }
  constexpr int enough = 3;
  const auto tried =
      std::count_if(space().members().begin(), space().members().end(), [&](int one) { return trials.tried(one); });
  for (const int member : space().members())
    if (trials.eligible(member) && tried + std::ssize(few) < enough) add(member);
  return few;
}

/// Two that differ in the attribute only, one of them `near` if possible; nothing where two such were tried.
std::vector<int> SearchPlan::comparison(int attribute, int near, const Trials& trials) const {
  std::vector<int> found;
  bool is_near = false;
  for (const AttributeSpace::Pair& pair : space().pairs()) {
    if (pair.attribute != attribute || !trials.eligible(pair.one) || !trials.eligible(pair.other)) continue;
    if (trials.tried(pair.one) && trials.tried(pair.other)) return {};
    if (!found.empty() && (is_near || (pair.one != near && pair.other != near))) continue;
    is_near = pair.one == near || pair.other == near;
    found = {pair.one, pair.other};
  }
  return found;
}

/// Whether the first call of a candidate is expected to save what it and an agreement cost; else it does not yet. Where
/// a search makes no first calls once it has chosen, it makes them before.
bool SearchPlan::pays(const Outlook::Chance& one, const Trials& trials) {
  if (!settings().give_up) return true;
  const bool is_slow = is_of_slow_kind(one.candidate, trials);
  if (!(settings().drift > 0) && !is_slow) return true;
  const double seconds = one.expected.seconds();
  const double loss = std::max(0.0, (seconds / trials.time(trials.best())) - 1);
  const auto calls_for = [&](double agreement) { return (loss + agreement) / std::max(one.gain, 1e-12); };
  // How much a whole kind may differ tells little of what one of it gains.
  if (!is_slow && calls_for(calls_of_agreement(trials)) <= std::max(calls_to_pay, calls_)) return true;
  // Later it comes along with an agreement that there is anyway.
  const double calls = std::max(calls_for(least_of_agreement), is_slow ? calls_to_pay + 1 : 0);
  if (is_slow && calls <= calls_) return true;
  not_yet_.push_back({one.candidate, seconds, calls});
  return false;
}

bool SearchPlan::is_of_new_kind(int candidate, const Trials& trials) const {
  const std::vector<int>& all = space().members();
  return space().kinds() > 1 && std::none_of(all.begin(), all.end(), [&](int one) {
           return space().are_of_one_kind(one, candidate) && trials.tried(one);
         });
}

bool SearchPlan::is_of_slow_kind(int candidate, const Trials& trials) const {
  if (!trials.gives_up() || space().kinds() < 2 || trials.best() < 0) return false;
  const double most = far_too_slow * trials.time(trials.best());
  bool any = false;
  for (const int one : space().members()) {
    if (!trials.tried(one) || !space().are_of_one_kind(one, candidate)) continue;
    if (!(trials.time(one) > most)) return false;
    any = true;
  }
  return any;
}

/// Whether another of its kind, which is new, is among `others`.
bool SearchPlan::waits_for_its_kind(int candidate, const std::vector<int>& others, const Trials& trials) const {
  return is_of_new_kind(candidate, trials) &&
         std::any_of(others.begin(), others.end(), [&](int one) { return space().are_of_one_kind(one, candidate); });
}

std::vector<int> SearchPlan::one_of_each_new_kind(const std::vector<int>& among, const Trials& trials) const {
  std::vector<int> found;
  for (const int one : among)
    if (!waits_for_its_kind(one, found, trials)) found.push_back(one);
  return found;
}

std::vector<int> SearchPlan::rest_of(const std::vector<int>& among, const Trials& trials, double early_stop) {
  std::vector<int> rest = unknown(among, trials);
  if (!(early_stop > 0) || rest.empty() || trials.best() < 0) return rest;
  // Those that were tried need more calls, and others come along, for an agreement takes time as well.
  std::vector<int> next = begun(rest, trials);
  const double best = trials.time(trials.best());
  not_yet_.clear();
  double none_is = 1;
  double none_that_pays_is = 1;
  std::vector<Outlook::Chance> chances;
  for (const Outlook::Chance& one : outlook(trials).chances()) {
    if (std::find(rest.begin(), rest.end(), one.candidate) == rest.end()) continue;
    none_is *= 1 - one.probability;
    if (!pays(one, trials)) continue;
    none_that_pays_is *= 1 - one.probability;
    chances.push_back(one);
  }
  std::stable_sort(not_yet_.begin(), not_yet_.end(),
                   [](const auto& one, const auto& other) { return one.calls < other.calls; });
  if (1 - none_that_pays_is >= early_stop) {
    may_stop_ = next.empty();
    std::stable_sort(chances.begin(), chances.end(),
                     [](const auto& one, const auto& other) { return one.gain > other.gain; });
    chances.resize(std::min(few, chances.size()));
    // What is probably slow is tried alone: it may tell that others like it are, too. So is the first of a kind.
    const double most = best * (1 + calls_of_agreement(trials));
    for (std::size_t i = 0; i < chances.size(); ++i) {
      const bool is_likely = chances[i].probability >= chances.front().probability / 2;
      const bool comes_along =
          is_likely && chances[i].expected.seconds() < most && !waits_for_its_kind(chances[i].candidate, next, trials);
      if (i == 0 || comes_along) next.push_back(chances[i].candidate);
    }
  }
  if (!next.empty()) return next;
  because(why_ + (why_.empty() ? "" : "; ") + std::to_string(rest.size()) + " not tried: one of them is " +
          percent_in_words(settings().early_stop_margin) + " faster with a probability of " +
          percent_in_words(1 - none_is) +
          (not_yet_.empty() ? "" : "; calls of " + std::to_string(not_yet_.size()) + " of them do not pay yet"));
  return {};
}

}  // namespace starling
