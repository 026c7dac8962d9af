#pragma once

#include <optional>
#include <string>
#include <vector>

#include "knowledge/fold.hpp"
#include "knowledge/run_record.hpp"

namespace starling {

/// What several ranks know, added up, as it travels from rank to rank: in texts of at most `most_record_bytes`.
class RecordSum {
 public:
  explicit RecordSum(std::vector<ContextRecord> mine);

  /// Adds the text of another rank's sum. Throws std::runtime_error for one that is none.
  void add(std::string text);
  /// As text, empty for nothing; the sum is then no more. What one other rank told goes on as it came.
  std::string text();
  /// The contexts, and the sums of those left out, of a record that has nothing else yet; the sum is then no more.
  RunRecord record();

 private:
  [[nodiscard]] bool is_empty() const;
  void read(const std::string& text);

  FoldedContexts contexts_;
  std::optional<LeftOut> left_out_;
  std::string unread_;  ///< a text that nothing had to be added to yet
};

}  // namespace starling
