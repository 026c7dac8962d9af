#pragma once

#include <mpi.h>

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "dice.hpp"

/// The types a predefined operator may be applied to (MPI 4.0, section 6.9.2).
enum class Family { integer, real, complex, logical, byte, pair };

/// A basic MPI datatype: how to draw a value, and when two values differ.
struct Kind {
  std::string name;
  MPI_Datatype type;
  std::size_t size;
  Family family;
  void (*draw)(std::byte* at, Dice& dice);
  /// Whether `a` and `b` differ by more than the rounding of sums or products of `terms` values; 0: at all.
  bool (*differ)(const std::byte* a, const std::byte* b, int terms);
};

namespace kinds {

template <class T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <class T>
void store(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

template <class T>
bool bits_differ(const std::byte* a, const std::byte* b, int /*terms*/) {
  return load<T>(a) != load<T>(b);
}

/// Values lie within -2 and 2 and beyond 1/2 from zero, so sums of n have an error of at most 2 n^2 eps, products
/// relative n eps.
template <class T>
bool sums_differ(const std::byte* a, const std::byte* b, int terms) {
  if (terms == 0) return bits_differ<T>(a, b, 0);
  const auto n = static_cast<double>(terms);
  const auto difference = static_cast<double>(std::abs(load<T>(a) - load<T>(b)));
  using Real = decltype(std::abs(T{}));
  return !(difference <= 4 * n * static_cast<double>(std::numeric_limits<Real>::epsilon()) *
                             (2 * n + static_cast<double>(std::abs(load<T>(b)))));
}

template <class T>
Kind integer(std::string name, MPI_Datatype type, Family family = Family::integer) {
  return {std::move(name),
          type,
          sizeof(T),
          family,
          [](std::byte* at, Dice& dice) { store<T>(at, static_cast<T>(dice.below(6))); },
          bits_differ<T>};
}

inline double drawn_real(Dice& dice) {
  const double size = 0.5 + 1.5 * static_cast<double>(dice.next() >> 11) * 0x1p-53;
  return dice.one_in(2) ? size : -size;
}

template <class T>
Kind real(std::string name, MPI_Datatype type) {
  return {std::move(name),
          type,
          sizeof(T),
          Family::real,
          [](std::byte* at, Dice& dice) { store<T>(at, static_cast<T>(drawn_real(dice))); },
          sums_differ<T>};
}

template <class T>
Kind complex(std::string name, MPI_Datatype type) {
  return {std::move(name),
          type,
          sizeof(T),
          Family::complex,
          [](std::byte* at, Dice& dice) {
            const double re = drawn_real(dice);
            store<T>(at,
                     T(static_cast<typename T::value_type>(re), static_cast<typename T::value_type>(drawn_real(dice))));
          },
          sums_differ<T>};
}

template <class T>
struct Pair {
  T value;
  int index;
};

/// Few different values, so that ties are frequent.
template <class T>
Kind pair(std::string name, MPI_Datatype type) {
  return {std::move(name),
          type,
          sizeof(Pair<T>),
          Family::pair,
          [](std::byte* at, Dice& dice) {
            store(at + offsetof(Pair<T>, value), static_cast<T>(dice.below(3)));
            store(at + offsetof(Pair<T>, index), dice.below(20));
          },
          [](const std::byte* a, const std::byte* b, int) {
            return load<Pair<T>>(a).value != load<Pair<T>>(b).value || load<Pair<T>>(a).index != load<Pair<T>>(b).index;
          }};
}

}  // namespace kinds

/// Every kind the test draws from.
inline const std::vector<Kind>& all_kinds() {
  static const std::vector<Kind> all{
      kinds::integer<signed char>("signed char", MPI_SIGNED_CHAR),
      kinds::integer<short>("short", MPI_SHORT),
      kinds::integer<int>("int", MPI_INT),
      kinds::integer<unsigned>("unsigned", MPI_UNSIGNED),
      kinds::integer<long>("long", MPI_LONG),
      kinds::integer<std::uint64_t>("uint64", MPI_UINT64_T),
      kinds::integer<unsigned char>("byte", MPI_BYTE, Family::byte),
      kinds::integer<bool>("bool", MPI_C_BOOL, Family::logical),
      kinds::real<float>("float", MPI_FLOAT),
      kinds::real<double>("double", MPI_DOUBLE),
      kinds::real<long double>("long double", MPI_LONG_DOUBLE),
      kinds::complex<std::complex<float>>("float complex", MPI_C_FLOAT_COMPLEX),
      kinds::complex<std::complex<double>>("double complex", MPI_C_DOUBLE_COMPLEX),
      kinds::pair<double>("double int", MPI_DOUBLE_INT),
      kinds::pair<short>("short int pair", MPI_SHORT_INT),
      kinds::pair<long>("long int pair", MPI_LONG_INT),
      kinds::pair<int>("2int", MPI_2INT),
  };
  return all;
}

inline const Kind& kind_of(MPI_Datatype type) {
  for (const auto& kind : all_kinds())
    if (kind.type == type) return kind;
  std::abort();
}
