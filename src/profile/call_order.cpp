#include "profile/call_order.hpp"

#include <algorithm>

namespace starling {

int CallOrder::number_of(const Kind& kind) {
  if (const auto found = numbers_.find(kind); found != numbers_.end()) return found->second;
  if (kinds_.size() == most_kinds) return -1;
  kinds_.push_back({kind});
  return numbers_[kind] = static_cast<int>(kinds_.size()) - 1;
}

void CallOrder::turn(Kinds& from, int to) {
  const auto found = std::find_if(from.next.begin(), from.next.end(), [&](const Next& one) { return one.to == to; });
  from.latest = static_cast<std::size_t>(found - from.next.begin());
  if (found != from.next.end()) return;
  if (to < 0 || pairs_ == most_pairs) {
    ++not_kept_;
    return;
  }
  ++pairs_;
  from.next.push_back({to});
}

std::vector<CallOrder::Pair> CallOrder::pairs(std::size_t most) const {
  std::vector<Pair> all;
  for (const Kinds& from : kinds_)
    for (const Next& next : from.next)
      all.push_back({from.kind, kinds_[static_cast<std::size_t>(next.to)].kind, next.calls, next.seconds_between});
  std::stable_sort(all.begin(), all.end(), [](const Pair& one, const Pair& other) { return one.calls > other.calls; });
  if (all.size() > most) all.resize(most);
  return all;
}

std::int64_t CallOrder::calls() const {
  std::int64_t sum = not_kept_;
  for (const Kinds& from : kinds_)
    for (const Next& next : from.next) sum += next.calls;
  return sum;
}

}  // namespace starling
