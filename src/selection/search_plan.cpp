#include "selection/search_plan.hpp"

#include <algorithm>
#include <iterator>

#include "selection/figures.hpp"

namespace starling {

std::vector<int> SearchPlan::unknown(const std::vector<int>& among, const Trials& trials) {
  std::vector<int> found;
  for (const int one : among)
    if (!trials.known(one)) found.push_back(one);
  return found;
}

std::vector<int> SearchPlan::rest_of(const std::vector<int>& among, const Trials& trials, double early_stop) {
  std::vector<int> rest = unknown(among, trials);
  if (!(early_stop > 0) || rest.empty() || trials.best() < 0) return rest;
  // A candidate that was given up may turn out to be no longer clearly slower: that is no reason to try all others.
  std::vector<int> tried;
  std::copy_if(rest.begin(), rest.end(), std::back_inserter(tried), [&](int one) { return trials.tried(one); });
  if (!tried.empty()) return tried;
  const Outlook others = outlook(trials);
  double none_is = 1;
  std::vector<Outlook::Chance> chances;
  for (const Outlook::Chance& one : others.chances()) {
    if (std::find(rest.begin(), rest.end(), one.candidate) == rest.end()) continue;
    none_is *= 1 - one.probability;
    chances.push_back(one);
  }
  if (1 - none_is >= early_stop) {
    // A few at a time, for an agreement takes time as well.
    constexpr std::size_t few = 4;
    std::stable_sort(chances.begin(), chances.end(),
                     [](const auto& one, const auto& other) { return one.probability > other.probability; });
    chances.resize(std::min(few, chances.size()));
    std::vector<int> best;
    for (const Outlook::Chance& one : chances)
      if (best.empty() || one.probability >= chances.front().probability / 2) best.push_back(one.candidate);
    return best;
  }
  because(why_ + (why_.empty() ? "" : "; ") + std::to_string(rest.size()) + " not tried: one of them is " +
          percent_in_words(settings().early_stop_margin) + " faster with a probability of " +
          percent_in_words(1 - none_is));
  return {};
}

}  // namespace starling
