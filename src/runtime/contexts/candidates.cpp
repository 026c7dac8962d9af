#include "runtime/contexts/candidates.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "messages/interned.hpp"
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

/// The latest of something, at most so many.
template <class One, std::size_t most>
class Latest {
 public:
  template <class Wanted>
  [[nodiscard]] const One* find(const Wanted& wanted) const {
    const auto found = std::find_if(kept_.begin(), kept_.end(), wanted);
    return found == kept_.end() ? nullptr : &*found;
  }
  void keep(One one) {
    if (kept_.size() < most)
      kept_.push_back(std::move(one));
    else
      kept_[std::exchange(oldest_, (oldest_ + 1) % most)] = std::move(one);
  }

 private:
  std::vector<One> kept_;
  std::size_t oldest_ = 0;
};

struct Listed {
  Collective collective;
  int ranks;
  bool has_attributes;
  Candidates candidates;
};

/// A list takes ten times the memory of its refusals.
struct Answers {
  std::mutex guard;
  Latest<Answered, 64> refusals;
  Latest<Listed, 8> lists;
};

/// Never destroyed: a program may call MPI while its own statics are destroyed.
Answers& answers() {
  static auto& all = *new Answers;
  return all;
}

/// Whether the ways of a context are all of its collective, or native alone.
bool has_usual_ways(const StrategyKind& strategy) {
  return !strategy.forces && !strategy.takes_advice;
}

/// refusal_here of each of `ways`.
std::shared_ptr<const std::vector<Interned>> refusals_here(std::span<const Way> ways, const Facts& facts,
                                                           const Settings& settings, const StrategyKind& strategy) {
  const Situation& situation = facts.situation;
  Asked asked{.collective = situation.collective,
              .ranks = situation.ranks,
              .ways = ways.size(),
              .key = facts.key,
              .bytes = situation.bytes,
              .elements = situation.elements,
              .strategy = &strategy,
              .places = situation.places};
  const bool may_be_kept = situation.tree == nullptr && has_usual_ways(strategy);
  Answers& kept = answers();
  if (may_be_kept) {
    const std::scoped_lock lock(kept.guard);
    if (const Answered* const known = kept.refusals.find([&](const Answered& one) { return one.asked.is_like(asked); }))
      return known->refusals;
  }
  std::vector<Interned> found(1);
  for (const Way& way : ways.subspan(1)) found.emplace_back(refusal_here(way, facts, settings, strategy));
  auto refusals = shared(std::move(found));
  if (!may_be_kept) return refusals;
  std::shared_ptr<const Places> places = situation.places != nullptr ? shared(Places(*situation.places)) : nullptr;
  asked.places = places.get();
  const std::scoped_lock lock(kept.guard);
  kept.refusals.keep({asked, std::move(places), refusals});
  return refusals;
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

Candidates candidates_here(std::span<const Way> ways, const Facts& facts, const Settings& settings,
                           const StrategyKind& strategy) {
  const auto refusals = refusals_here(ways, facts, settings, strategy);
  const Situation& situation = facts.situation;
  // Switches may be known: they are in the refusals, by which a list is found.
  const bool may_be_kept = has_usual_ways(strategy);
  Answers& kept = answers();
  if (may_be_kept) {
    const std::scoped_lock lock(kept.guard);
    const Listed* const known = kept.lists.find([&](const Listed& one) {
      return one.candidates.summary().refusals == refusals && one.collective == situation.collective &&
             one.ranks == situation.ranks && one.has_attributes == strategy.by_attributes;
    });
    if (known != nullptr) return known->candidates;
  }
  std::vector<Candidate> all(ways.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].name = ways[i].name();
    all[i].group = ways[i].group();
    if (strategy.by_attributes) all[i].attributes = ways[i].attributes();
    all[i].refusal = (*refusals)[i];
  }
  Candidates candidates(std::move(all));
  if (!may_be_kept) return candidates;
  (void)candidates.summary();  // before other threads have copies
  const std::scoped_lock lock(kept.guard);
  kept.lists.keep({situation.collective, situation.ranks, strategy.by_attributes, candidates});
  return candidates;
}

}  // namespace starling
