#include "knowledge/run_record.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <tuple>

namespace starling {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json, int indent) {
  // Names come from outside (a program's path): bytes that are not UTF-8 must not keep the record from being written.
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json number_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

template <typename Value>
Json or_null(const std::optional<Value>& value) {
  if constexpr (std::is_floating_point_v<Value>) return value ? number_or_null(*value) : Json(nullptr);
  return value ? Json(*value) : Json(nullptr);
}

template <typename Value>
std::optional<Value> optional_at(const Json& json, const char* key) {
  const Json& value = json.at(key);
  return value.is_null() ? std::nullopt : std::optional(value.get<Value>());
}

/// A count: a whole number from 0 that fits, and that many of which can be added up.
template <typename Whole>
Whole count_from(const Json& json, const char* key) {
  constexpr std::int64_t most = std::min<std::int64_t>(std::numeric_limits<Whole>::max(), std::int64_t{1} << 50);
  if (!json.is_number_integer() || json.get<double>() < 0 || json.get<double>() > static_cast<double>(most))
    throw std::runtime_error(std::string("its '") + key + "' is no count");
  return json.get<Whole>();
}

template <typename Whole>
void count_at(const Json& json, const char* key, Whole& target) {
  target = count_from<Whole>(json.at(key), key);
}

double number_at(const Json& json, const char* key) {
  return optional_at<double>(json, key).value_or(std::numeric_limits<double>::quiet_NaN());
}

/// A parameter's value as a number where it is written just as JSON writes that number, so that nothing is lost on the
/// way back.
Json parameter_value(const std::string& text) {
  const bool begins = !text.empty() && (text.front() == '-' || (text.front() >= '0' && text.front() <= '9'));
  const Json number = begins ? Json::parse(text, nullptr, false) : Json(nullptr);
  return number.is_number() && text_of(number, -1) == text ? number : Json(text);
}

std::string parameter_text(const Json& value) {
  if (value.is_structured()) throw std::runtime_error("a parameter in it is neither text nor number");
  return value.is_string() ? value.get<std::string>() : text_of(value, -1);
}

Json json_of(const CandidateRecord& candidate) {
  Json parameters = Json::object();
  for (const auto& [name, value] : candidate.parameters) parameters[name] = parameter_value(value);
  return {{"name", candidate.name},
          {"parameters", std::move(parameters)},
          {"samples", candidate.samples},
          {"median_s", or_null(candidate.median_s)},
          {"min_s", or_null(candidate.min_s)},
          {"agreed_s", or_null(candidate.agreed_s)},
          {"eligible", candidate.eligible},
          {"reason", candidate.reason}};
}

CandidateRecord candidate_from(const Json& json) {
  CandidateRecord candidate;
  json.at("name").get_to(candidate.name);
  for (const auto& [name, value] : json.at("parameters").items())
    candidate.parameters.emplace_back(name, parameter_text(value));
  count_at(json, "samples", candidate.samples);
  candidate.median_s = optional_at<double>(json, "median_s");
  candidate.min_s = optional_at<double>(json, "min_s");
  if (json.contains("agreed_s")) candidate.agreed_s = optional_at<double>(json, "agreed_s");
  json.at("eligible").get_to(candidate.eligible);
  json.at("reason").get_to(candidate.reason);
  return candidate;
}

Json json_of(const PhaseRecord& phase) {
  return {{"calls", phase.calls},
          {"seconds", number_or_null(phase.seconds)},
          {"bookkeeping_seconds", number_or_null(phase.bookkeeping_seconds)}};
}

PhaseRecord phase_from(const Json& json) {
  return {count_from<std::int64_t>(json.at("calls"), "calls"), number_at(json, "seconds"),
          number_at(json, "bookkeeping_seconds")};
}

/// Null for -1, the decision's word for no candidate.
Json candidate_at(const ContextRecord& context, int index) {
  if (index < 0 || static_cast<std::size_t>(index) >= context.candidates.size()) return nullptr;
  return public_name(context.candidates[static_cast<std::size_t>(index)]);
}

int index_of(const std::vector<CandidateRecord>& candidates, const std::string& name) {
  const auto found = std::find_if(candidates.begin(), candidates.end(),
                                  [&](const auto& candidate) { return public_name(candidate) == name; });
  return found == candidates.end() ? -1 : static_cast<int>(found - candidates.begin());
}

Json json_of(const ContextRecord& context) {
  Json candidates = Json::array();
  for (const CandidateRecord& candidate : context.candidates) candidates.push_back(json_of(candidate));
  Json decisions = Json::array();
  for (const Decision& decision : context.decisions) {
    decisions.push_back({{"call", decision.call},
                         {"from", candidate_at(context, decision.from)},
                         {"to", candidate_at(context, decision.to)},
                         {"why", decision.why}});
  }
  return {{"collective", context.collective},
          {"bytes", or_null(context.bytes)},
          {"bucket", context.bucket},
          {"ranks", context.ranks},
          {"nodes", context.nodes},
          {"ranks_per_node", context.ranks_per_node},
          {"in_place", context.in_place},
          {"operator_class", or_null(context.operator_class)},
          {"calls", context.calls},
          {"stage", context.stage},
          {"winner", context.winner},
          {"candidates", std::move(candidates)},
          {"seconds", number_or_null(context.seconds)},
          {"tuning_seconds", number_or_null(context.tuning_seconds)},
          {"slowest_seconds", or_null(context.slowest_seconds)},
          {"slowest_tuning_seconds", or_null(context.slowest_tuning_seconds)},
          {"phases", {{"exploring", json_of(context.exploring)}, {"settled", json_of(context.settled)}}},
          {"native_s", or_null(context.native_s)},
          {"decisions", std::move(decisions)},
          {"decisions_dropped", context.decisions_dropped}};
}

ContextRecord context_from(const Json& json) {
  ContextRecord context;
  json.at("collective").get_to(context.collective);
  if (!json.at("bytes").is_null()) context.bytes = count_from<std::int64_t>(json.at("bytes"), "bytes");
  json.at("bucket").get_to(context.bucket);
  count_at(json, "ranks", context.ranks);
  if (json.contains("nodes")) count_at(json, "nodes", context.nodes);
  if (json.contains("ranks_per_node")) count_at(json, "ranks_per_node", context.ranks_per_node);
  json.at("in_place").get_to(context.in_place);
  context.operator_class = optional_at<std::string>(json, "operator_class");
  count_at(json, "calls", context.calls);
  json.at("stage").get_to(context.stage);
  json.at("winner").get_to(context.winner);
  for (const Json& candidate : json.at("candidates")) context.candidates.push_back(candidate_from(candidate));
  context.seconds = number_at(json, "seconds");
  context.tuning_seconds = number_at(json, "tuning_seconds");
  if (json.contains("slowest_seconds")) context.slowest_seconds = optional_at<double>(json, "slowest_seconds");
  if (json.contains("slowest_tuning_seconds"))
    context.slowest_tuning_seconds = optional_at<double>(json, "slowest_tuning_seconds");
  context.exploring = phase_from(json.at("phases").at("exploring"));
  context.settled = phase_from(json.at("phases").at("settled"));
  context.native_s = optional_at<double>(json, "native_s");
  const auto index = [&](const Json& name) {
    return name.is_null() ? -1 : index_of(context.candidates, name.get<std::string>());
  };
  for (const Json& decision : json.at("decisions")) {
    context.decisions.push_back({count_from<std::int64_t>(decision.at("call"), "call"), index(decision.at("from")),
                                 index(decision.at("to")), decision.at("why").get<std::string>()});
  }
  count_at(json, "decisions_dropped", context.decisions_dropped);
  return context;
}

struct Weighted {
  std::optional<double> value;
  std::int64_t samples;
};

/// The mean of what is known, weighted by samples; where neither has any, evenly.
std::optional<double> merged(const Weighted& one, const Weighted& other) {
  if (!one.value || !other.value) return one.value ? one.value : other.value;
  const std::int64_t samples = one.samples + other.samples;
  const double share = samples > 0 ? static_cast<double>(other.samples) / static_cast<double>(samples) : 0.5;
  return std::lerp(*one.value, *other.value, share);
}

std::optional<double> smaller(const std::optional<double>& one, const std::optional<double>& other) {
  if (!one || !other) return one ? one : other;
  return std::min(*one, *other);
}

/// The sum of what the slowest ranks spent; rank 0's stands for what is not known.
std::optional<double> slowest_of(const ContextRecord& one, const ContextRecord& other,
                                 std::optional<double> ContextRecord::*slowest, double ContextRecord::*first) {
  if (!(one.*slowest) && !(other.*slowest)) return std::nullopt;
  return (one.*slowest).value_or(one.*first) + (other.*slowest).value_or(other.*first);
}

void fold(CandidateRecord& into, const CandidateRecord& other) {
  into.median_s = merged({into.median_s, into.samples}, {other.median_s, other.samples});
  into.min_s = smaller(into.min_s, other.min_s);
  into.agreed_s = merged({into.agreed_s, into.samples}, {other.agreed_s, other.samples});
  into.samples += other.samples;
  into.eligible = into.eligible || other.eligible;
  if (into.eligible) into.reason.clear();
}

void fold(PhaseRecord& into, const PhaseRecord& other) {
  into.calls += other.calls;
  into.seconds += other.seconds;
  into.bookkeeping_seconds += other.bookkeeping_seconds;
}

std::int64_t samples_of(const ContextRecord& context, const std::string& name) {
  const int index = index_of(context.candidates, name);
  return index < 0 ? 0 : context.candidates[static_cast<std::size_t>(index)].samples;
}

}  // namespace

