#include "selection/search_plan.hpp"

#include <algorithm>

#include "selection/figures.hpp"

namespace starling {

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

std::vector<int> SearchPlan::rest_of(const std::vector<int>& among, const Trials& trials, double early_stop) {
  std::vector<int> rest = unknown(among, trials);
  if (!(early_stop > 0) || rest.empty() || trials.best() < 0) return rest;
  // Those that were tried need more calls, and others come along, for an agreement takes time as well.
  std::vector<int> next = begun(rest, trials);
  const Outlook others = outlook(trials);
  double none_is = 1;
  std::vector<Outlook::Chance> chances;
  for (const Outlook::Chance& one : others.chances()) {
    if (std::find(rest.begin(), rest.end(), one.candidate) == rest.end()) continue;
    none_is *= 1 - one.probability;
    chances.push_back(one);
  }
  if (1 - none_is >= early_stop) {
    constexpr std::size_t few = 4;
    std::stable_sort(chances.begin(), chances.end(),
                     [](const auto& one, const auto& other) { return one.probability > other.probability; });
    chances.resize(std::min(few, chances.size()));
    for (const Outlook::Chance& one : chances)
      if (one.probability >= chances.front().probability / 2) next.push_back(one.candidate);
  }
  if (!next.empty()) return next;
  because(why_ + (why_.empty() ? "" : "; ") + std::to_string(rest.size()) + " not tried: one of them is " +
          percent_in_words(settings().early_stop_margin) + " faster with a probability of " +
          percent_in_words(1 - none_is));
  return {};
}

}  // namespace starling
