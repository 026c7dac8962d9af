#include "runtime/contexts/refusals.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <tuple>
#include <utility>

#include "messages/shared.hpp"
#include "topology/places.hpp"

namespace starling {
namespace {

/// refusal_here for one size.
std::string refusal_at(const Way& way, const Situation& situation, const Settings& settings,
                       const StrategyKind& strategy) {
  if (situation.bytes == 0 && situation.collective != Collective::barrier) return "there is no data";
  if (settings.shared_memory == 0 && way.shares_memory())
    return "STARLING_SHARED_MEMORY is 0: ranks of a node share none";
  if (strategy.forces) return way.refusal(situation);
  if (situation.ranks == 1) return "there is only one rank";
  if (!settings.admits(name_of(situation.collective), way.algorithm_name(), way.name()))
    return "left out by --only or --except";
  if (settings.reproducible && reduces(situation.collective))
    return "--reproducible keeps the order of native's reductions";
  if (strategy.learns && way.probe_up_to() > 0 && situation.bytes > way.probe_up_to())
    return "only tried up to " + std::to_string(way.probe_up_to()) + " bytes";
  return way.refusal(situation);
}

/// All that refusals depend on besides the settings of the run. The network's switches are not in it: where they are
/// known nothing is kept.
struct Asked {
  Collective collective;
  int ranks;
  std::size_t ways;
  CallKey key;
  std::int64_t bytes;
  std::int64_t elements;
  const StrategyKind* strategy;
  const Places* places;  ///< may be null

  [[nodiscard]] bool is_like(const Asked& other) const {
    const auto facts = [](const Asked& one) {
      return std::tie(one.collective, one.key, one.bytes, one.elements, one.ranks, one.ways, one.strategy);
    };
    if (facts(*this) != facts(other)) return false;
    return places == nullptr || other.places == nullptr ? places == other.places : *places == *other.places;
  }
};

struct Answered {
  Asked asked;
  std::shared_ptr<const Places> places;  ///< those of `asked`
  std::shared_ptr<const std::vector<Interned>> refusals;
};

struct Answers {
  std::mutex guard;
  std::vector<Answered> latest;
  std::size_t next = 0;
};

/// Never destroyed: a program may call MPI while its own statics are destroyed.
Answers& answers() {
  static auto& all = *new Answers;
  return all;
}

}  // namespace

std::string refusal_here(const Way& way, const Facts& facts, const Settings& settings, const StrategyKind& strategy) {
  if (!facts.key.bucket || facts.situation.bytes == 0) return refusal_at(way, facts.situation, settings, strategy);
  const auto of_bytes = [&](std::int64_t bytes) {
    Situation situation = facts.situation;
    const std::int64_t bytes_of_one =
        std::max<std::int64_t>(1, situation.bytes / std::max<std::int64_t>(1, situation.elements));
    situation.elements = std::max<std::int64_t>(1, bytes / bytes_of_one);
    situation.bytes = bytes;
    return refusal_at(way, situation, settings, strategy);
  };
  std::string why = of_bytes(facts.key.bytes);
  return why.empty() ? of_bytes(facts.key.up_to - 1) : why;
}

std::shared_ptr<const std::vector<Interned>> refusals_here(std::span<const Way> ways, const Facts& facts,
                                                           const Settings& settings, const StrategyKind& strategy) {
  constexpr std::size_t most_kept = 64;
  const Situation& situation = facts.situation;
  Asked asked{.collective = situation.collective,
              .ranks = situation.ranks,
              .ways = ways.size(),
              .key = facts.key,
              .bytes = situation.bytes,
              .elements = situation.elements,
              .strategy = &strategy,
              .places = situation.places};
  const bool may_be_kept = situation.tree == nullptr && !strategy.forces && !strategy.takes_advice;
  Answers& kept = answers();
  if (may_be_kept) {
    const std::lock_guard lock(kept.guard);
    for (const Answered& one : kept.latest)
      if (one.asked.is_like(asked)) return one.refusals;
  }
  std::vector<Interned> found(1);
  for (const Way& way : ways.subspan(1)) found.emplace_back(refusal_here(way, facts, settings, strategy));
  auto refusals = shared(std::move(found));
  if (!may_be_kept) return refusals;
  std::shared_ptr<const Places> places = situation.places != nullptr ? shared(Places(*situation.places)) : nullptr;
  asked.places = places.get();
  const std::lock_guard lock(kept.guard);
  if (kept.latest.size() < most_kept)
    kept.latest.push_back({asked, std::move(places), refusals});
  else
    kept.latest[std::exchange(kept.next, (kept.next + 1) % most_kept)] = {asked, std::move(places), refusals};
  return refusals;
}

}  // namespace starling
