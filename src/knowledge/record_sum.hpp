#pragma once

#include <optional>
#include <string>
#include <vector>

#include "knowledge/fold.hpp"
#include "knowledge/run_record.hpp"

namespace starling {

/// The sum of several ranks' contexts, sent from rank to rank as texts of at most `most_record_bytes`.
class RecordSum {
 public:
  explicit RecordSum(std::vector<ContextRecord> mine, const std::optional<LeftOut>& left_out = {});

  /// Adds the text of another rank's sum. Throws std::runtime_error if the text is not one.
  void add(std::string text);
  /// Returns the sum as text, empty for nothing, and empties it. A single received text is forwarded unchanged.
  std::string text();
  /// Returns a record with only the contexts and the sums of those left out, and empties the sum.
  RunRecord record();

 private:
  [[nodiscard]] bool is_empty() const;
  void read(const std::string& text);

  FoldedContexts contexts_;
  std::optional<LeftOut> left_out_;
  std::string unread_;  ///< a received text to which nothing was added yet
};

}  // namespace starling