std::string public_name(const CandidateRecord& candidate) {
  std::string name = candidate.name;
  char before = '?';
  for (const auto& [parameter, value] : candidate.parameters) {
    name.append(1, before).append(parameter).append("=").append(value);
    before = ',';
  }
  return name;
}

std::string to_json_line(const ContextRecord& context) {
  return text_of(json_of(context), -1);
}

ContextRecord context_from_json_line(const std::string& line) {
  return context_from(Json::parse(line));
}

bool same_key(const ContextRecord& one, const ContextRecord& other) {
  const auto key = [](const ContextRecord& of) {
    return std::tie(of.collective, of.bytes, of.bucket, of.ranks, of.nodes, of.ranks_per_node, of.in_place,
                    of.operator_class);
  };
  return key(one) == key(other);
}

void fold(ContextRecord& into, const ContextRecord& other) {
  into.native_s = merged({into.native_s, samples_of(into, "native")}, {other.native_s, samples_of(other, "native")});
  std::vector<int> place;  // of other's candidates among the merged ones
  for (const CandidateRecord& candidate : other.candidates) {
    int index = index_of(into.candidates, public_name(candidate));
    if (index < 0) {
      index = static_cast<int>(into.candidates.size());
      into.candidates.push_back(candidate);
    } else {
      fold(into.candidates[static_cast<std::size_t>(index)], candidate);
    }
    place.push_back(index);
  }
  const auto placed = [&](int index) { return index < 0 ? -1 : place.at(static_cast<std::size_t>(index)); };
  for (const Decision& decision : other.decisions)
    into.decisions.push_back({decision.call, placed(decision.from), placed(decision.to), decision.why});
  std::stable_sort(into.decisions.begin(), into.decisions.end(),
                   [](const Decision& one, const Decision& another) { return one.call < another.call; });
  into.decisions_dropped += other.decisions_dropped;
  if (into.decisions.size() > decisions_kept) {
    const std::size_t surplus = into.decisions.size() - decisions_kept;
    into.decisions.erase(into.decisions.begin(), into.decisions.begin() + static_cast<std::ptrdiff_t>(surplus));
    into.decisions_dropped += static_cast<std::int64_t>(surplus);
  }
  if (other.calls > into.calls) {
    into.stage = other.stage;
    into.winner = other.winner;
  }
  into.slowest_seconds = slowest_of(into, other, &ContextRecord::slowest_seconds, &ContextRecord::seconds);
  into.slowest_tuning_seconds =
      slowest_of(into, other, &ContextRecord::slowest_tuning_seconds, &ContextRecord::tuning_seconds);
  into.calls += other.calls;
  into.seconds += other.seconds;
  into.tuning_seconds += other.tuning_seconds;
  fold(into.exploring, other.exploring);
  fold(into.settled, other.settled);
}

