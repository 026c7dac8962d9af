#include "runtime/mpi/operator_check.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/mpi/features.hpp"
#include "runtime/mpi/pmpi.hpp"
#include "runtime/mpi/process.hpp"
#include "runtime/mpi/shape.hpp"
#include "runtime/mpi/unit.hpp"

namespace starling {
namespace {

bool library_accepts(MPI_Op op, MPI_Datatype type) {
  const Unit::Span span = Unit::of(type).span(1);
  std::vector<char> memory(2 * span.bytes, 0);
  const char* from = memory.data() + span.before;
  const std::lock_guard lock(process().self_guard);
  return pmpi.Allreduce(from, memory.data() + span.bytes + span.before, 1, type, op, process().self) == MPI_SUCCESS;
}

struct Known {
  MPI_Op op;
  MPI_Datatype type;
  std::uint64_t types_freed;  ///< types_freed() at the test: MPI may reuse the handle of a freed type
  bool applies;
};

}  // namespace

bool applies(MPI_Op op, MPI_Datatype type) {
  if (!predefined(op)) return true;
  if (!shape_of(type).cacheable) return library_accepts(op, type);
  const std::uint64_t now = predefined(type) ? 0 : types_freed();
  // The latest pairs. No destructor: a program may call MPI after the thread's objects are destroyed.
  STARLING_OF_THREAD std::array<Known, 128> known{};
  STARLING_OF_THREAD std::size_t asked = 0;
  const Known* const begin = known.data();
  const Known* const end = begin + std::min(asked, known.size());
  const Known* const found = std::find_if(
      begin, end, [&](const Known& one) { return one.op == op && one.type == type && one.types_freed == now; });
  if (found != end) return found->applies;
  Known& next = known[asked++ % known.size()];
  next = {op, type, now, library_accepts(op, type)};
  return next.applies;
}

}  // namespace starling
