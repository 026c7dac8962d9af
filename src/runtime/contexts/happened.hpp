#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
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
  /// Adds a context that is no communicator's.
  void add(ContextRecord record) { contexts_.add(std::move(record)); }
  /// Returns and removes all that was added.
  std::vector<ContextRecord> take();

 private:
  FoldedContexts contexts_;
  FoldedContexts chosen_;
};

/// What is tuned besides the calls on communicators, and leaves its record itself.
class LeavesRecord {
 public:
  LeavesRecord(const LeavesRecord&) = delete;
  LeavesRecord& operator=(const LeavesRecord&) = delete;
  /// Adds what happened here, on one rank only.
  virtual void add_to(Happened& happened) const = 0;

 protected:
  LeavesRecord() = default;
  ~LeavesRecord() = default;
};

}  // namespace starling