std::vector<ContextRecord> folded(std::vector<ContextRecord> contexts) {
  std::stable_sort(contexts.begin(), contexts.end(), [](const auto& a, const auto& b) { return a.calls > b.calls; });
  std::vector<ContextRecord> all;
  for (ContextRecord& one : contexts) {
    const auto same =
        std::find_if(all.begin(), all.end(), [&](const ContextRecord& other) { return same_key(one, other); });
    if (same == all.end()) {
      all.push_back(std::move(one));
    } else {
      fold(*same, one);
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
  return all;
}

RunRecord run_record_from_json(const std::string& text) try {
  constexpr int deepest = 16;  // the parser recurses
  const Json json = Json::parse(text, [](int depth, Json::parse_event_t /*event*/, const Json& /*parsed*/) {
    if (depth > deepest) throw std::runtime_error("it is nested too deeply for a run record");
    return true;
  });
  const auto schema = json.at("schema").get<std::int64_t>();
  if (schema != RunRecord::schema)
    throw std::runtime_error("it is of schema " + std::to_string(schema) + ", and this version reads schema " +
                             std::to_string(RunRecord::schema));
  RunRecord record;
  const Json& run = json.at("run");
  run.at("program").get_to(record.run.program);
  record.run.machine = run.value("machine", "");
  count_at(run, "ranks", record.run.ranks);
  count_at(run, "nodes", record.run.nodes);
  count_at(run, "ranks_per_node", record.run.ranks_per_node);
  run.at("mpi_flavour").get_to(record.run.mpi_flavour);
  run.at("mpi_version").get_to(record.run.mpi_version);
  run.at("strategy").get_to(record.run.strategy);
  for (const auto& [name, value] : run.at("settings").items())
    record.run.settings.emplace_back(name, value.get<std::string>());
  run.at("started").get_to(record.run.started);
  record.run.seconds = number_at(run, "seconds");
  for (const Json& context : json.at("contexts")) record.contexts.push_back(context_from(context));
  if (json.contains("merged")) json.at("merged").get_to(record.merged);
  for (const std::string& name : record.merged)
    if (!is_record_name(name))
      throw std::runtime_error("'" + name + "' in its list of merged files is no record's name");
  return record;
} catch (const Json::parse_error&) {
  throw std::runtime_error("it is cut short, or no JSON");
} catch (const Json::exception& error) {
  throw std::runtime_error(std::string("it is no run record: ") + error.what());
}

bool is_record_name(std::string_view name) {
  return name.ends_with(".json") && !name.starts_with('.') && name.find('/') == std::string_view::npos;
}

std::string to_json(const RunRecord& record) {
  const RunDescription& run = record.run;
  Json settings = Json::object();
  for (const auto& [name, value] : run.settings) settings[name] = value;
  Json contexts = Json::array();
  for (const ContextRecord& context : record.contexts) contexts.push_back(json_of(context));
  Json json{{"schema", RunRecord::schema},
            {"run",
             {{"program", run.program},
              {"machine", run.machine},
              {"ranks", run.ranks},
              {"nodes", run.nodes},
              {"ranks_per_node", run.ranks_per_node},
              {"mpi_flavour", run.mpi_flavour},
              {"mpi_version", run.mpi_version},
              {"strategy", run.strategy},
              {"settings", std::move(settings)},
              {"started", run.started},
              {"seconds", number_or_null(run.seconds)}}},
            {"contexts", std::move(contexts)}};
  if (!record.merged.empty()) json["merged"] = record.merged;
  return text_of(json, record.merged.empty() ? 2 : -1) + "\n";
}

}  // namespace starling
