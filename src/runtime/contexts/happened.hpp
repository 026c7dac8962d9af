#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "knowledge/fold.hpp"
#include "knowledge/run_record.hpp"
#include "runtime/contexts/context.hpp"

namespace starling {

/// What happened on communicators, for the run record: one context record per call key.
class Happened {
 public:
  /// Adds `calls` calls of an operation that passed through, on a communicator of `ranks` ranks.
  void add(std::string_view operation, int ranks, std::int64_t calls);
  void add(const Context& context);
  /// Adds a context whose way was chosen by the program: others of its call key may have had other ways.
  void add_chosen(const Context& context);
  /// Returns and removes all that was added.
  std::vector<ContextRecord> take();

 private:
  FoldedContexts contexts_;
  FoldedContexts chosen_;
};

}  // namespace starling
