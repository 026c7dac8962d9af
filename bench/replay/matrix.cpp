#include "matrix.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "messages/json_text.hpp"
#include "messages/told.hpp"

namespace starling::replay {
namespace {

using Json = nlohmann::json;

RecordedCandidate candidate_from(const Json& json) {
  RecordedCandidate one;
  one.name = json.at("name").get<std::string>();
  one.group = json.value("group", std::string());
  const Json attributes = json.value("attributes", Json::object());
  for (const auto& [name, value] : attributes.items()) one.attributes.emplace_back(name, value.get<std::string>());
  if (json.contains("predicted_s")) one.predicted_s = json.at("predicted_s").get<double>();
  one.seconds = json.at("seconds").get<std::vector<double>>();
  const auto is_time = [](double value) { return std::isfinite(value) && value > 0; };
  bool right = !one.seconds.empty() && is_time(one.predicted_s.value_or(1));
  for (const double value : one.seconds) right = right && is_time(value);
  if (!right) throw std::runtime_error("'" + told(one.name) + "' has a time that is none, or no time");
  return one;
}

}  // namespace

std::vector<Matrix> matrices_from_json(const std::string& text) try {
  const auto json = parsed_json<Json>(text);
  if (json.at("schema").get<double>() != 1) throw std::runtime_error("its schema is not 1");
  std::vector<Matrix> all;
  for (const Json& row : json.at("matrices")) {
    Matrix& matrix = all.emplace_back();
    matrix.what = row.at("what").get<std::string>();
    matrix.bytes = static_cast<std::int64_t>(std::clamp(row.value("bytes", 0.0), 0.0, 1e15));
    matrix.platform = row.value("platform", std::string());
    matrix.mpi = row.value("mpi", std::string());
    matrix.ranks = static_cast<int>(std::clamp(row.value("ranks", 1.0), 1.0, 1e8));
    matrix.nodes = static_cast<int>(std::clamp(row.value("nodes", 0.0), 0.0, 1e8));
    for (const Json& one : row.at("candidates")) matrix.candidates.push_back(candidate_from(one));
    const bool is_begun = !matrix.candidates.empty() &&
                          (matrix.candidates.front().name == "native" || !matrix.candidates.front().attributes.empty());
    if (!is_begun)
      throw std::runtime_error("matrix " + std::to_string(all.size()) +
                               " does not begin with native, nor with a function of the program that has attributes");
  }
  return all;
} catch (const Json::exception& error) {
  throw std::runtime_error("it is no file of matrices: " + told(error.what()));
}

}  // namespace starling::replay
