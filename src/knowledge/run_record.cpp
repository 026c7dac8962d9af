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

bool same_name(const CandidateRecord& one, const CandidateRecord& other) {
  return one.name == other.name && one.parameters == other.parameters;
}

int index_of(const std::vector<CandidateRecord>& candidates, std::string_view name) {
  const auto is_it = [&](const CandidateRecord& candidate) {
    return name.starts_with(candidate.name) && public_name(candidate) == name;
  };
  const auto found = std::find_if(candidates.begin(), candidates.end(), is_it);
  return found == candidates.end() ? -1 : static_cast<int>(found - candidates.begin());
}

bool is_record_name(std::string_view name) {
  return name.ends_with(".json") && !name.starts_with('.') && name.find('/') == std::string_view::npos;
}

}  // namespace starling
