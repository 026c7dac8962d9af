#pragma once

#include <optional>

#include "knowledge/fold.hpp"
#include "knowledge/run_record.hpp"

namespace starling {

/// Contexts, those of one call key folded into one, in bounded memory: a program may make new call keys for as long as
/// it runs. What a record would leave out in the end (`shorten`) is left out from time to time.
class BoundedContexts {
 public:
  void add(ContextRecord context);
  /// Adds sums of contexts that were left out elsewhere.
  void add(const std::optional<LeftOut>& left_out) { fold(left_out_, left_out); }
  /// The context of the same call key, until the next `add`; nullptr if there is none. Not all of its candidates may be
  /// left.
  [[nodiscard]] ContextRecord* find(const ContextRecord& key) { return contexts_.find(key); }
  /// Returns a record with only the contexts and the sums of those left out, and removes them.
  RunRecord take();

  /// After so many are added, what takes too much is left out.
  static constexpr int most_added = 256;

 private:
  void bound();

  FoldedContexts contexts_;
  std::optional<LeftOut> left_out_;
  int added_ = 0;
};

}  // namespace starling
