#include "cost/predictor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "cost/candidate_cost.hpp"
#include "cost/prediction_work.hpp"

namespace starling {
namespace {

/// Where flows of many different sizes share links, more visits are needed than the estimate foresees.
constexpr double visits_per_microsecond = 100;

/// The work of all ranks, from rank 0, which may be a root, and a few others; infinite where it is more than `most`.
double estimate(const Bound& bound, const Situation& situation, double most) {
  const int ranks = situation.ranks;
  const auto of_rank = [&](int rank) { return prediction_work(bound, situation, rank, 0); };
  constexpr double unaffordable = std::numeric_limits<double>::infinity();
  std::vector<int> samples{1, ranks / 3, ranks / 2, (2 * ranks / 3) + 1, ranks - 1};
  std::erase_if(samples, [&](int rank) { return rank < 1 || rank >= ranks; });
  double sum = 0;
  for (const int rank : samples) {
    sum += of_rank(rank);
    // The inner ranks of a tree are above the mean, but then most samples are leaves.
    if (sum / static_cast<double>(samples.size()) * (ranks - 1) > most) return unaffordable;
  }
  double all = of_rank(0);
  if (!samples.empty()) all += sum / static_cast<double>(samples.size()) * (ranks - 1);
  if (all > most) return unaffordable;
  return all;
}

}  // namespace

double Predictor::budget(int ranks) {
  constexpr double of_one_of_few = 1'500;
  constexpr double of_few = 24'000;
  constexpr double of_a_rank = 20;
  return std::min(of_one_of_few * ranks, of_few) + (of_a_rank * ranks);
}

double Predictor::usual(int ranks) {
  constexpr double of_a_rank = 400;
  return std::min(of_a_rank * ranks, budget(ranks));
}

Predictor::Call Predictor::affordable(const Situation& situation) {
  struct Choice {
    const Bound* bound;  ///< of `all`
    double work;
    int turn = 0;  ///< how many candidates of its algorithm are cheaper
  };
  double left = budget(situation.ranks);
  std::vector<Choice> choices;
  const std::vector<Bound> all = candidates(situation.collective, situation.ranks);
  for (const Bound& bound : all)
    if (bound.refusal(situation).empty())
      if (const double needed = estimate(bound, situation, left); needed <= left) choices.push_back({&bound, needed});
  std::stable_sort(choices.begin(), choices.end(), [](const auto& a, const auto& b) { return a.work < b.work; });
  std::map<const Algorithm*, int> turns;
  for (Choice& one : choices) one.turn = turns[one.bound->algorithm]++;
  std::stable_sort(choices.begin(), choices.end(), [](const auto& a, const auto& b) { return a.turn < b.turn; });
  Call call;
  for (const Choice& one : choices) {
    if (one.work > left) continue;
    left -= one.work;
    call.emplace(one.bound->name(), Predicted{.work = one.work});
  }
  return call;
}

double Predictor::seconds_to_begin(const Bound& bound, const Situation& situation) const {
  if (!bound.refusal(situation).empty()) return 0;
  std::unordered_set<RankSet, RankSet::Hash> groups;
  const Schedule schedule = bound.schedule(bound.team(situation, 0, 0));
  for (const Round& round : schedule.rounds())
    if (const SubCollective* sub = round.sub(); sub != nullptr && sub->group.size() < situation.ranks)
      groups.insert(sub->group);
  constexpr double agreements = 3;
  const double depth = std::ceil(std::log2(situation.ranks));
  const double message = (2 * model_.parameters.overhead) + model_.parameters.latency;
  return static_cast<double>(groups.size()) * agreements * depth * message;
}

std::optional<double> Predictor::seconds(const Bound& bound, const Situation& situation, std::span<const int> ranks) {
  if (situation.bytes < 0 || !bound.refusal(situation).empty()) return std::nullopt;
  std::vector<int> hosts;
  hosts.reserve(ranks.size());
  std::vector<int> domains;
  for (const int rank : ranks) {
    hosts.push_back(model_.hosts[static_cast<std::size_t>(rank)]);
    if (!model_.domains.empty()) domains.push_back(model_.domains[static_cast<std::size_t>(rank)]);
  }
  const Key key{situation.collective, situation.bytes, situation.elements, situation.commutative, situation.in_place};
  const std::scoped_lock lock(guard_);
  if (calls_ > most_calls) {
    placements_.clear();
    calls_ = 0;
  }
  auto placement = placements_.find({hosts, domains});
  if (placement == placements_.end())
    placement =
        placements_.emplace(std::pair(hosts, domains), Placement{Network(model_.platform, hosts, domains), {}}).first;
  auto call = placement->second.calls.find(key);
  if (call == placement->second.calls.end()) {
    call = placement->second.calls.emplace(key, affordable(situation)).first;
    ++calls_;
  }
  const auto entry = call->second.find(bound.name());
  if (entry == call->second.end()) return std::nullopt;
  if (!entry->second.is_known) {
    entry->second.is_known = true;
    const Prediction found = predict(bound, situation, 0, placement->second.network, model_.parameters,
                                     static_cast<std::int64_t>(visits_per_microsecond * entry->second.work));
    if (found.refusal.empty()) entry->second.seconds = found.seconds;
  }
  return entry->second.seconds;
}

}  // namespace starling
