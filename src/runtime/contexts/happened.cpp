#include "runtime/contexts/happened.hpp"

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
  if (context.calls() == 0) return;
  // Contexts of one call key have the same ways. Naming them would take longer than the rest of MPI_Comm_free.
  ContextRecord key = context.key_record();
  ContextRecord* const there = contexts_.find(key);
  if (there != nullptr && there->candidates.size() == context.ways()) {
    context.add_to(*there, key);
  } else {
    contexts_.add(context.record());
  }
}

void Happened::add_chosen(const Context& context) {
  if (context.calls() != 0) chosen_.add(context.record());
}

void Remains::take(std::unique_ptr<Context> context, bool is_chosen) {
  if (context->calls() == 0) return;
  context->leave_only_what_happened();
  all_.push_back({std::move(context), is_chosen});
}

void Remains::add_one_to(Happened& happened) {
  if (all_.empty()) return;
  const One first = std::move(all_.front());
  all_.pop_front();
  first.is_chosen ? happened.add_chosen(*first.context) : happened.add(*first.context);
}

void Remains::reduce(Happened& happened) {
  if (all_.size() > many) add_one_to(happened);
}

void Remains::add_all_to(Happened& happened) {
  while (!all_.empty()) add_one_to(happened);
}

RunRecord Happened::take() {
  RunRecord chosen = chosen_.take();
  for (ContextRecord& one : chosen.contexts) contexts_.add(std::move(one));
  contexts_.add(chosen.left_out);
  return contexts_.take();
}

}  // namespace starling
