#include "patterns/vector.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "patterns/topology.hpp"
#include "runtime/mpi/pmpi.hpp"
#include "runtime/mpi/unit.hpp"

namespace starling::patterns {
namespace {

constexpr int most_dimensions = 16;

void check_halo(const Vector::Shape& shape) {
  const int halo = shape.map->halo;
  for (std::size_t i = 0; i < shape.extents.size(); ++i) {
    const std::string which =
        "dimension " + std::to_string(i) + " has " + std::to_string(shape.extents[i]) + " elements";
    const std::int64_t between = std::int64_t{shape.extents[i]} - (2 * std::int64_t{halo});
    if (shape.extents[i] < 1) throw Fault(Error::extents, which + "; a vector with halos has at least one");
    if (between < 1)
      throw Fault(Error::halo, which + ", halos of " + std::to_string(halo) +
                                   " on both sides included: no cell is left between them; extents count the halos");
    if (between < halo)
      throw Fault(Error::halo, which + ", of which " + std::to_string(between) + " lie between halos of " +
                                   std::to_string(halo) + ": a halo must not be wider than the block it surrounds");
  }
}

}  // namespace

std::vector<int> checked_extents(int dimensions, const int* extents) {
  if (dimensions < 1 || dimensions > most_dimensions)
    throw Fault(Error::dimensions, "a vector has 1 to " + std::to_string(most_dimensions) + " dimensions, not " +
                                       std::to_string(dimensions));
  if (extents == nullptr) throw Fault(Error::extents, "the address of the extents is null");
  std::vector<int> all(extents, extents + dimensions);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i] < 0)
      throw Fault(Error::extents, "the extent of dimension " + std::to_string(i) + " is " + std::to_string(all[i]) +
                                      ", and must not be negative");
  return all;
}

Vector::Vector(Shape shape) : shape_(std::move(shape)) {
  if (!shape_.map) throw Fault(Error::map, "the map is null");
  if (is_in_place()) {
    elements_ = 0;
    data_ = static_cast<char*>(MPI_IN_PLACE);
    return;
  }
  if (shape_.type == handles.datatype_null) throw Fault(Error::datatype, "the datatype is MPI_DATATYPE_NULL");
  if (!predefined(shape_.type))
    throw Fault(Error::datatype, "the datatype is one of the program's; a vector consists of a predefined one");
  if (shape_.values < 0)
    throw Fault(Error::values,
                "an element has " + std::to_string(shape_.values) + " values, and must not have fewer than 0");
  if (map().kind == Map::Kind::halo) check_halo(shape_);
  bytes_of_value_ = Unit::of(shape_.type).extent;
  elements_ = std::max(1, shape_.values);
  for (const int extent : shape_.extents) {
    if (extent > 0 && elements_ > std::numeric_limits<std::int64_t>::max() / 64 / extent)
      throw Fault(Error::extents, "the extents make more elements than any memory holds");
    elements_ *= extent;
  }
}

Vector::~Vector() = default;

std::shared_ptr<Vector> Vector::on(Shape shape, void* data) {
  std::shared_ptr<Vector> made(new Vector(std::move(shape)));
  if (made->is_in_place()) return made;
  if (data == nullptr && made->elements_ > 0) throw Fault(Error::data, "the address of the data is null");
  made->data_ = static_cast<char*>(data);
  return made;
}

std::shared_ptr<Vector> Vector::allocated(Shape shape) {
  std::shared_ptr<Vector> made(new Vector(std::move(shape)));
  if (made->is_in_place()) return made;
  const auto bytes = static_cast<std::size_t>(made->bytes());
  try {
    made->memory_.resize((bytes / sizeof(std::max_align_t)) + 1);
  } catch (const std::exception&) {
    throw Fault(Error::memory, "there is no memory for a vector of " + std::to_string(bytes) + " bytes");
  }
  made->data_ = reinterpret_cast<char*>(made->memory_.data());
  return made;
}

void* Vector::levels_of_pointers() {
  std::vector<int> extents = shape_.extents;
  if (shape_.values > 1) extents.push_back(shape_.values);
  if (!is_own() || extents.size() == 1) return data_;
  if (levels_.empty()) {
    // Level i has a pointer for each combination of the first i + 1 indices, to what the next index counts.
    std::size_t pointers = 1;
    for (std::size_t i = 0; i + 1 < extents.size(); ++i) {
      pointers *= static_cast<std::size_t>(extents[i]);
      levels_.emplace_back(pointers);
    }
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      const auto next = static_cast<std::size_t>(extents[i + 1]);
      for (std::size_t j = 0; j < levels_[i].size(); ++j)
        levels_[i][j] = i + 1 < levels_.size()
                            ? static_cast<void*>(levels_[i + 1].data() + (j * next))
                            : static_cast<void*>(data_ + (j * next * static_cast<std::size_t>(bytes_of_value_)));
    }
  }
  return static_cast<void*>(levels_.front().data());
}

}  // namespace starling::patterns
