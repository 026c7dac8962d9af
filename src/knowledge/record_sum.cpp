#include "knowledge/record_sum.hpp"

#include <utility>

#include "knowledge/record_json.hpp"
#include "knowledge/shorten.hpp"

namespace starling {

RecordSum::RecordSum(std::vector<ContextRecord> mine, const std::optional<LeftOut>& left_out) : left_out_(left_out) {
  for (ContextRecord& one : mine) contexts_.add(std::move(one));
}

bool RecordSum::is_empty() const {
  return unread_.empty() && contexts_.all().empty() && !left_out_;
}

void RecordSum::add(std::string text) {
  if (text.empty()) return;
  if (is_empty()) {
    unread_ = std::move(text);
    return;
  }
  read(std::exchange(unread_, {}));
  read(text);
}

std::string RecordSum::text() {
  if (is_empty() || !unread_.empty()) return std::exchange(unread_, {});
  RunRecord sum = record();
  shorten(sum);
  return to_json(sum, RecordForm::compact);
}

RunRecord RecordSum::record() {
  read(std::exchange(unread_, {}));
  RunRecord sum;
  sum.contexts = folded(contexts_.take());
  sum.left_out = std::exchange(left_out_, {});
  return sum;
}

void RecordSum::read(const std::string& text) {
  if (text.empty()) return;
  RunRecord other = run_record_from_json(text);
  for (ContextRecord& one : other.contexts) contexts_.add(std::move(one));
  fold(left_out_, other.left_out);
}

}  // namespace starling
