#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lockstep.hpp"
#include "selection/chance.hpp"

namespace starling::testing {

/// The 20 implementations of a halo exchange in table 1 of the ADCL paper, with their attributes.
inline Brief halo_set() {
  Brief brief;
  const char* kind = "messages";
  const auto add = [&](const std::string& name, const char* partners, const char* data, const char* transfer) {
    Candidate& candidate = brief.candidates.own().emplace_back();
    candidate.kind = kind;
    candidate.name = name + "_" + partners + (std::string(data) == "pack" ? "_pack" : "");
    candidate.attributes = {{"partners", partners}, {"data", data}, {"transfer", transfer}};
  };
  for (const char* data : {"ddt", "pack"}) {
    for (const char* transfer : {"IsendIrecv", "SendIrecv"})
      for (const char* partners : {"aao", "pair"}) add(transfer, partners, data, transfer);
    for (const char* transfer : {"SendRecv", "Sendrecv"}) add(transfer, "pair", data, transfer);
  }
  kind = "one-sided";
  for (const char* partners : {"aao", "pair"})
    for (const char* transfer : {"WinfencePut", "WinfenceGet", "PostStartPut", "PostStartGet"})
      add(transfer, partners, "ddt", transfer);
  return brief;
}

inline std::string value_of(const Candidate& candidate, const std::string& attribute) {
  for (const auto& [name, value] : candidate.attributes)
    if (name == attribute) return value;
  return {};
}

inline int candidate_named(const Brief& brief, const std::string& name) {
  for (std::size_t i = 0; i < brief.candidates.size(); ++i)
    if (brief.candidates[i].name == name) return static_cast<int>(i);
  ADD_FAILURE() << "no candidate " << name;
  return -1;
}

/// Made-up times of a set, and the noise of a rank's calls.
struct Case {
  std::vector<double> seconds;  ///< of each candidate
  double noise = 0;             ///< standard deviation of a single call's logarithm
  double disturbed = 0;         ///< share of calls that take ten times as long
  std::uint64_t seed = 1;

  [[nodiscard]] double best() const { return *std::min_element(seconds.begin(), seconds.end()); }
  [[nodiscard]] double ratio(int candidate) const { return seconds[static_cast<std::size_t>(candidate)] / best(); }
  [[nodiscard]] double at(int rank, int candidate, int call) const {
    Chance chance(seed * 1000003 + static_cast<std::uint64_t>(call) * 8191 + static_cast<std::uint64_t>(rank));
    const double radius = std::sqrt(-2 * std::log(1 - chance.next()));
    const double normal = radius * std::cos(2 * M_PI * chance.next());
    const double late = chance.next() < disturbed ? 10 : 1;
    return seconds[static_cast<std::size_t>(candidate)] * std::exp(noise * normal) * late;
  }
  [[nodiscard]] Lockstep::Timing timing() const {
    return [one = *this](int rank, int candidate, int call) { return one.at(rank, candidate, call); };
  }
};

/// Times to which each attribute value contributes a factor, the slowest `spread` times the fastest. The share `own` of
/// the logarithms' variance is a candidate's own: attributes interact.
inline Case made_up_case(const Brief& brief, double spread, double own, std::uint64_t seed) {
  Chance chance(seed);
  const auto normal = [&] {
    const double radius = std::sqrt(-2 * std::log(1 - chance.next()));
    return radius * std::cos(2 * M_PI * chance.next());
  };
  std::map<std::pair<std::string, std::string>, double> of_values;
  std::vector<double> logs;
  for (const Candidate& candidate : brief.candidates) {
    double shared = 0;
    for (const auto& attribute : candidate.attributes) {
      if (!of_values.contains(attribute)) of_values[attribute] = normal();
      shared += of_values[attribute] / std::sqrt(static_cast<double>(candidate.attributes.size()));
    }
    logs.push_back((std::sqrt(1 - own) * shared) + (std::sqrt(own) * normal()));
  }
  const auto [least, most] = std::minmax_element(logs.begin(), logs.end());
  Case made{.seed = seed};
  for (const double one : logs) made.seconds.push_back(1e-3 * std::pow(spread, (one - *least) / (*most - *least)));
  return made;
}

/// What counts as chosen, also while another candidate gets a call.
inline int chosen_of(const Lockstep& ranks) {
  return ranks.strategy().chosen().value_or(ranks.proposed());
}

inline int tries_of(const Lockstep& ranks, int candidate) {
  return static_cast<int>(std::count(ranks.made().begin(), ranks.made().end(), candidate));
}

inline int tried_of(const Lockstep& ranks, int candidates) {
  int tried = 0;
  for (int i = 0; i < candidates; ++i)
    if (tries_of(ranks, i) > 0) ++tried;
  return tried;
}

}  // namespace starling::testing
