#include "cost/lower_bound.hpp"

#include <algorithm>

namespace starling {
namespace {

struct Crossing {
  double upwards;    ///< bytes that must leave what lies below a cable
  double downwards;  ///< bytes that must enter it
};

bool is_below(const Network& network, int node, int rank) {
  int now = network.node_of(rank);
  while (now >= 0 && now != node) now = network.cable(now).parent;
  return now == node;
}

/// Bytes over the cable of `node`, which has `inside` ranks below it and `outside` others.
Crossing crossing(Collective collective, double bytes, int root, const Network& network, int node) {
  const auto inside = static_cast<double>(network.ranks_below(node));
  const double outside = network.ranks() - inside;
  const bool has_root = is_below(network, node, root);
  switch (collective) {
    case Collective::allgather:
    case Collective::allgatherv: return {inside * bytes, outside * bytes};
    case Collective::alltoall:
    case Collective::alltoallv:
    case Collective::alltoallw: return {inside * outside * bytes, inside * outside * bytes};
    case Collective::allreduce: return {bytes, bytes};
    case Collective::barrier: return {0, 0};
    case Collective::bcast: return has_root ? Crossing{bytes, 0} : Crossing{0, bytes};
    case Collective::reduce: return has_root ? Crossing{0, bytes} : Crossing{bytes, 0};
    case Collective::gather:
    case Collective::gatherv: return has_root ? Crossing{0, outside * bytes} : Crossing{inside * bytes, 0};
    case Collective::scatter:
    case Collective::scatterv: return has_root ? Crossing{outside * bytes, 0} : Crossing{0, inside * bytes};
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block: return {outside * bytes, inside * bytes};
    case Collective::scan:
    case Collective::exscan:
      // All others need the first rank's vector, and the last rank something from all others.
      return {is_below(network, node, 0) ? bytes : 0, is_below(network, node, network.ranks() - 1) ? bytes : 0};
    case Collective::neighbor_allgather:
    case Collective::neighbor_allgatherv:
    case Collective::neighbor_alltoall:
    case Collective::neighbor_alltoallv:
    case Collective::neighbor_alltoallw: return {0, 0};  // who has a link to whom is not known here
  }
  return {0, 0};
}

}  // namespace

double lower_bound(Collective collective, std::int64_t bytes, int root, const Network& network,
                   const CostParameters& parameters) {
  if (network.ranks() < 2 || (bytes == 0 && collective != Collective::barrier)) return 0;
  double slowest = 0;  // bytes by bits per second
  double hosts = 0;
  double all_rates = 0;
  for (int node = 0; node < network.nodes(); ++node) {
    const int inside = network.ranks_below(node);
    if (inside == 0 || inside == network.ranks()) continue;
    const Crossing bytes_over = crossing(collective, static_cast<double>(bytes), root, network, node);
    const auto rate = static_cast<double>(network.cable(node).rate);
    slowest = std::max(slowest, std::max(bytes_over.upwards, bytes_over.downwards) / rate);
    if (!network.is_host(node)) continue;
    ++hosts;
    all_rates += rate;
  }
  const double message = 2 * parameters.overhead;
  if (hosts == 0) return parameters.memory_latency;  // in memory that ranks share there is no message
  if (collective == Collective::allreduce)
    slowest = std::max(slowest, 2 * (hosts - 1) * static_cast<double>(bytes) / all_rates);
  return message + parameters.latency + (8 * slowest / parameters.rate_share);
}

}  // namespace starling
