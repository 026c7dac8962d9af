#include "runtime/mpi/operator_check.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/mpi/datatype_shape.hpp"
#include "runtime/mpi/of_thread.hpp"
#include "runtime/mpi/pmpi.hpp"
#include "runtime/mpi/process.hpp"
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

struct CheckedPair {
  MPI_Op op;
  MPI_Datatype type;
  std::uint64_t types_freed;  ///< types_freed() at the test: MPI may reuse the handle of a freed type
  bool applies;
};

struct LatestPairs {
  std::array<CheckedPair, 128> known;
  std::size_t asked;
};

}  // namespace

bool applies(MPI_Op op, MPI_Datatype type) {
  if (!predefined(op)) return true;
  const bool own_type = !predefined(type);
  if (own_type && !shape_of(type).cacheable) return library_accepts(op, type);
  const std::uint64_t now = own_type ? types_freed() : 0;
  auto& [known, asked] = of_thread<LatestPairs>();
  const CheckedPair* const begin = known.data();
  const CheckedPair* const end = begin + std::min(asked, known.size());
  const CheckedPair* const found = std::find_if(
      begin, end, [&](const CheckedPair& one) { return one.op == op && one.type == type && one.types_freed == now; });
  if (found != end) return found->applies;
  CheckedPair& next = known[asked++ % known.size()];
  next = {op, type, now, library_accepts(op, type)};
  return next.applies;
}

}  // namespace starling
