#include "runtime/happened.hpp"

#include <utility>

namespace starling {

void Happened::add(std::string_view operation, int ranks, std::int64_t calls) {
  if (calls == 0) return;
  ContextRecord record;
  record.collective = std::string(operation);
  record.ranks = ranks;
  record.calls = calls;
  record.stage = "pass-through";
  record.winner = "native";
  record.candidates.emplace_back().name = "native";
  contexts_.add(std::move(record));
}

void Happened::add(const Context& context) {
  if (context.calls() > 0) contexts_.add(context.record());
}

void Happened::keep(std::unique_ptr<Context> context) {
  context->retire();
  kept_.push_back(std::move(context));
  if (kept_.size() == most_kept) make_records();
}

std::vector<ContextRecord> Happened::take() {
  make_records();
  return contexts_.take();
}

void Happened::make_records() {
  for (const auto& context : std::exchange(kept_, {})) add(*context);
}

}  // namespace starling
