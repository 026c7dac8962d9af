#include "runtime/unit.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>
#include <vector>

#include "runtime/features.hpp"
#include "runtime/pmpi.hpp"
#include "runtime/state.hpp"

namespace starling {
namespace {

/// Elements whose data fits MPI_Pack's int position.
std::int64_t elements_at_a_time(std::int64_t element_bytes) {
  return std::max<std::int64_t>(1, (INT_MAX - 4096) / std::max<std::int64_t>(1, element_bytes));
}

/// What a datatype is in memory, as MPI tells it.
struct Shape {
  MPI_Datatype type{};
  std::int64_t size = 0;  ///< bytes of data
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  MPI_Aint true_lower = 0;
  MPI_Aint true_extent = 0;
  [[nodiscard]] bool gapless() const {
    return lower == 0 && true_lower == 0 && extent == true_extent && extent == size;
  }
};

Shape asked(MPI_Datatype type) {
  Shape shape{.type = type};
  int size = 0;
  pmpi.Type_size(type, &size);
  shape.size = size;
  if (size == MPI_UNDEFINED) {
    MPI_Count large = 0;
    pmpi.Type_size_x(type, &large);
    shape.size = static_cast<std::int64_t>(large);
  }
  pmpi.Type_get_extent(type, &shape.lower, &shape.extent);
  pmpi.Type_get_true_extent(type, &shape.true_lower, &shape.true_extent);
  return shape;
}

/// The same from memory for MPI's own types: a call asks a dozen times, and MPI takes 10 to 20 ns for an answer. The
/// handle of a type that the program made may be freed and given out again for another.
Shape shape_of(MPI_Datatype type) {
  if (!predefined(type)) return asked(type);
  STARLING_OF_THREAD std::array<Shape, 64> known{};
  std::uint64_t handle = 0;
  std::memcpy(&handle, &type, sizeof type);
  // The handles of MPICH differ in their lowest byte or the one above, those of Open MPI are addresses of large
  // objects.
  Shape& shape = known[(handle ^ (handle >> 6U) ^ (handle >> 12U)) % known.size()];
  if (shape.type != type) shape = asked(type);
  return shape;
}

/// How a datatype was made. One made with large counts (MPI_Type_contiguous_c, ...) has a combiner that nobody knows
/// here: only the large-count functions may ask about it, and with others MPI ends the program.
struct Envelope {
  int integers = 0;
  int addresses = 0;
  int types = 0;
  int combiner = MPI_UNDEFINED;
};

Envelope envelope_of(MPI_Datatype type) {
  Envelope told;
  if (pmpi.Type_get_envelope_c == nullptr) {
    pmpi.Type_get_envelope(type, &told.integers, &told.addresses, &told.types, &told.combiner);
    return told;
  }
  MPI_Count integers = 0;
  MPI_Count addresses = 0;
  MPI_Count large_counts = 0;
  MPI_Count types = 0;
  int combiner = MPI_UNDEFINED;
  if (pmpi.Type_get_envelope_c(type, &integers, &addresses, &large_counts, &types, &combiner) != MPI_SUCCESS ||
      large_counts > 0)
    return told;
  return {static_cast<int>(integers), static_cast<int>(addresses), static_cast<int>(types), combiner};
}

/// Moves data between a typed and a byte buffer by a message to oneself: for elements larger than MPI_Pack can take. On
/// a communicator of its own, so that no receive of the application can match it.
int through_self(const void* from, std::int64_t from_count, MPI_Datatype from_type, void* into, std::int64_t into_count,
                 MPI_Datatype into_type) {
  const Typed sent(from_count, from_type);
  const Typed received(into_count, into_type);
  const std::lock_guard lock(state().alone_guard);
  return pmpi.Sendrecv(from, sent.count, sent.type, 0, 0, into, received.count, received.type, 0, 0, state().alone,
                       MPI_STATUS_IGNORE);
}

}  // namespace

Unit Unit::bytes() {
  return {handles.byte, 1, 0, 1, true};
}

Unit Unit::of(MPI_Datatype type) {
  const Shape shape = shape_of(type);
  return {type, shape.extent, shape.true_lower, shape.true_extent, is_plain(type)};
}

Unit::Span Unit::span(std::int64_t count) const {
  if (count == 0) return {0, 0};
  const MPI_Aint last = (count - 1) * extent;
  const MPI_Aint lowest = std::min<MPI_Aint>(0, last) + true_lb;
  const MPI_Aint highest = std::max<MPI_Aint>(0, last) + true_lb + true_extent;
  return {static_cast<std::size_t>(highest - lowest), -lowest};
}

bool is_plain(MPI_Datatype type) {
  if (!shape_of(type).gapless()) return false;
  if (predefined(type)) return true;
  // Without gaps, but in order? Known for types made by repeating or copying a plain one; others are staged.
  const Envelope envelope = envelope_of(type);
  if (envelope.combiner == MPI_COMBINER_NAMED) return true;
  if ((envelope.combiner != MPI_COMBINER_CONTIGUOUS && envelope.combiner != MPI_COMBINER_DUP) || envelope.types != 1 ||
      envelope.integers > 1 || envelope.addresses != 0)
    return false;
  int count = 0;
  MPI_Aint unused = 0;
  MPI_Datatype inner{};
  if (pmpi.Type_get_contents(type, envelope.integers, envelope.addresses, envelope.types, &count, &unused, &inner) !=
      MPI_SUCCESS)
    return false;
  const bool plain = is_plain(inner);
  if (envelope_of(inner).combiner != MPI_COMBINER_NAMED) pmpi.Type_free(&inner);
  return plain;
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
  // MPICH's Pack and Unpack refuse MPI_BOTTOM.
  if (size > INT_MAX || data == MPI_BOTTOM) return through_self(data, count, type, bytes, size * count, handles.byte);
  const MPI_Aint extent = shape_of(type).extent;
  const std::int64_t step = elements_at_a_time(size);
  for (std::int64_t done = 0; done < count; done += step) {
    const auto now = static_cast<int>(std::min(step, count - done));
    int position = 0;
    const int error = pmpi.Pack(static_cast<const char*>(data) + (done * extent), now, type, bytes + (done * size),
                                static_cast<int>(now * size), &position, state().alone);
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

int unpack(const char* bytes, void* data, std::int64_t count, MPI_Datatype type) {
  const std::int64_t size = type_size(type);
  if (size > INT_MAX || data == MPI_BOTTOM) return through_self(bytes, size * count, handles.byte, data, count, type);
  const MPI_Aint extent = shape_of(type).extent;
  const std::int64_t step = elements_at_a_time(size);
  for (std::int64_t done = 0; done < count; done += step) {
    const auto now = static_cast<int>(std::min(step, count - done));
    int position = 0;
    const int error = pmpi.Unpack(bytes + (done * size), static_cast<int>(now * size), &position,
                                  static_cast<char*>(data) + (done * extent), now, type, state().alone);
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

}  // namespace starling
