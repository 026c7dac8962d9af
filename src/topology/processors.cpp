#include "topology/processors.hpp"

#include <sched.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <map>
#include <utility>

namespace starling {
namespace {

using Ranks = std::vector<std::size_t>;

std::size_t number_of(const Processors& all) {
  std::size_t number = 0;
  for (const std::uint64_t some : all) number += static_cast<std::size_t>(std::popcount(some));
  return number;
}

bool overlap(const Processors& one, const Processors& other) {
  for (std::size_t i = 0; i < one.size(); ++i)
    if ((one[i] & other[i]) != 0) return true;
  return false;
}

bool is_within(const Processors& one, const Processors& all) {
  for (std::size_t i = 0; i < one.size(); ++i)
    if ((one[i] & ~all[i]) != 0) return false;
  return true;
}

/// Ranks of a node by what they may use.
using ByProcessors = std::map<Processors, Ranks>;

/// Ranks whose processors overlap, by themselves or by others', and these processors.
struct Neighbourhood {
  Processors processors{};
  ByProcessors ranks;
  std::size_t number = 0;  ///< of ranks

  void add(const Processors& allowed, const Ranks& more) {
    for (std::size_t i = 0; i < processors.size(); ++i) processors[i] |= allowed[i];
    ranks.emplace(allowed, more);
    number += more.size();
  }
};

std::vector<Neighbourhood> neighbourhoods(const ByProcessors& node) {
  std::vector<Neighbourhood> all;
  for (const auto& [allowed, ranks] : node) {
    Neighbourhood merged;
    merged.add(allowed, ranks);
    const auto apart = std::partition(
        all.begin(), all.end(), [&some = allowed](const Neighbourhood& one) { return !overlap(one.processors, some); });
    for (auto one = apart; one != all.end(); ++one)
      for (const auto& [its, more] : one->ranks) merged.add(its, more);
    all.erase(apart, all.end());
    all.push_back(std::move(merged));
  }
  return all;
}

void mark(const Ranks& ranks, std::vector<int>& sharing) {
  for (const std::size_t rank : ranks) sharing[rank] = 1;
}

void mark_crowded(const Neighbourhood& all, std::vector<int>& sharing) {
  const bool is_crowded = all.number > number_of(all.processors);
  for (const auto& [allowed, ranks] : all.ranks) {
    Ranks inside;
    for (const auto& [its, more] : all.ranks)
      if (is_within(its, allowed)) inside.insert(inside.end(), more.begin(), more.end());
    if (is_crowded) mark(ranks, sharing);
    if (inside.size() > number_of(allowed)) mark(inside, sharing);
  }
}

}  // namespace

Processors allowed_processors() {
  Processors allowed{};
  if (sched_getaffinity(0, sizeof allowed, reinterpret_cast<cpu_set_t*>(allowed.data())) == 0) return allowed;
  // A machine with more processors than there are bits.
  allowed.fill(~std::uint64_t{0});
  return allowed;
}

std::vector<int> sharing_processors(std::span<const int> nodes, std::span<const ProcessorShare> shares) {
  std::map<int, ByProcessors> by_node;
  std::map<std::pair<int, std::int64_t>, Ranks> by_group;
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
    const ProcessorShare& mine = shares[rank];
    if (number_of(mine.allowed) > 0) by_node[nodes[rank]][mine.allowed].push_back(rank);
    if (mine.group != 0) by_group[{nodes[rank], mine.group}].push_back(rank);
  }
  std::vector<int> sharing(nodes.size());
  for (const auto& [node, by_processors] : by_node)
    for (const Neighbourhood& one : neighbourhoods(by_processors)) mark_crowded(one, sharing);
  for (const auto& [group, ranks] : by_group)
    if (static_cast<std::int64_t>(ranks.size()) > shares[ranks.front()].quota) mark(ranks, sharing);
  return sharing;
}

}  // namespace starling
