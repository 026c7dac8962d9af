#include "tools/prediction_listing.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cost/candidate_cost.hpp"
#include "cost/lower_bound.hpp"
#include "cost/parameters_file.hpp"
#include "messages/told.hpp"
#include "tools/words.hpp"

namespace starling {
namespace {

using Json = nlohmann::ordered_json;

constexpr int most_ranks_predicted = 4096;
constexpr std::int64_t most_bytes = std::int64_t{1} << 40;
/// Of what a reduction combines: a double.
constexpr std::int64_t element_bytes = 8;

/// The file as `parse` reads it; its errors get the name of the file in front.
template <class Parse>
auto parsed(const std::string& path, Parse parse) {
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad()) throw std::invalid_argument(told(path) + ": cannot be read");
  try {
    return parse(text);
  } catch (const std::runtime_error& error) {
    throw std::invalid_argument(told(path) + ": " + error.what());
  }
}

struct Row {
  const Bound* bound;
  Prediction prediction;
};

Json listed(const Row& row) {
  const auto& [bound, prediction] = row;
  Json entry{{"name", bound->name()}, {"group", bound->group()}, {"seconds", nullptr}, {"refusal", nullptr}};
  if (prediction.refusal.empty()) {
    entry["seconds"] = prediction.seconds;
  } else {
    entry["refusal"] = prediction.refusal;
  }
  return entry;
}

}  // namespace

Json prediction_listing(std::span<const std::string_view> words) {
  if (words.size() < 4 || words.size() > 6)
    throw std::invalid_argument("predict takes PLATFORM RANKS COLLECTIVE BYTES [ROOT] [PARAMETERS]");
  const auto platform = parsed(std::string(words[0]), Platform::from_json);
  const auto ranks = static_cast<int>(number_from("the number of ranks", words[1], 1, most_ranks_predicted));
  const Collective collective = collective_from(words[2]);
  const std::int64_t bytes = number_from("the size in bytes", words[3], 0, most_bytes);
  const auto root = words.size() > 4 ? static_cast<int>(number_from("the root", words[4], 0, ranks - 1)) : 0;
  if (root != 0 && !rooted(collective))
    throw std::invalid_argument(std::string(name_of(collective)).append(" has no root"));
  const CostParameters parameters =
      words.size() > 5 ? parsed(std::string(words[5]), parameters_from_json) : CostParameters{};
  const std::vector<int> hosts = platform.placed(ranks);
  if (static_cast<int>(hosts.size()) < ranks)
    throw std::invalid_argument("the platform has room for " + std::to_string(hosts.size()) + " ranks, not for " +
                                std::to_string(ranks));

  const std::vector<int> domains = platform.domains_of(hosts);
  const Network network(platform, hosts, domains);
  const SwitchTree tree = platform.tree(hosts);
  const std::int64_t elements = reduces(collective) ? std::max<std::int64_t>(bytes / element_bytes, 1) : bytes;
  const Places places(hosts, domains);
  const Situation situation{
      .collective = collective, .ranks = ranks, .bytes = bytes, .elements = elements, .tree = &tree, .places = &places};
  const double least = lower_bound(collective, bytes, root, network, parameters);
  std::vector<Row> rows;
  const std::vector<Bound> all = candidates(collective, ranks);
  for (const Bound& bound : all) {
    Prediction found = predict(bound, situation, root, network, parameters);
    found.seconds = std::max(found.seconds, least);  // flows may end a thousandth early, see FairShares
    rows.push_back({&bound, std::move(found)});
  }
  const auto key = [](const Row& row) {
    return row.prediction.refusal.empty() ? row.prediction.seconds : std::numeric_limits<double>::infinity();
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) { return key(a) < key(b); });

  Json listing = Json::array();
  for (const Row& row : rows) listing.push_back(listed(row));
  return {{"collective", name_of(collective)},
          {"bytes", bytes},
          {"ranks", ranks},
          {"root", rooted(collective) ? Json(root) : Json(nullptr)},
          {"lower_bound_s", least},
          {"parameters", Json::parse(as_json(parameters))},
          {"candidates", std::move(listing)}};
}

}  // namespace starling
