#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topology/switch_tree.hpp"

namespace starling {

/// The link from a switch or a host up to the switch it hangs off; the topmost switch has none.
struct Uplink {
  int parent = -1;        ///< the number of that switch
  std::int64_t rate = 0;  ///< bits per second in each direction
  double latency = 0;     ///< seconds from end to end
};

/// The hosts of a cluster and the tree of switches that connects them, as a platform file describes them
/// (docs/laboratory.md).
class Platform {
 public:
  /// Reads a platform file's text, every range of names written out. Throws std::runtime_error with one sentence that
  /// says what is wrong where.
  static Platform from_json(const std::string& text);
  /// As many hosts on one switch, with links of `rate` bits per second: what MPI tells of a cluster, which is the hosts
  /// alone. Without a rate the links are only known to be alike.
  static Platform of_nodes(int nodes, std::int64_t rate = 1);

  /// The number of the host of that name, with or without its domain; nothing for an unknown one.
  [[nodiscard]] std::optional<int> host(std::string_view name) const;
  /// The tree with `hosts[r]` as the host of rank r; a host with several ranks becomes a switch.
  [[nodiscard]] SwitchTree tree(std::span<const int> hosts) const;
  /// The links of the switches, by number.
  [[nodiscard]] std::span<const Uplink> switches() const { return switches_; }
  /// The links of the hosts, by number.
  [[nodiscard]] std::span<const Uplink> hosts() const { return hosts_; }
  /// How many domains a host has, by number; 0 where the file does not say.
  [[nodiscard]] int domains(int host) const { return domains_[static_cast<std::size_t>(host)]; }
  /// The domain of each rank, of which `hosts` has the hosts: those of a host are filled one after the other.
  [[nodiscard]] std::vector<int> domains_of(std::span<const int> hosts) const;
  /// The host of each of `ranks` ranks where every host takes as many as the file says, in the order of the file; fewer
  /// than `ranks` where there is no room for all.
  [[nodiscard]] std::vector<int> placed(int ranks) const;

 private:
  std::vector<std::string> names_;  ///< of hosts
  std::vector<int> places_;         ///< for ranks, of each host
  std::vector<int> domains_;        ///< of each host
  std::vector<Uplink> switches_;
  std::vector<Uplink> hosts_;
};

}  // namespace starling
