#include "cost/parameters_file.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <stdexcept>
#include <string_view>

#include "messages/json_text.hpp"
#include "messages/told.hpp"

namespace starling {
namespace {

using Json = nlohmann::ordered_json;

constexpr int schema = 1;

struct Key {
  std::string_view name;
  double CostParameters::*value;
  double most;  ///< what a mistaken unit would exceed
};

constexpr std::array keys{
    Key{"overhead_s", &CostParameters::overhead, 1},
    Key{"gap_s", &CostParameters::gap, 1},
    Key{"latency_s", &CostParameters::latency, 1},
    Key{"rate_share", &CostParameters::rate_share, 2},
    Key{"memory_latency_s", &CostParameters::memory_latency, 1},
    Key{"memory_s_per_byte", &CostParameters::memory_per_byte, 1},
    Key{"domain_latency_s", &CostParameters::domain_latency, 1},
    Key{"domain_s_per_byte", &CostParameters::domain_per_byte, 1},
    Key{"copy_s_per_byte", &CostParameters::copy_per_byte, 1},
    Key{"combine_s_per_byte", &CostParameters::combine_per_byte, 1},
};
constexpr std::string_view rendezvous_key = "rendezvous_bytes";
constexpr std::string_view turns_key = "large_take_turns";
/// How and where they were measured: for people, ignored here.
constexpr std::string_view notes_key = "measured";

double number(const std::string& name, const Json& value, double most) {
  if (!value.is_number()) throw std::runtime_error(told(name) + ": it must be a number, not " + told(value.dump()));
  const auto found = value.get<double>();
  if (!std::isfinite(found) || found < 0 || found > most)
    throw std::runtime_error(told(name) + ": " + told(value.dump()) + " is not from 0 to " + Json(most).dump());
  return found;
}

void take(const std::string& name, const Json& value, CostParameters& into) {
  if (name == notes_key) return;
  if (name == "schema") {
    if (value != schema)
      throw std::runtime_error("schema " + told(value.dump()) + " is not known; this version reads 1");
    return;
  }
  if (name == turns_key) {
    if (!value.is_boolean())
      throw std::runtime_error(told(name) + ": it must be true or false, not " + told(value.dump()));
    into.large_take_turns = value.get<bool>();
    return;
  }
  if (name == rendezvous_key) {
    into.rendezvous = static_cast<std::int64_t>(number(name, value, 1e15));
    return;
  }
  for (const Key& key : keys) {
    if (key.name != name) continue;
    into.*key.value = number(name, value, key.most);
    return;
  }
  throw std::runtime_error(told(name) + ": unknown key; remove it, or correct its name");
}

}  // namespace

CostParameters parameters_from_json(const std::string& text) try {
  const auto json = parsed_json<Json>(text);
  if (!json.is_object() || !json.contains("schema"))
    throw std::runtime_error("it is no file of parameters: it has no \"schema\"");
  CostParameters found;
  for (const auto& [name, value] : json.items()) take(name, value, found);
  if (found.rate_share <= 0) throw std::runtime_error("rate_share: it must be more than 0");
  return found;
} catch (const Json::exception&) {
  throw std::runtime_error(
      "it is no file of parameters: it is cut short, or no JSON; make one with: starling calibrate");
}

std::string as_json(const CostParameters& parameters) {
  Json json{{"schema", schema}};
  for (const Key& key : keys) json[std::string(key.name)] = parameters.*key.value;
  json[std::string(rendezvous_key)] = parameters.rendezvous;
  json[std::string(turns_key)] = parameters.large_take_turns;
  return json.dump(1) + "\n";
}

}  // namespace starling
