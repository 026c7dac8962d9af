#include "topology/platform.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include "messages/json_text.hpp"
#include "messages/told.hpp"
#include "topology/nodes.hpp"

namespace starling {
namespace {

using Json = nlohmann::json;

constexpr int most_ranks_of_a_host = 4096;
constexpr double highest_rate = 1e15;
/// Switches below each other: what walks through the tree recurses.
constexpr int deepest = 1000;

/// The nodes of the description and the links between them; switches count from 0, hosts behind them.
struct Graph {
  struct End {
    int other;
    Uplink link;
  };
  std::map<std::string, int> number;
  std::vector<std::vector<End>> links;

  void add(const std::string& name) {
    if (!number.emplace(name, static_cast<int>(links.size())).second)
      throw std::runtime_error("'" + told(name) + "' is there twice");
    links.emplace_back();
  }
  [[nodiscard]] int find(const std::string& name) const {
    const auto found = number.find(name);
    if (found == number.end())
      throw std::runtime_error("a link goes to '" + told(name) + "', which is neither switch nor host");
    return found->second;
  }
};

}  // namespace

Platform Platform::from_json(const std::string& text) try {
  const auto json = parsed_json<Json>(text);
  Platform platform;
  Graph graph;
  for (const Json& name : json.at("switches")) graph.add(name.get<std::string>());
  const auto switches = static_cast<int>(graph.links.size());
  for (const Json& host : json.at("hosts")) {
    platform.names_.push_back(host.at("name").get<std::string>());
    const double ranks = host.value("ranks", 1.0);
    if (!(ranks >= 1 && ranks <= most_ranks_of_a_host))
      throw std::runtime_error("'" + told(platform.names_.back()) + "' takes no number of ranks from 1 to " +
                               std::to_string(most_ranks_of_a_host));
    platform.places_.push_back(static_cast<int>(ranks));
    const double domains = host.value("domains", 0.0);
    if (!(domains >= 0 && domains <= most_ranks_of_a_host))
      throw std::runtime_error("'" + told(platform.names_.back()) + "' has no number of domains from 1 to " +
                               std::to_string(most_ranks_of_a_host));
    platform.domains_.push_back(static_cast<int>(domains));
    graph.add(platform.names_.back());
  }
  std::size_t links = 0;
  for (const Json& link : json.at("links")) {
    const auto ends = link.at("between").get<std::vector<std::string>>();
    if (ends.size() != 2) throw std::runtime_error("a link has " + std::to_string(ends.size()) + " ends");
    const int one = graph.find(ends[0]);
    const int other = graph.find(ends[1]);
    const auto rate = link.at("rate").get<double>();
    const double latency = link.value("latency", 0.0);
    if (!(rate >= 1 && rate <= highest_rate && latency >= 0))
      throw std::runtime_error("the link between '" + told(ends[0]) + "' and '" + told(ends[1]) +
                               "' has no rate from 1 to 10^15 bit/s, or a negative latency");
    const Uplink cable{-1, static_cast<std::int64_t>(rate), latency};
    graph.links[static_cast<std::size_t>(one)].push_back({other, cable});
    graph.links[static_cast<std::size_t>(other)].push_back({one, cable});
    ++links;
  }
  if (switches == 0) throw std::runtime_error("it has no switch");
  if (links + 1 != graph.links.size()) throw std::runtime_error("its links make no tree");

  // Downwards from switch 0; what is reached has a parent, and in a tree all is reached.
  std::vector<Uplink> above(graph.links.size(), Uplink{-2});
  above[0].parent = -1;
  std::vector<int> depth(graph.links.size(), 0);
  for (std::vector<int> todo{0}; !todo.empty();) {
    const int now = todo.back();
    todo.pop_back();
    for (const auto& [next, link] : graph.links[static_cast<std::size_t>(now)]) {
      Uplink& found = above[static_cast<std::size_t>(next)];
      if (found.parent != -2) continue;
      found = {now, link.rate, link.latency};
      depth[static_cast<std::size_t>(next)] = depth[static_cast<std::size_t>(now)] + 1;
      if (depth[static_cast<std::size_t>(next)] > deepest)
        throw std::runtime_error("more than " + std::to_string(deepest) + " switches are below each other");
      if (now >= switches)
        throw std::runtime_error("'" + told(platform.names_[static_cast<std::size_t>(now - switches)]) +
                                 "' has more than one link");
      todo.push_back(next);
    }
  }
  if (std::any_of(above.begin(), above.end(), [](const Uplink& one) { return one.parent == -2; }))
    throw std::runtime_error("its links make no tree");
  platform.switches_.assign(above.begin(), above.begin() + switches);
  platform.hosts_.assign(above.begin() + switches, above.end());
  return platform;
} catch (const Json::exception& error) {
  throw std::runtime_error("it is no platform file: " + told(error.what()));
}

Platform Platform::of_nodes(int nodes, std::int64_t rate) {
  Platform platform;
  const auto count = static_cast<std::size_t>(nodes);
  for (int node = 0; node < nodes; ++node) platform.names_.push_back("node" + std::to_string(node));
  platform.places_.assign(count, 1);
  platform.domains_.assign(count, 0);
  platform.switches_.resize(1);
  platform.hosts_.assign(count, Uplink{.parent = 0, .rate = rate});
  return platform;
}

std::optional<int> Platform::host(std::string_view name) const {
  for (const std::string_view wanted : {name, name.substr(0, name.find('.'))}) {
    const auto found = std::find(names_.begin(), names_.end(), wanted);
    if (found != names_.end()) return static_cast<int>(found - names_.begin());
  }
  return std::nullopt;
}

SwitchTree Platform::tree(std::span<const int> hosts) const {
  std::vector<int> parents;
  parents.reserve(switches_.size());
  for (const Uplink& one : switches_) parents.push_back(one.parent);
  std::vector<int> ranks(hosts_.size());
  for (const int host : hosts) ++ranks[static_cast<std::size_t>(host)];
  std::map<int, int> machines;  // switches that stand for hosts of several ranks
  std::vector<int> switches;
  for (const int host : hosts) {
    const int above = hosts_[static_cast<std::size_t>(host)].parent;
    if (ranks[static_cast<std::size_t>(host)] == 1) {
      switches.push_back(above);
      continue;
    }
    const auto [machine, is_new] = machines.emplace(host, static_cast<int>(parents.size()));
    if (is_new) parents.push_back(above);
    switches.push_back(machine->second);
  }
  return {std::move(parents), std::move(switches)};
}

std::vector<int> Platform::domains_of(std::span<const int> hosts) const {
  std::vector<int> counts;
  counts.reserve(hosts.size());
  for (const int host : hosts) counts.push_back(domains(host));
  return domains_in_blocks(hosts, counts);
}

std::vector<int> Platform::placed(int ranks) const {
  std::vector<int> found;
  for (std::size_t host = 0; host < places_.size(); ++host)
    for (int place = 0; place < places_[host] && static_cast<int>(found.size()) < ranks; ++place)
      found.push_back(static_cast<int>(host));
  return found;
}

}  // namespace starling
