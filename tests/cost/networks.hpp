#pragma once

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "cost/network.hpp"
#include "topology/platform.hpp"

namespace starling {

inline constexpr std::int64_t mega = 1'000'000;  ///< bits per second

/// `each` hosts on each of `switches` switches, which hang off the first one. Hosts have links of 8 Mbit/s, so that a
/// byte takes a microsecond, switches of `trunk` bits per second; each link adds `latency` seconds.
inline Platform star(int switches, int each, std::int64_t trunk = 8 * mega, double latency = 0, int places = 1) {
  std::string names;
  std::string hosts;
  std::string links;
  const auto named = [](const char* kind, int number) { return std::string(kind).append(std::to_string(number)); };
  const auto link = [&](const std::string& one, const std::string& other, std::int64_t rate) {
    links += (links.empty() ? "" : ",");
    links += R"({"between":[")" + one + R"(",")" + other + R"("],"rate":)" + std::to_string(rate) + R"(,"latency":)" +
             std::to_string(latency) + "}";
  };
  for (int i = 0; i < switches; ++i) {
    names += (i == 0 ? "\"" : ",\"") + named("s", i) + "\"";
    if (i > 0) link("s0", named("s", i), trunk);
  }
  for (int i = 0; i < switches * each; ++i) {
    hosts += (i == 0 ? "" : ",") + (R"({"name":")" + named("h", i)) + R"(","ranks":)" + std::to_string(places) + "}";
    link(named("h", i), named("s", i / each), 8 * mega);
  }
  return Platform::from_json(R"({"switches":[)" + names + R"(],"hosts":[)" + hosts + R"(],"links":[)" + links + "]}");
}

/// The network of one rank on each host of a star.
inline Network star_network(int switches, int each, std::int64_t trunk = 8 * mega, double latency = 0) {
  const Platform platform = star(switches, each, trunk, latency);
  return {platform, platform.placed(switches * each)};
}

}  // namespace starling
