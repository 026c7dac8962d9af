#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/blocks.hpp"
#include "schedule/channels.hpp"
#include "schedule/rank_set.hpp"

namespace starling {

/// What a drawing shows of a step, whatever its kind. Only a kind that looks different from all of this needs a line of
/// Python.
struct Drawing {
  /// To and from other ranks.
  struct Arrows {
    std::vector<Transfer> receives;
    std::vector<Transfer> sends;
  };
  struct Dot {
    std::string_view name;
    Blocks from;
    Blocks into;
  };
  /// Across the ranks of a group.
  struct Bar {
    std::string_view name;
    std::string title;      ///< the name in full
    std::string_view says;  ///< of it, in the legend
    RankSet group;
    int root;
    int scale;
    int short_by;
    Blocks from;
    Blocks into;
  };

  std::optional<Arrows> arrows{};
  std::vector<Dot> dots{};
  std::optional<Bar> bar{};
};

}  // namespace starling
