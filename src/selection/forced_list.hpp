#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace starling {

/// One item of `forced:LIST`: a candidate, for one collective or for every collective that has it.
struct ForcedItem {
  std::optional<std::string> collective;  ///< nothing if the item names none
  std::string candidate;                  ///< "ring", "chain?segment=8192"
  /// The item as it stands in the list.
  [[nodiscard]] std::string text() const { return collective ? *collective + ":" + candidate : candidate; }
  bool operator==(const ForcedItem&) const = default;
};

/// The names that a list may use. Supplied by the caller, because selection does not know the repository.
struct ForcedNames {
  std::function<bool(std::string_view collective)> is_collective;
  std::function<bool(std::string_view collective, std::string_view candidate)> has_candidate;
  /// Whether any collective has such a candidate.
  std::function<bool(std::string_view candidate)> is_candidate;
  /// Explains to the user that the collective (any, if none is given) has no such candidate; may be left out.
  std::function<std::string(std::optional<std::string_view> collective, std::string_view candidate)> explained = {};
};

/// The items of a comma list of [collective:]name[?parameter=value,...]. After parameters, text behind a comma is
/// another parameter if it contains `=` and neither `:` nor `?`; any other comma ends the item. Splits any text;
/// `forced_syntax_error` checks the items.
std::vector<ForcedItem> parse_forced(std::string_view list);

/// What is wrong with the form of a list, naming the bad item; empty if nothing is.
std::string forced_syntax_error(std::string_view list);

/// What a well-formed list names that does not exist; empty if all of it does.
std::string forced_unknown_name(std::string_view list, const ForcedNames& names);

/// The candidate that a list forces for `collective`: of the item that names the collective, else of the first one that
/// names no collective and whose candidate this collective has. Empty if there is none.
std::string forced_for(std::string_view list, std::string_view collective, const ForcedNames& names);

}  // namespace starling
