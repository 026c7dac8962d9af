#include "matrix.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "messages/json_text.hpp"
#include "messages/told.hpp"

namespace starling::replay {
namespace {

using Json = nlohmann::ordered_json;  // attributes stay in the order of the file

/// An object of the file, and its place in it, with which messages begin; none for the whole file.
struct Place {
  const Json& json;
  std::string name;

  [[noreturn]] void refuse(const std::string& why) const {
    throw std::runtime_error(name.empty() ? why : name + ": " + why);
  }
  [[noreturn]] void refuse(const char* key, std::string_view allowed) const {
    refuse("'" + std::string(key) + "' is " + told(json.at(key).dump()) + "; it must be " + std::string(allowed));
  }
  /// The value of a key; null if it is missing.
  [[nodiscard]] const Json* find(const char* key) const {
    const auto found = json.find(key);
    return found == json.end() ? nullptr : &*found;
  }
  [[nodiscard]] const Json& at(const char* key) const {
    if (const Json* found = find(key)) return *found;
    refuse("'" + std::string(key) + "' is missing");
  }
  [[nodiscard]] std::string text(const char* key) const {
    const Json* found = find(key);
    if (found == nullptr) return {};
    if (!found->is_string()) refuse(key, "a text");
    return found->get<std::string>();
  }
  [[nodiscard]] std::string needed_text(const char* key) const {
    if (!at(key).is_string()) refuse(key, "a text");
    return text(key);
  }
  /// A number from `least`, which stands for a missing one; larger ones than `most` count as that.
  [[nodiscard]] double number(const char* key, double least, double most) const {
    const Json* found = find(key);
    if (found == nullptr) return least;
    if (!found->is_number() || found->get<double>() < least)
      refuse(key, "a number of at least " + std::to_string(static_cast<int>(least)));
    return std::min(found->get<double>(), most);
  }
};

/// The objects in the list `key`, each with the place `one` and its number.
std::vector<Place> objects(const Place& of, const char* key, const std::string& one) {
  const Json& list = of.at(key);
  if (!list.is_array() || list.empty()) of.refuse(key, "a list of at least one " + one);
  std::vector<Place> all;
  for (const Json& row : list) {
    Place& place = all.emplace_back(Place{row, one + " " + std::to_string(all.size() + 1)});
    if (!row.is_object()) place.refuse("it is " + told(row.dump()) + "; it must be an object");
  }
  return all;
}

bool is_time(const Json& value) {
  return value.is_number() && std::isfinite(value.get<double>()) && value.get<double>() > 0;
}

RecordedCandidate candidate_from(const Place& place) {
  RecordedCandidate one;
  one.name = place.needed_text("name");
  one.group = place.text("group");
  one.kind = place.text("kind");
  if (const Json* attributes = place.find("attributes")) {
    const auto is_text = [](const Json& value) { return value.is_string(); };
    if (!attributes->is_object() || !std::all_of(attributes->begin(), attributes->end(), is_text))
      place.refuse("attributes", "an object whose values are texts");
    for (const auto& [name, value] : attributes->items()) one.attributes.emplace_back(name, value.get<std::string>());
  }
  if (const Json* predicted = place.find("predicted_s")) {
    if (!is_time(*predicted)) place.refuse("predicted_s", "a number of seconds above 0");
    one.predicted_s = predicted->get<double>();
  }
  if (const Json* begins = place.find("seconds_to_begin")) {
    if (!is_time(*begins)) place.refuse("seconds_to_begin", "a number of seconds above 0");
    one.seconds_to_begin = begins->get<double>();
  }
  const Json& seconds = place.at("seconds");
  if (!seconds.is_array() || seconds.empty() || !std::all_of(seconds.begin(), seconds.end(), is_time))
    place.refuse("seconds", "a list of at least one time, each a number of seconds above 0");
  one.seconds = seconds.get<std::vector<double>>();
  return one;
}

Matrix matrix_from(const Place& place) {
  Matrix matrix;
  matrix.what = place.needed_text("what");
  matrix.bytes = static_cast<std::int64_t>(place.number("bytes", 0, 1e15));
  matrix.platform = place.text("platform");
  matrix.mpi = place.text("mpi");
  matrix.ranks = static_cast<int>(place.number("ranks", 1, 1e8));
  matrix.nodes = static_cast<int>(place.number("nodes", 0, 1e8));
  for (Place& one : objects(place, "candidates", "candidate")) {
    one.name = place.name + ", " + one.name;
    matrix.candidates.push_back(candidate_from(one));
  }
  if (matrix.candidates.front().name != "native" && matrix.candidates.front().attributes.empty())
    place.refuse("its first candidate is '" + told(matrix.candidates.front().name) +
                 "'; it must be native, or a function of the program that has attributes");
  return matrix;
}

}  // namespace

std::vector<Matrix> matrices_from_json(const std::string& text) try {
  const auto json = parsed_json<Json>(text);
  const Place file{json, ""};
  if (!json.is_object()) file.refuse("it must be an object with 'schema' and 'matrices'");
  if (file.at("schema") != 1) file.refuse("schema", "1");
  std::vector<Matrix> all;
  for (const Place& one : objects(file, "matrices", "matrix")) all.push_back(matrix_from(one));
  return all;
} catch (const Json::exception& error) {
  throw std::runtime_error("it is no JSON: " + told(error.what()));
}

}  // namespace starling::replay
