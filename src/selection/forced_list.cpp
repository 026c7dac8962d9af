#include "selection/forced_list.hpp"

#include <algorithm>

#include "messages/told.hpp"

namespace starling {
namespace {

bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  });
}

/// Takes the text before the next `separator` off the front of `rest`, and the separator too.
std::string_view take(std::string_view& rest, char separator) {
  const std::string_view taken = rest.substr(0, rest.find(separator));
  rest.remove_prefix(std::min(rest.size(), taken.size() + 1));
  return taken;
}

/// A word, or a name of a way with parameters of its own: "chain:segment=8192".
bool is_part(std::string_view text) {
  if (text.ends_with(':') || !is_word(take(text, ':'))) return false;
  while (!text.empty()) {
    std::string_view value = take(text, ':');
    if (!is_word(take(value, '=')) || !is_word(value)) return false;
  }
  return true;
}

/// One of these, or several: "native+chain:segment=8192".
bool is_value(std::string_view text) {
  if (text.ends_with('+')) return false;
  do {
    if (!is_part(take(text, '+'))) return false;
  } while (!text.empty());
  return true;
}

bool continues_parameters(std::string_view piece) {
  const std::size_t equals = piece.find('=');
  return equals != std::string_view::npos && piece.substr(0, equals).find_first_of(":?") == std::string_view::npos;
}

std::string fault(const ForcedItem& item) {
  std::string_view rest = item.candidate;
  const bool has_parameters = rest.find('?') != std::string_view::npos;
  const std::string_view name = take(rest, '?');
  if (item.collective && !is_word(*item.collective)) return "has no collective before its colon";
  if (name.empty()) return "names no algorithm";
  if (!is_word(name)) return "is not of the form [collective:]name[?parameter=value,...]";
  if (has_parameters && rest.empty()) return "has no parameters after its question mark";
  std::vector<std::string_view> seen;
  while (!rest.empty()) {
    const bool more = rest.find(',') != std::string_view::npos;
    std::string_view value = take(rest, ',');
    const bool bound = value.find('=') != std::string_view::npos;
    const std::string_view parameter = take(value, '=');
    if (!bound || !is_word(parameter) || !is_value(value) || (more && rest.empty()))
      return "has a parameter that is not of the form parameter=value";
    if (std::find(seen.begin(), seen.end(), parameter) != seen.end()) return "binds '" + told(parameter) + "' twice";
    seen.push_back(parameter);
  }
  return {};
}

}  // namespace

std::vector<ForcedItem> parse_forced(std::string_view list) {
  std::vector<std::string> texts;
  for (bool more = true; more;) {
    more = list.find(',') != std::string_view::npos;
    const std::string_view piece = take(list, ',');
    if (!texts.empty() && texts.back().find('?') != std::string::npos && continues_parameters(piece)) {
      texts.back().append(",").append(piece);
    } else {
      texts.emplace_back(piece);
    }
  }
  std::vector<ForcedItem> items;
  for (const std::string& text : texts) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos) {
      items.push_back({std::nullopt, text});
    } else {
      items.push_back({text.substr(0, colon), text.substr(colon + 1)});
    }
  }
  return items;
}

std::string forced_syntax_error(std::string_view list) {
  if (list.empty())
    return "names no algorithm; write for example forced:ring or forced:allreduce:ring,bcast:chain?segment=8192";
  std::vector<std::string> collectives;
  for (const ForcedItem& item : parse_forced(list)) {
    if (const std::string wrong = fault(item); !wrong.empty()) return "'" + told(item.text()) + "' " + wrong;
    if (!item.collective) continue;
    if (std::find(collectives.begin(), collectives.end(), *item.collective) != collectives.end())
      return "'" + told(item.text()) + "' is the second item for " + told(*item.collective);
    collectives.push_back(*item.collective);
  }
  return {};
}

std::string forced_unknown_name(std::string_view list, const ForcedNames& names) {
  for (const ForcedItem& item : parse_forced(list)) {
    if (!item.collective) {
      if (names.is_candidate(item.candidate)) continue;
      return names.explained ? names.explained(std::nullopt, item.candidate)
                             : "no collective has an algorithm '" + told(item.candidate) + "'";
    }
    if (!names.is_collective(*item.collective))
      return names.explained ? names.explained(*item.collective, item.candidate)
                             : "'" + told(item.text()) + "': there is no collective '" + told(*item.collective) + "'";
    if (!names.has_candidate(*item.collective, item.candidate)) {
      return names.explained ? names.explained(*item.collective, item.candidate)
                             : "'" + told(item.text()) + "': " + *item.collective + " has no algorithm '" +
                                   told(item.candidate) + "'";
    }
  }
  return {};
}

std::string forced_for(std::string_view list, std::string_view collective, const ForcedNames& names) {
  const std::vector<ForcedItem> items = parse_forced(list);
  for (const ForcedItem& item : items)
    if (item.collective == collective) return item.candidate;
  for (const ForcedItem& item : items)
    if (!item.collective && names.has_candidate(collective, item.candidate)) return item.candidate;
  return {};
}

}  // namespace starling
