#include "topology/platform.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

namespace starling {
namespace {

using Json = nlohmann::json;

/// The nodes of the description and the links between them; switches count from 0, hosts behind them.
struct Graph {
  std::map<std::string, int> number;
  std::vector<std::vector<int>> links;

  void add(const std::string& name) {
    if (!number.emplace(name, static_cast<int>(links.size())).second)
      throw std::runtime_error("'" + name + "' is there twice");
    links.emplace_back();
  }
  [[nodiscard]] int find(const std::string& name) const {
    const auto found = number.find(name);
    if (found == number.end())
      throw std::runtime_error("a link goes to '" + name + "', which is neither switch nor host");
    return found->second;
  }
};

}  // namespace

Platform Platform::from_json(const std::string& text) try {
  const Json json = Json::parse(text);
  Platform platform;
  Graph graph;
  for (const Json& name : json.at("switches")) graph.add(name.get<std::string>());
  const auto switches = static_cast<int>(graph.links.size());
  for (const Json& host : json.at("hosts")) {
    platform.hosts_.push_back(host.at("name").get<std::string>());
    graph.add(platform.hosts_.back());
  }
  std::size_t links = 0;
  for (const Json& link : json.at("links")) {
    const auto ends = link.at("between").get<std::vector<std::string>>();
    if (ends.size() != 2) throw std::runtime_error("a link has " + std::to_string(ends.size()) + " ends");
    const int one = graph.find(ends[0]);
    const int other = graph.find(ends[1]);
    graph.links[static_cast<std::size_t>(one)].push_back(other);
    graph.links[static_cast<std::size_t>(other)].push_back(one);
    ++links;
  }
  if (switches == 0) throw std::runtime_error("it has no switch");
  if (links + 1 != graph.links.size()) throw std::runtime_error("its links make no tree");

  // Downwards from switch 0; what is reached has a parent, and in a tree all is reached.
  std::vector<int> parents(graph.links.size(), -2);
  parents[0] = -1;
  for (std::vector<int> todo{0}; !todo.empty();) {
    const int now = todo.back();
    todo.pop_back();
    for (const int next : graph.links[static_cast<std::size_t>(now)]) {
      if (parents[static_cast<std::size_t>(next)] != -2) continue;
      parents[static_cast<std::size_t>(next)] = now;
      if (now >= switches)
        throw std::runtime_error("'" + platform.hosts_[static_cast<std::size_t>(now - switches)] +
                                 "' has more than one link");
      todo.push_back(next);
    }
  }
  if (std::find(parents.begin(), parents.end(), -2) != parents.end())
    throw std::runtime_error("its links make no tree");
  platform.parents_.assign(parents.begin(), parents.begin() + switches);
  platform.switch_of_host_.assign(parents.begin() + switches, parents.end());
  return platform;
} catch (const Json::exception& error) {
  throw std::runtime_error(std::string("it is no platform file: ") + error.what());
}

std::optional<int> Platform::host(std::string_view name) const {
  for (const std::string_view wanted : {name, name.substr(0, name.find('.'))}) {
    const auto found = std::find(hosts_.begin(), hosts_.end(), wanted);
    if (found != hosts_.end()) return static_cast<int>(found - hosts_.begin());
  }
  return std::nullopt;
}

SwitchTree Platform::tree(std::span<const int> hosts) const {
  std::vector<int> parents = parents_;
  std::vector<int> ranks(hosts_.size());
  for (const int host : hosts) ++ranks[static_cast<std::size_t>(host)];
  std::map<int, int> machines;  // switches that stand for hosts of several ranks
  std::vector<int> switches;
  for (const int host : hosts) {
    const int above = switch_of_host_[static_cast<std::size_t>(host)];
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

}  // namespace starling
