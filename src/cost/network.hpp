#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "topology/places.hpp"
#include "topology/platform.hpp"

namespace starling {

/// The links between the ranks of a job. Each cable is two directed links, so that both directions have its full rate.
/// Nodes are the switches, then the hosts.
class Network {
 public:
  /// `hosts[r]` is the host of rank r, `domains[r]` its domain there; without `domains` each host is one.
  Network(const Platform& platform, std::vector<int> hosts, std::span<const int> domains = {});

  [[nodiscard]] int ranks() const { return static_cast<int>(hosts_.size()); }
  [[nodiscard]] int nodes() const { return static_cast<int>(above_.size()); }
  /// The cable of a node to the switch above it; the topmost switch has none: parent -1.
  [[nodiscard]] const Uplink& cable(int node) const { return above_[static_cast<std::size_t>(node)]; }
  [[nodiscard]] bool is_host(int node) const { return node >= switches_; }
  /// Ranks on a host, or below a switch.
  [[nodiscard]] int ranks_below(int node) const { return below_[static_cast<std::size_t>(node)]; }
  /// The node of the host of a rank.
  [[nodiscard]] int node_of(int rank) const { return switches_ + hosts_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] bool on_one_host(int a, int b) const { return node_of(a) == node_of(b); }
  /// Domains of all hosts that have ranks, and that of a rank by number.
  [[nodiscard]] int domains() const { return domains_.nodes(); }
  [[nodiscard]] int domain_of(int rank) const { return domains_.node_of(rank); }

  /// Bits per second of each directed link: upwards from node n is link 2 n, downwards to it 2 n + 1.
  [[nodiscard]] std::vector<std::int64_t> rates() const;
  /// Links of the longest way between two ranks, at most.
  [[nodiscard]] int longest_path() const { return longest_path_; }
  /// The links from rank `from` to rank `to`, in no particular order, written into `into`, which has room for the
  /// longest path; none on one host.
  [[nodiscard]] std::span<const int> path(int from, int to, std::span<int> into) const;
  /// Seconds that the links between two ranks add.
  [[nodiscard]] double latency(int from, int to) const;

 private:
  /// Calls `use(node, upwards)` for each cable between two ranks.
  template <class Use>
  void along(int from, int to, Use use) const {
    int up = node_of(from);
    int down = node_of(to);
    while (up != down) {
      const bool climb = depths_[static_cast<std::size_t>(up)] >= depths_[static_cast<std::size_t>(down)];
      int& node = climb ? up : down;
      use(node, climb);
      node = above_[static_cast<std::size_t>(node)].parent;
    }
  }

  int switches_;
  std::vector<int> hosts_;  ///< of ranks
  Places domains_;          ///< in place of nodes
  std::vector<Uplink> above_;
  std::vector<int> depths_;
  std::vector<int> below_;
  int longest_path_ = 0;
};

}  // namespace starling
