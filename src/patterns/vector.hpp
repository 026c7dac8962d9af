#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "patterns/handles.hpp"
#include "runtime/exchange/lines.hpp"

namespace starling::patterns {

/// Which part of a vector takes part in a pattern.
struct Map {
  enum class Kind : std::uint8_t { halo, all, list, counts, reduced, in_place };
  Kind kind = Kind::all;
  int halo = 0;                      ///< cells on each side
  std::vector<int> counts{};         ///< of a list: elements of each rank
  std::vector<int> displacements{};  ///< of a list: in elements
  int send = 0;                      ///< of counts: elements to each rank
  int receive = 0;                   ///< of counts: elements from each rank
  MPI_Op op{};                       ///< of reduced
};

template <>
struct Noun<Map> {
  static constexpr Kind kind = Kind::map;
  static constexpr const char* name = "map";
  static constexpr Error unknown = Error::map;
};

using neighborhood::Order;

/// An array of the program's.
class Vector {
 public:
  /// What the program says of it. `values` of the datatype make an element; 0 is 1.
  struct Shape {
    std::vector<int> extents;  ///< elements in each dimension, halo cells on both sides included
    int values = 0;
    std::shared_ptr<const Map> map;
    MPI_Datatype type{};
    Order order = Order::c;
  };

  /// On the program's memory. Throws a Fault for a shape that cannot be.
  static std::shared_ptr<Vector> on(Shape shape, void* data);
  /// On memory of its own, cleared.
  static std::shared_ptr<Vector> allocated(Shape shape);
  ~Vector();
  Vector(const Vector&) = delete;
  Vector& operator=(const Vector&) = delete;
  Vector(Vector&&) = delete;
  Vector& operator=(Vector&&) = delete;

  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] const Map& map() const { return *shape_.map; }
  [[nodiscard]] int dimensions() const { return static_cast<int>(shape_.extents.size()); }
  [[nodiscard]] char* data() const { return data_; }
  /// Whether the memory is its own.
  [[nodiscard]] bool is_own() const { return !memory_.empty(); }
  [[nodiscard]] bool is_in_place() const { return map().kind == Map::Kind::in_place; }
  /// Of the datatype, in all.
  [[nodiscard]] std::int64_t elements() const { return elements_; }
  /// From one value to the next: a type of two values, MPI_DOUBLE_INT, may end with a gap.
  [[nodiscard]] std::int64_t bytes_of_value() const { return bytes_of_value_; }
  [[nodiscard]] std::int64_t bytes() const { return elements_ * bytes_of_value_; }

  /// The address that a program with arrays of pointers sees: as many levels of pointers as there are dimensions, one
  /// more where an element has several values, the last of them into the data. Only for memory of its own.
  [[nodiscard]] void* levels_of_pointers();

 private:
  explicit Vector(Shape shape);

  Shape shape_;
  std::int64_t elements_ = 1;
  std::int64_t bytes_of_value_ = 1;
  char* data_ = nullptr;
  std::vector<std::max_align_t> memory_;
  std::vector<std::vector<void*>> levels_;
};

template <>
struct Noun<Vector> {
  static constexpr Kind kind = Kind::vector;
  static constexpr const char* name = "vector";
  static constexpr Error unknown = Error::vector;
};

/// Throws a Fault unless `dimensions` extents make an array; `extents` may be null for none.
std::vector<int> checked_extents(int dimensions, const int* extents);

}  // namespace starling::patterns
