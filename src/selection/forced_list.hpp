#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace starling {

/// One wish of `forced:LIST`: a candidate, for one collective or for every collective that has it.
struct ForcedItem {
  std::optional<std::string> collective;  ///< nothing where the item names none
  std::string candidate;                  ///< "ring", "chain?segment=8192"
  /// The item as it stands in the list.
  [[nodiscard]] std::string text() const { return collective ? *collective + ":" + candidate : candidate; }
  bool operator==(const ForcedItem&) const = default;
};

/// What a list may name. Selection does not know the repository, so whoever does answers.
struct ForcedNames {
  std::function<bool(std::string_view collective)> is_collective;
  std::function<bool(std::string_view collective, std::string_view candidate)> has_candidate;
  /// Whether any collective at all has such a candidate.
  std::function<bool(std::string_view candidate)> is_candidate;
  /// Why a collective, or any where none is given, has no such candidate, in words for people; may be left out.
  std::function<std::string(std::optional<std::string_view> collective, std::string_view candidate)> explained = {};
};

/// The items of a comma list of [collective:]name[?parameter=value,...]. After parameters a comma goes on with
/// parameters where what follows it contains `=` and neither `:` nor `?`; any other comma ends the item. Splits
/// anything; whether the items are well formed is for `forced_syntax_error` to say.
std::vector<ForcedItem> parse_forced(std::string_view list);

/// What is wrong with the form of a list, naming the bad item; empty if nothing is.
std::string forced_syntax_error(std::string_view list);

/// What a well-formed list names that does not exist; empty if all of it does.
std::string forced_unknown_name(std::string_view list, const ForcedNames& names);

/// What a list says about `collective`: the item that names the collective, else the first one that names none and
/// whose candidate this collective has. Empty where it says nothing.
std::string forced_for(std::string_view list, std::string_view collective, const ForcedNames& names);

}  // namespace starling
