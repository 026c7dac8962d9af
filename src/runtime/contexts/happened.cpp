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
  // All contexts of a call key have the same candidates. To name them takes longer than all else in MPI_Comm_free.
  if (!contexts_.fold_by_place(context.record(Context::Names::left_out)))
    contexts_.add(context.record(Context::Names::told));
}

}  // namespace starling
