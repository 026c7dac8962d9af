#include "runtime/mpi/operator_check.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "runtime/mpi/datatype_shape.hpp"
#include "runtime/mpi/of_thread.hpp"
#include "runtime/mpi/pmpi.hpp"
#include "runtime/mpi/process.hpp"
#include "runtime/mpi/unit.hpp"

namespace starling {
namespace {

bool accepts(const void* from, void* into, int count, MPI_Op op, MPI_Datatype type) {
  const std::scoped_lock lock(process().self_guard);
  return pmpi.Allreduce(from, into, count, type, op, process().self) == MPI_SUCCESS;
}

/// Whether the library tells wrong operators also where there are no elements.
bool checks_without_elements() {
  static const bool checks = !accepts(nullptr, nullptr, 0, handles.band, handles.float_);
  return checks;
}

/// An element of a type of the program may span the whole address space. MPI allows predefined operators for predefined
/// types only: where a library can't be asked without elements, it alone carries out such calls.
bool library_accepts(MPI_Op op, MPI_Datatype type) {
  if (checks_without_elements()) return accepts(nullptr, nullptr, 0, op, type);
  if (!predefined(type)) return false;
  const Unit::Span span = Unit::of(type).span(1);
  std::vector<char> memory(2 * span.bytes, 0);
  return accepts(memory.data() + span.before, memory.data() + span.bytes + span.before, 1, op, type);
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
  std::size_t latest;  ///< of `known`
};

}  // namespace

bool applies(MPI_Op op, MPI_Datatype type) {
  if (!predefined(op)) return true;
  const bool own_type = !predefined(type);
  if (own_type && !shape_of(type).cacheable) return library_accepts(op, type);
  const std::uint64_t now = own_type ? types_freed() : 0;
  auto& [known, asked, latest] = of_thread<LatestPairs>();
  const auto is_it = [&](const CheckedPair& one) { return one.op == op && one.type == type && one.types_freed == now; };
  if (asked > 0 && is_it(known[latest])) return known[latest].applies;
  const auto end = known.begin() + static_cast<std::ptrdiff_t>(std::min(asked, known.size()));
  const auto found = std::find_if(known.begin(), end, is_it);
  latest = static_cast<std::size_t>(found - known.begin());
  if (found != end) return found->applies;
  latest = asked % known.size();
  known[latest] = {op, type, now, library_accepts(op, type)};
  ++asked;
  return known[latest].applies;
}

}  // namespace starling
