#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "kinds.hpp"
#include "layouts.hpp"

/// An operator and a type that it may be applied to.
struct Operator {
  std::string name;
  MPI_Op handle;
  bool rounds = false;  ///< rounding makes the result depend on the order of operands
};

namespace operators {

constexpr std::uint64_t prime = 65521;

/// Calls `combine` on each pair of elements, spaced by the extent of the type, which must be the application's own.
template <class Element, void combine(const Element&, Element&)>
void each(void* in, void* inout, int* count, MPI_Datatype* type) {
  MPI_Aint lower_bound;
  MPI_Aint extent;
  PMPI_Type_get_extent(*type, &lower_bound, &extent);
  for (MPI_Aint i = 0; i < *count; ++i) {
    Element left;
    Element right;
    std::memcpy(&left, static_cast<char*>(in) + i * extent, sizeof left);
    std::memcpy(&right, static_cast<char*>(inout) + i * extent, sizeof right);
    combine(left, right);
    std::memcpy(static_cast<char*>(inout) + i * extent, &right, sizeof right);
  }
}

inline void add_modulo(const int& left, int& right) {
  right = (left + right) % 9;
}

struct Matrix {
  unsigned a, b, c, d;
};

/// The product of 2 x 2 matrices modulo a prime: associative, not commutative.
inline void multiply(const Matrix& l, Matrix& r) {
  const auto sum = [](std::uint64_t x, std::uint64_t y, std::uint64_t z, std::uint64_t w) {
    return static_cast<unsigned>((x * y + z * w) % prime);
  };
  r = {sum(l.a, r.a, l.b, r.c), sum(l.a, r.b, l.b, r.d), sum(l.c, r.a, l.d, r.c), sum(l.c, r.b, l.d, r.d)};
}

struct Affine {
  std::uint64_t slope, offset;
};

/// First x -> slope x + offset of the left one, then of the right one: associative, not commutative.
inline void compose(const Affine& left, Affine& right) {
  right = {left.slope * right.slope % prime, (left.offset * right.slope + right.offset) % prime};
}

}  // namespace operators

/// What a reduction works on.
struct Reduction {
  Operator op;
  Type item;
};

/// Makes the operators of this test, and frees those of its own when it goes.
class Operators {
 public:
  Operators() {
    PMPI_Op_create(operators::each<int, operators::add_modulo>, 1, &add_modulo_);
    PMPI_Op_create(operators::each<operators::Matrix, operators::multiply>, 0, &multiply_);
    PMPI_Op_create(operators::each<operators::Affine, operators::compose>, 0, &compose_);
  }
  Operators(const Operators&) = delete;
  Operators& operator=(const Operators&) = delete;
  ~Operators() {
    for (auto* op : {&add_modulo_, &multiply_, &compose_}) PMPI_Op_free(op);
  }

  /// An operator and a type for it. Derived types made on the way belong to `types`; with `gaps` some have gaps and a
  /// lower bound below 0.
  Reduction draw(Types& types, bool gaps, Dice& dice) const {
    const Type number = Types::basic(kind_of(MPI_UNSIGNED));
    const Type matrix = types.contiguous(number, 4);
    const Type map = types.contiguous(Types::basic(kind_of(MPI_UINT64_T)), 2);
    switch (dice.below(10)) {
      case 0: return {{"sum modulo 9", add_modulo_}, Types::basic(kind_of(MPI_INT))};
      case 1:
        return {{"sum modulo 9", add_modulo_},
                types.resized(Types::basic(kind_of(MPI_INT)), gaps ? -8 : 0, gaps ? 20 : 4)};
      case 2: return {{"matrix product", multiply_}, matrix};
      case 3: return {{"matrix product", multiply_}, gaps ? types.resized(matrix, 0, 20) : matrix};
      case 4: return {{"affine maps", compose_}, gaps ? types.resized(map, -8, 32) : map};
      default: break;
    }
    const Kind& kind = dice.pick(all_kinds());
    return {dice.pick(for_family(kind.family)), Types::basic(kind)};
  }

 private:
  static const std::vector<Operator>& for_family(Family family) {
    static const std::vector<Operator> integer{
        {"SUM", MPI_SUM}, {"PROD", MPI_PROD}, {"MAX", MPI_MAX},   {"MIN", MPI_MIN}, {"BAND", MPI_BAND},
        {"BOR", MPI_BOR}, {"BXOR", MPI_BXOR}, {"LAND", MPI_LAND}, {"LOR", MPI_LOR}, {"LXOR", MPI_LXOR}};
    static const std::vector<Operator> real{
        {"SUM", MPI_SUM, true}, {"PROD", MPI_PROD, true}, {"MAX", MPI_MAX}, {"MIN", MPI_MIN}};
    static const std::vector<Operator> complex{{"SUM", MPI_SUM, true}, {"PROD", MPI_PROD, true}};
    static const std::vector<Operator> logical{{"LAND", MPI_LAND}, {"LOR", MPI_LOR}, {"LXOR", MPI_LXOR}};
    static const std::vector<Operator> byte{{"BAND", MPI_BAND}, {"BOR", MPI_BOR}, {"BXOR", MPI_BXOR}};
    static const std::vector<Operator> pair{{"MINLOC", MPI_MINLOC}, {"MAXLOC", MPI_MAXLOC}};
    switch (family) {
      case Family::integer: return integer;
      case Family::real: return real;
      case Family::complex: return complex;
      case Family::logical: return logical;
      case Family::byte: return byte;
      case Family::pair: return pair;
    }
    std::abort();
  }

  MPI_Op add_modulo_;
  MPI_Op multiply_;
  MPI_Op compose_;
};
