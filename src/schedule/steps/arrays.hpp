#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <vector>

namespace starling {

/// Bytes of memory of an array, and of what its elements have in memory elsewhere, where they have `bytes`.
template <class Element>
std::size_t bytes_of(const std::vector<Element>& array) {
  std::size_t bytes = array.capacity() * sizeof(Element);
  if constexpr (requires(const Element& one) { one.bytes(); })
    for (const Element& one : array) bytes += one.bytes();
  return bytes;
}

template <class Data, class... Arrays>
constexpr bool is_all(std::type_identity<std::tuple<Arrays&...>> /*arrays*/) {
  return std::is_empty_v<Data> || (0 + ... + sizeof(Arrays)) == sizeof(Data);
}

/// Data that consists of arrays, of which `arrays` leaves out none: by it all are cleared and counted.
template <class Data>
concept Arrays = requires(Data& data) {
  Data::arrays(data);
  requires is_all<Data>(std::type_identity<decltype(Data::arrays(data))>());
};

/// Calls `use` for each array.
template <class Data, class Use>
void each_array(Data& data, Use use) {
  std::apply([&](auto&... arrays) { (use(arrays), ...); }, std::remove_const_t<Data>::arrays(data));
}

}  // namespace starling
