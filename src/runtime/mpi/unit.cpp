#include "runtime/mpi/unit.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <vector>

#include "runtime/mpi/datatype_shape.hpp"
#include "runtime/mpi/pmpi.hpp"
#include "runtime/mpi/process.hpp"

namespace starling {
namespace {

/// Elements whose data fits MPI_Pack's int position.
std::int64_t elements_at_a_time(std::int64_t element_bytes) {
  return std::max<std::int64_t>(1, (INT_MAX - 4096) / std::max<std::int64_t>(1, element_bytes));
}

/// Converts between a typed and a byte buffer by a message to this rank: for elements too large for MPI_Pack. On a
/// private communicator, so that no receive of the application can match it.
int through_self(const void* from, std::int64_t from_count, MPI_Datatype from_type, void* into, std::int64_t into_count,
                 MPI_Datatype into_type) {
  const Typed sent(from_count, from_type);
  const Typed received(into_count, into_type);
  const std::scoped_lock lock(process().self_guard);
  return pmpi.Sendrecv(from, sent.count, sent.type, 0, 0, into, received.count, received.type, 0, 0, process().self,
                       MPI_STATUS_IGNORE);
}

}  // namespace

Unit Unit::bytes() {
  return {handles.byte, 1, 0, 1, true};
}

Unit Unit::of(MPI_Datatype type) {
  const DatatypeShape shape = shape_of(type);
  return {type, shape.extent, shape.true_lb, shape.true_extent, shape.plain};
}

Unit::Span Unit::span(std::int64_t count) const {
  if (count == 0) return {0, 0};
  const MPI_Aint last = (count - 1) * extent;
  const MPI_Aint lowest = std::min<MPI_Aint>(0, last) + true_lb;
  const MPI_Aint highest = std::max<MPI_Aint>(0, last) + true_lb + true_extent;
  return {static_cast<std::size_t>(highest - lowest), -lowest};
}

bool is_plain(MPI_Datatype type) {
  return shape_of(type).plain;
}

std::int64_t type_size(MPI_Datatype type) {
  return shape_of(type).size;
}

Typed::Typed(std::int64_t wanted, MPI_Datatype element) : count(static_cast<int>(wanted)), type(element) {
  if (wanted <= INT_MAX) return;
  constexpr std::int64_t chunk = std::int64_t{1} << 30;
  const std::int64_t chunks = wanted / chunk;
  const MPI_Aint extent = shape_of(element).extent;
  MPI_Datatype chunk_type{};
  MPI_Datatype body{};
  MPI_Datatype rest{};
  pmpi.Type_contiguous(static_cast<int>(chunk), element, &chunk_type);
  pmpi.Type_contiguous(static_cast<int>(chunks), chunk_type, &body);
  pmpi.Type_contiguous(static_cast<int>(wanted % chunk), element, &rest);
  const int lengths[2] = {1, 1};
  const MPI_Aint offsets[2] = {0, static_cast<MPI_Aint>(chunks * chunk) * extent};
  MPI_Datatype parts[2] = {body, rest};
  pmpi.Type_create_struct(2, lengths, offsets, parts, &type);
  pmpi.Type_commit(&type);
  pmpi.Type_free(&chunk_type);
  pmpi.Type_free(&body);
  pmpi.Type_free(&rest);
  count = 1;
  made_ = true;
}

Typed::~Typed() {
  if (made_) pmpi.Type_free(&type);
}

int copy_elements(const void* from, void* into, std::int64_t count, const Unit& unit) {
  if (from == into || count == 0) return MPI_SUCCESS;
  if (unit.contiguous) {
    std::memcpy(into, from, static_cast<std::size_t>(count * unit.extent));
    return MPI_SUCCESS;
  }
  std::vector<char> bytes(static_cast<std::size_t>(count * type_size(unit.type)));
  const int error = pack(from, count, unit.type, bytes.data());
  return error != MPI_SUCCESS ? error : unpack(bytes.data(), into, count, unit.type);
}

int pack(const void* data, std::int64_t count, MPI_Datatype type, char* bytes) {
  const std::int64_t size = type_size(type);
  if (size * count == 0) return MPI_SUCCESS;  // the buffer may be null, which Open MPI's Pack and Unpack refuse
  // MPICH's Pack and Unpack refuse MPI_BOTTOM.
  if (size > INT_MAX || data == MPI_BOTTOM) return through_self(data, count, type, bytes, size * count, handles.byte);
  const MPI_Aint extent = shape_of(type).extent;
  const std::int64_t step = elements_at_a_time(size);
  for (std::int64_t done = 0; done < count; done += step) {
    const auto now = static_cast<int>(std::min(step, count - done));
    int position = 0;
    const int error = pmpi.Pack(static_cast<const char*>(data) + (done * extent), now, type, bytes + (done * size),
                                static_cast<int>(now * size), &position, process().self);
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

int unpack(const char* bytes, void* data, std::int64_t count, MPI_Datatype type) {
  const std::int64_t size = type_size(type);
  if (size * count == 0) return MPI_SUCCESS;
  if (size > INT_MAX || data == MPI_BOTTOM) return through_self(bytes, size * count, handles.byte, data, count, type);
  const MPI_Aint extent = shape_of(type).extent;
  const std::int64_t step = elements_at_a_time(size);
  for (std::int64_t done = 0; done < count; done += step) {
    const auto now = static_cast<int>(std::min(step, count - done));
    int position = 0;
    const int error = pmpi.Unpack(bytes + (done * size), static_cast<int>(now * size), &position,
                                  static_cast<char*>(data) + (done * extent), now, type, process().self);
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

}  // namespace starling
