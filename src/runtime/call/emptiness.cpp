#include "runtime/call/emptiness.hpp"

#include "runtime/call/checks.hpp"
#include "runtime/call/degrees.hpp"
#include "runtime/call/significance.hpp"
#include "runtime/mpi/datatype_shape.hpp"
#include "runtime/mpi/pmpi.hpp"

namespace starling {
namespace {

/// A side has a count or an array of counts; the other of the two keeps its default.
bool has_no_elements(std::int64_t count, const Counts& counts, int blocks) {
  if (counts.values != nullptr)
    for (int block = 0; block < blocks; ++block)
      if (counts[block] != 0) return false;
  return count == 0;
}

bool is_significant(Given buffer) {
  return buffer == Given::data || buffer == Given::misplaced;
}

/// Whether this rank has nothing to send, or to receive: false where a side is not significant here.
struct Empty {
  bool send = false;
  bool receive = false;
};

Empty empty_sides(const Call& call, const GivenBuffers& given, int ranks) {
  const Degrees degrees =
      is_among_neighbours(call.collective) ? degrees_of(call.comm) : Degrees{.sends = ranks, .receives = ranks};
  const auto sends_nothing = [&] { return has_no_elements(call.sendcount, call.sendcounts, degrees.sends); };
  const auto receives_nothing = [&] { return has_no_elements(call.recvcount, call.recvcounts, degrees.receives); };
  // Both sides of a vector, and of any reduction, have the same counts and the same type.
  if (divides_a_vector(call.collective) || reduces(call.collective)) {
    const bool both = sends_nothing() && receives_nothing();
    return {both, both};
  }
  return {is_significant(given.send) && sends_nothing(), is_significant(given.receive) && receives_nothing()};
}

/// Whether a type, of a side without elements, cannot be used and the library does not care.
bool is_overlooked(MPI_Datatype type, bool refuses_none, bool refuses_uncommitted) {
  if (type == MPI_Datatype{}) return false;  // the collective has no such argument
  return type == handles.datatype_null ? !refuses_none : !refuses_uncommitted && !is_committed(type);
}

}  // namespace

std::optional<Call> with_all_arguments(const Call& call, int ranks, int rank) {
  static char nothing = 0;
  const GivenBuffers given = given_buffers(call, rank);
  const Empty empty = empty_sides(call, given, ranks);
  const Checks& refused = checks_of(call.collective);
  Call whole = call;
  bool changed = false;
  const auto put = [&changed](auto& argument, auto value) {
    argument = value;
    changed = true;
  };
  const bool accepts_misplaced = !refused.misplaced && !is_among_neighbours(call.collective);
  if (given.send == Given::misplaced && empty.send && accepts_misplaced) put(whole.sendbuf, &nothing);
  if (given.receive == Given::misplaced && empty.receive && accepts_misplaced) put(whole.recvbuf, &nothing);
  if (empty.send && is_overlooked(call.sendtype, refused.no_type_to_send, refused.uncommitted_to_send))
    put(whole.sendtype, handles.int_);
  if (empty.receive && is_overlooked(call.recvtype, refused.no_type_to_receive, refused.uncommitted_to_receive))
    put(whole.recvtype, handles.int_);
  return changed ? std::optional(whole) : std::nullopt;
}

}  // namespace starling
