#include "runtime/mpi/datatype_shape.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <mutex>

#include "runtime/mpi/mark_in_name.hpp"
#include "runtime/mpi/of_thread.hpp"
#include "runtime/mpi/pmpi.hpp"
#include "runtime/mpi/process.hpp"

namespace starling {
namespace {

/// How a datatype was made. For one made with large counts (MPI_Type_contiguous_c, ...) the numbers are left 0: MPI
/// ends the program if any but the large-count functions read it.
struct Envelope {
  int integers = 0;
  int addresses = 0;
  int types = 0;
  int combiner = MPI_UNDEFINED;
  bool large = false;
};

Envelope envelope_of(MPI_Datatype type) {
  Envelope envelope;
  if (pmpi.Type_get_envelope_c == nullptr) {
    pmpi.Type_get_envelope(type, &envelope.integers, &envelope.addresses, &envelope.types, &envelope.combiner);
    return envelope;
  }
  MPI_Count integers = 0;
  MPI_Count addresses = 0;
  MPI_Count large_counts = 0;
  MPI_Count types = 0;
  if (pmpi.Type_get_envelope_c(type, &integers, &addresses, &large_counts, &types, &envelope.combiner) != MPI_SUCCESS)
    return {};
  if (large_counts > 0) return {.combiner = envelope.combiner, .large = true};
  return {static_cast<int>(integers), static_cast<int>(addresses), static_cast<int>(types), envelope.combiner};
}

/// Whether a type that MPI_Type_get_contents returned must be freed. Predefined types must not be, and some of them are
/// not named: Fortran's kinds, and since MPI 4.1 the types of a value and an index.
bool is_of_program(const Envelope& made) {
  switch (made.combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_CONTIGUOUS:
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR:
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK:
    case MPI_COMBINER_STRUCT:
    case MPI_COMBINER_SUBARRAY:
    case MPI_COMBINER_DARRAY:
    case MPI_COMBINER_RESIZED: return true;
    default: return false;
  }
}

/// Whether the datatype is one number, without gaps.
bool is_one_number(int combiner) {
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_COMPLEX ||
         combiner == MPI_COMBINER_F90_INTEGER;
}

/// What MPI reports about a type: all but `plain`.
struct Reported {
  DatatypeShape shape;
  bool gapless;
};

Reported reported_by_mpi(MPI_Datatype type) {
  DatatypeShape shape;
  int size = 0;
  pmpi.Type_size(type, &size);
  shape.size = size;
  if (size == MPI_UNDEFINED) {
    MPI_Count large = 0;
    pmpi.Type_size_x(type, &large);
    shape.size = static_cast<std::int64_t>(large);
  }
  MPI_Aint lower = 0;
  pmpi.Type_get_extent(type, &lower, &shape.extent);
  pmpi.Type_get_true_extent(type, &shape.true_lb, &shape.true_extent);
  const bool gapless =
      lower == 0 && shape.true_lb == 0 && shape.extent == shape.true_extent && shape.extent == shape.size;
  return {shape, gapless};
}

/// Whether a type without gaps is also in order. Known for types that repeat or copy a plain one; others are staged.
bool is_in_order(MPI_Datatype type) {
  const Envelope made = envelope_of(type);
  if (is_one_number(made.combiner)) return true;
  if ((made.combiner != MPI_COMBINER_CONTIGUOUS && made.combiner != MPI_COMBINER_DUP) || made.large ||
      made.types != 1 || made.integers > 1 || made.addresses != 0)
    return false;
  int count = 0;
  MPI_Aint unused = 0;
  MPI_Datatype inner{};
  if (pmpi.Type_get_contents(type, made.integers, made.addresses, made.types, &count, &unused, &inner) != MPI_SUCCESS)
    return false;
  const bool in_order = reported_by_mpi(inner).gapless && is_in_order(inner);
  if (is_of_program(envelope_of(inner))) pmpi.Type_free(&inner);
  return in_order;
}

DatatypeShape find_shape(MPI_Datatype type) {
  const auto [reported, gapless] = reported_by_mpi(type);
  DatatypeShape shape = reported;
  shape.cacheable = predefined(type);
  shape.plain = gapless && (shape.cacheable || is_in_order(type));
  return shape;
}

/// The value of a datatype's attribute.
struct Kept {
  DatatypeShape shape;
  std::atomic<bool> committed = false;
};

int copy_nothing(MPI_Datatype /*type*/, int /*keyval*/, void* /*extra*/, void* /*from*/, void* /*into*/, int* flag) {
  *flag = 0;
  return MPI_SUCCESS;
}

/// How many datatypes this thread is freeing: a delete function may free others.
struct TypesBeingFreed {
  int number = 0;
};

/// A delete function of the program may use a type also outside MPI_Type_free.
bool is_being_freed(MPI_Datatype type) {
  if (of_thread<TypesBeingFreed>().number > 0) return true;
  std::array<char, MPI_MAX_OBJECT_NAME + 1> name{};
  int length = 0;
  return pmpi.Type_get_name(type, name.data(), &length) == MPI_SUCCESS && length > 0 &&
         name[static_cast<std::size_t>(length) - 1] == being_freed;
}

/// Not for what MPI_Finalize frees: names are out of reach by then, and nothing is tuned any more.
void mark_as_being_freed(MPI_Datatype type) {
  int finalized = 0;
  if (pmpi.Finalized(&finalized) != MPI_SUCCESS || finalized != 0) return;
  std::array<char, MPI_MAX_OBJECT_NAME + 1> name{};
  int length = 0;
  if (pmpi.Type_get_name(type, name.data(), &length) != MPI_SUCCESS) return;
  const auto end = static_cast<std::size_t>(std::min(length, MPI_MAX_OBJECT_NAME - 2));
  name[end] = being_freed;
  name[end + 1] = '\0';
  pmpi.Type_set_name(type, name.data());
}

int forget(MPI_Datatype type, int /*keyval*/, void* attribute, void* /*extra*/) {
  detail::types_freed.fetch_add(1, std::memory_order_acq_rel);
  delete static_cast<Kept*>(attribute);
  mark_as_being_freed(type);
  return MPI_SUCCESS;
}

/// Freed by MPI_Finalize, because datatypes may exist until then.
int keyval() {
  static const int made = [] {
    int key = MPI_KEYVAL_INVALID;
    return pmpi.Type_create_keyval(copy_nothing, forget, &key, nullptr) == MPI_SUCCESS ? key : MPI_KEYVAL_INVALID;
  }();
  return made;
}

/// The attribute of a type that the program made, created if there is none yet; nullptr if MPI can't keep it.
Kept* kept_with(MPI_Datatype type) {
  if (keyval() == MPI_KEYVAL_INVALID) return nullptr;
  // Two threads may use a new type at the same time: the second must find the attribute that the first has set.
  // `forget` must not take this lock: MPI may call it while it holds its own locks.
  static std::mutex guard;
  const std::scoped_lock lock(guard);
  void* attribute = nullptr;
  int found = 0;
  if (pmpi.Type_get_attr(type, keyval(), static_cast<void*>(&attribute), &found) != MPI_SUCCESS) return nullptr;
  if (found != 0) return static_cast<Kept*>(attribute);
  if (is_being_freed(type)) return nullptr;
  auto made = std::make_unique<Kept>();
  made->shape = find_shape(type);
  made->shape.cacheable = true;
  if (pmpi.Type_set_attr(type, keyval(), made.get()) != MPI_SUCCESS) return nullptr;
  return made.release();
}

/// A thread's cache of a type, to avoid looking up the attribute.
struct Remembered {
  MPI_Datatype type;
  std::uint64_t types_freed;  ///< types_freed() when it was cached
  DatatypeShape shape;
  Kept* kept;  ///< nullptr for predefined types
  bool committed;
};

constexpr std::uint64_t for_ever = 0;

Remembered& place_of(MPI_Datatype type) {
  auto& places = of_thread<std::array<Remembered, 64>>();
  std::uint64_t handle = 0;
  std::memcpy(&handle, &type, sizeof type);
  // MPICH's handles differ in the lowest two bytes; Open MPI's are addresses of large objects.
  return places[(handle ^ (handle >> 6U) ^ (handle >> 12U)) % places.size()];
}

bool holds(const Remembered& place, MPI_Datatype type) {
  return place.type == type && place.shape.cacheable &&
         (place.types_freed == for_ever || place.types_freed == types_freed());
}

/// The cached type. Valid until the next call.
Remembered& remembered(MPI_Datatype type) {
  Remembered& place = place_of(type);
  if (holds(place, type)) return place;
  if (predefined(type)) return place = {type, for_ever, find_shape(type), nullptr, true};
  const std::uint64_t now = types_freed();
  Kept* const kept = kept_with(type);
  if (kept == nullptr) return place = {type, now, find_shape(type), nullptr, false};
  return place = {type, now, kept->shape, kept, kept->committed.load(std::memory_order_relaxed)};
}

/// Whether a type is committed. No MPI function reports it, but packing zero elements fails if it is not.
bool packs(MPI_Datatype type) {
  char nothing = 0;
  int position = 0;
  return pmpi.Pack(&nothing, 0, type, &nothing, 0, &position, process().self) == MPI_SUCCESS;
}

}  // namespace

FreeingType::FreeingType() {
  ++of_thread<TypesBeingFreed>().number;
}

FreeingType::~FreeingType() {
  --of_thread<TypesBeingFreed>().number;
}

DatatypeShape shape_of(MPI_Datatype type) {
  return remembered(type).shape;
}

bool is_cached(MPI_Datatype type) {
  return holds(place_of(type), type);
}

bool is_committed(MPI_Datatype type) {
  if (predefined(type)) return true;
  if (const Remembered& known = place_of(type); holds(known, type) && known.committed) return true;
  // For an invalid type any other MPI function would invoke the error handler of MPI_COMM_WORLD.
  if (!packs(type)) return false;
  Remembered& known = remembered(type);
  known.committed = true;
  if (known.kept != nullptr) known.kept->committed.store(true, std::memory_order_relaxed);
  return true;
}

}  // namespace starling
