#include "knowledge/run_record.hpp"

#include <algorithm>

namespace starling {

std::string public_name(const CandidateRecord& candidate) {
  std::string name = candidate.name;
  char before = '?';
  for (const auto& [parameter, value] : candidate.parameters) {
    name.append(1, before).append(parameter).append("=").append(value);
    before = ',';
  }
  return name;
}

namespace {

/// Whether `name` is its public name.
bool is_named(const CandidateRecord& candidate, std::string_view name) {
  const auto begins_with = [&](std::string_view part) {
    if (!name.starts_with(part)) return false;
    name.remove_prefix(part.size());
    return true;
  };
  if (!begins_with(candidate.name)) return false;
  std::string_view before = "?";
  for (const auto& [parameter, value] : candidate.parameters) {
    if (!begins_with(before) || !begins_with(parameter) || !begins_with("=") || !begins_with(value)) return false;
    before = ",";
  }
  return name.empty();
}

}  // namespace

int index_of(const std::vector<CandidateRecord>& candidates, std::string_view name) {
  const auto is_it = [&](const CandidateRecord& candidate) { return is_named(candidate, name); };
  const auto found = std::find_if(candidates.begin(), candidates.end(), is_it);
  return found == candidates.end() ? -1 : static_cast<int>(found - candidates.begin());
}

std::size_t place_of(const CandidateRecord& candidate, std::span<const CandidateRecord> list, std::size_t expected) {
  const auto is_it = [&](const CandidateRecord& other) {
    return candidate.name == other.name && candidate.parameters == other.parameters;
  };
  const auto from = list.begin() + static_cast<std::ptrdiff_t>(std::min(expected, list.size()));
  if (const auto found = std::find_if(from, list.end(), is_it); found != list.end())
    return static_cast<std::size_t>(found - list.begin());
  const auto found = std::find_if(list.begin(), from, is_it);
  return found == from ? list.size() : static_cast<std::size_t>(found - list.begin());
}

void add_last(std::vector<LastRank>& into, std::span<const LastRank> more, std::size_t most) {
  for (const LastRank& one : more) {
    const auto known =
        std::find_if(into.begin(), into.end(), [&](const auto& other) { return other.rank == one.rank; });
    if (known != into.end()) {
      known->calls = std::min(known->calls + one.calls, most_counted);
    } else if (one.calls > 0) {
      into.push_back(one);
    }
  }
  std::stable_sort(into.begin(), into.end(),
                   [](const auto& one, const auto& other) { return one.calls > other.calls; });
  into.resize(std::min(into.size(), most));
}

bool is_record_name(std::string_view name) {
  return name.ends_with(".json") && !name.starts_with('.') && name.find('/') == std::string_view::npos;
}

}  // namespace starling
