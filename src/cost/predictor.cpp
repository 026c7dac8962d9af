#include "cost/predictor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "cost/candidate_cost.hpp"
#include "cost/stand_in.hpp"

namespace starling {
namespace {

/// Microseconds on a 2.6 GHz core, from bench/core/predict.cpp: what a rank's schedule takes to make, and a message to
/// simulate among as many others of its rank; of a take, and a reader, what they take without the network.
constexpr double of_a_schedule = 1;
constexpr double of_a_transfer = 0.35;
constexpr double of_a_shared = 0.1;
constexpr double of_a_local = 0.15;
constexpr double of_a_block = 0.013;
constexpr double of_a_message = 0.35;
constexpr double of_a_message_beside_another = 0.065;
/// Where flows of many different sizes share links, more visits are needed than the estimate foresees.
constexpr double visits_per_microsecond = 100;

double work_of_stand_in(const SubCollective& part, int rank, std::int64_t block);

/// Bytes of a block, about.
std::int64_t block_of(const Bound& bound, const Situation& situation) {
  const std::int64_t all = divides_a_vector(situation.collective) ? situation.bytes : situation.ranks * situation.bytes;
  return all / bound.blocks(situation);
}

/// What counts in the meetings of a rank's schedule.
struct Meetings {
  int rank;
  std::int64_t block;
  double parts = 0;
  double transfers = 0;
  double shared = 0;  ///< takes, and readers of publications
  double sends = 0;
  double most_sends = 0;

  void operator()(const Messages& step) {
    const auto sent = static_cast<double>(step.sends.size());
    sends += sent;
    transfers += sent + static_cast<double>(step.receives.size());
    most_sends = std::max(most_sends, sent);
  }
  void operator()(const SubCollective& step) {
    if (step.collective != Collective::barrier) parts += work_of_stand_in(step, rank, block);
  }
  void operator()(const Sharing& step) {
    shared += static_cast<double>(step.takes.size());
    for (const Publication& one : step.publications) shared += static_cast<double>(one.readers.size());
  }
};

/// The work of the schedule of rank `rank`, and of the messages that it sends. A block has `block` bytes.
double work(const Schedule& schedule, int rank, std::int64_t block) {
  Meetings all{.rank = rank, .block = block};
  double locals = 0;
  for (const Round& round : schedule.rounds()) {
    std::visit(all, round.meeting);
    locals += static_cast<double>(round.locals().size());
  }
  return all.parts + of_a_schedule + (of_a_block * schedule.blocks()) + (of_a_transfer * all.transfers) +
         (of_a_shared * all.shared) + (of_a_local * locals) +
         (all.sends * (of_a_message + (of_a_message_beside_another * all.most_sends)));
}

double work_of_stand_in(const SubCollective& part, int rank, std::int64_t block) {
  const int members = part.group.size();
  const std::int64_t bytes = bytes_of_part(part.collective, members, part.from.count * block, part.into.count * block);
  const Bound bound = stand_in(part.collective, members, bytes);
  const Situation situation{part.collective, members, bytes, bytes};
  const int place = part.group.index_of(rank);
  return work(bound.schedule(bound.team(situation, place, part.root)), place, block_of(bound, situation));
}

/// The work of all ranks, from rank 0, which may be a root, and a few others; infinite where it is more than `most`.
double estimate(const Bound& bound, const Situation& situation, double most) {
  const int ranks = situation.ranks;
  const std::int64_t block = block_of(bound, situation);
  const auto of_rank = [&](int rank) { return work(bound.schedule(bound.team(situation, rank, 0)), rank, block); };
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
  constexpr double at_few = 24'000;
  constexpr double of_a_rank = 20;
  return at_few + (of_a_rank * ranks);
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
  for (const int rank : ranks) hosts.push_back(model_.hosts[static_cast<std::size_t>(rank)]);
  const Key key{situation.collective, situation.bytes, situation.elements, situation.commutative, situation.in_place};
  const std::lock_guard lock(guard_);
  auto placement = placements_.find(hosts);
  if (placement == placements_.end())
    placement = placements_.emplace(hosts, Placement{Network(model_.platform, hosts), {}}).first;
  auto call = placement->second.calls.find(key);
  if (call == placement->second.calls.end()) call = placement->second.calls.emplace(key, affordable(situation)).first;
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
