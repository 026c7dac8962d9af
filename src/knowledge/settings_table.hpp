#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "knowledge/settings.hpp"

namespace starling {

/// Where a setting lies in `Settings`. Its type says what values it has, and how they are read, sent and shown.
using Place = std::variant<bool*, int*, std::int64_t*, std::uint64_t*, double*, SampleReduction*, std::string*,
                           std::vector<std::string>*>;

/// What a user wishes of one setting.
struct Wish {
  const char* variable;
  const char* value;               ///< of the variable; null where it is not set
  const Environment& environment;  ///< for what counts where the variable is not set
  std::vector<Complaint>& complaints;

  [[nodiscard]] std::string text() const { return value == nullptr ? "" : value; }
  void complain(const std::string& why) const { complaints.push_back({variable, text(), why}); }
};

/// A setting. Its row in the table, and its member of `Settings` with the default, are the only places that know it:
/// what reads the environment, tells the ranks, writes the record, the command line, `starling.toml` and the docs all
/// derive from them.
struct SettingRow {
  std::string_view name;  ///< in starling.toml, in the run record and, behind two dashes, on the command line
  const char* variable;
  std::string_view says;  ///< one sentence for people
  Place (*place)(Settings&);
  /// What stands behind the option of `starling run` in its help, nothing behind one that is a switch; no option where
  /// this is absent.
  std::optional<std::string_view> option{};
  std::string_view otherwise{};  ///< what counts where nothing is set, in words, if that is no value of its own
  std::int64_t least = 0;        ///< of a number
  std::int64_t most = 0;
  bool is_share = false;   ///< a number that may also be a percentage: 0.03 or 3%
  bool is_path = false;    ///< in starling.toml it is meant from where that file is
  bool is_for_all = true;  ///< all ranks need it; else only rank 0, from whose environment settings are
  /// Reads a text that is not taken just as it stands. Called also where the variable is not set.
  void (*read)(const Wish&, std::string& target) = nullptr;
  /// The text as the run record shows it, if not as it is.
  std::string (*shown)(const std::string& value) = nullptr;
};

/// Every setting, in the order in which people are told of them.
std::span<const SettingRow> settings_table();

/// The settings as data for other programs, with their defaults: a JSON array with an object for each.
std::string settings_listing();

}  // namespace starling
