#pragma once

#include <string>

namespace starling {

/// What a rank waits for that can't go on: the peer, and the words for it.
struct Wait {
  int peer;
  std::string what;
  bool is_empty = false;  ///< a message of nothing
};

}  // namespace starling
