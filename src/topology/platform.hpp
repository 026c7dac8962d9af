#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topology/switch_tree.hpp"

namespace starling {

/// The hosts of a cluster and the tree of switches that connects them, as a platform file describes them
/// (docs/laboratory.md). Links are taken for equally fast here.
class Platform {
 public:
  /// Reads a platform file's text, every range of names written out. Throws std::runtime_error with one sentence that
  /// says what is wrong where.
  static Platform from_json(const std::string& text);

  /// The number of the host of that name, with or without its domain; nothing for an unknown one.
  [[nodiscard]] std::optional<int> host(std::string_view name) const;
  /// The tree with `hosts[r]` as the host of rank r; a host with several ranks becomes a switch.
  [[nodiscard]] SwitchTree tree(std::span<const int> hosts) const;

 private:
  std::vector<std::string> hosts_;
  std::vector<int> switch_of_host_;
  std::vector<int> parents_;  ///< of switches
};

}  // namespace starling
