#include "cost/network.hpp"

#include <algorithm>
#include <utility>

namespace starling {

Network::Network(const Platform& platform, std::vector<int> hosts, std::span<const int> domains)
    : switches_(static_cast<int>(platform.switches().size())),
      hosts_(std::move(hosts)),
      domains_(Places(hosts_, domains).by_domain()) {
  above_.assign(platform.switches().begin(), platform.switches().end());
  above_.insert(above_.end(), platform.hosts().begin(), platform.hosts().end());
  depths_.resize(above_.size());
  below_.resize(above_.size());
  for (std::size_t node = 0; node < above_.size(); ++node)
    for (int now = above_[node].parent; now >= 0; now = cable(now).parent) ++depths_[node];
  for (int rank = 0; rank < ranks(); ++rank)
    for (int now = node_of(rank); now >= 0; now = cable(now).parent) ++below_[static_cast<std::size_t>(now)];
  longest_path_ = 2 * *std::max_element(depths_.begin(), depths_.end());
}

std::vector<std::int64_t> Network::rates() const {
  std::vector<std::int64_t> found;
  found.reserve(2 * above_.size());
  for (const Uplink& one : above_) found.insert(found.end(), {one.rate, one.rate});
  return found;
}

std::span<const int> Network::path(int from, int to, std::span<int> into) const {
  std::size_t hops = 0;
  along(from, to, [&](int node, bool upwards) { into[hops++] = (2 * node) + (upwards ? 0 : 1); });
  return into.first(hops);
}

double Network::latency(int from, int to) const {
  double sum = 0;
  along(from, to, [&](int node, bool) { sum += cable(node).latency; });
  return sum;
}

}  // namespace starling
