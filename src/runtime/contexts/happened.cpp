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

std::vector<ContextRecord> Happened::take() {
  for (ContextRecord& one : chosen_.take()) contexts_.add(std::move(one));
  return contexts_.take();
}

}  // namespace starling
