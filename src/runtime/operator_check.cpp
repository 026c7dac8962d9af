#include "runtime/operator_check.hpp"

#include <algorithm>
#include <vector>

#include "runtime/pmpi.hpp"
#include "runtime/state.hpp"
#include "runtime/unit.hpp"

namespace starling {
namespace {

bool ask(MPI_Op op, MPI_Datatype type) {
  const Unit::Span span = Unit::of(type).span(1);
  std::vector<char> memory(2 * span.bytes, 0);
  const char* from = memory.data() + span.before;
  const std::lock_guard lock(state().alone_guard);
  return pmpi.Allreduce(from, memory.data() + span.bytes + span.before, 1, type, op, state().alone) == MPI_SUCCESS;
}

struct Known {
  MPI_Op op;
  MPI_Datatype type;
  bool applies;
};

}  // namespace

bool applies(MPI_Op op, MPI_Datatype type) {
  if (!predefined(op)) return true;
  // Handles that the program made may be freed and given out again for something else.
  if (!predefined(type)) return ask(op, type);
  thread_local std::vector<Known> known;
  const auto found =
      std::find_if(known.begin(), known.end(), [&](const Known& one) { return one.op == op && one.type == type; });
  if (found != known.end()) return found->applies;
  known.push_back({op, type, ask(op, type)});
  return known.back().applies;
}

}  // namespace starling
