#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "layouts.hpp"

/// A buffer of an application: values, with gaps and borders that must not be written.
class Image {
 public:
  /// Makes room for `count` elements of `type`, `at` bytes from the address that MPI is given.
  void cover(std::ptrdiff_t at, const Type& type, int count) {
    for (int i = 0; i < count; ++i)
      for (const auto& piece : type.pieces) pieces_.push_back({at + i * type.extent + piece.at, piece.kind});
  }

  /// Sets every value to a random one and every other byte to a random guard.
  void fill(Dice dice) {
    std::ptrdiff_t low = 0;
    std::ptrdiff_t high = 0;
    for (const auto& piece : pieces_) {
      low = std::min(low, piece.at);
      high = std::max(high, piece.at + static_cast<std::ptrdiff_t>(piece.kind->size));
    }
    origin_ = (border - low + 15) / 16 * 16;
    bytes_.resize(static_cast<std::size_t>(origin_ + high + border));
    for (std::size_t i = 0; i < bytes_.size(); i += sizeof(std::uint64_t)) {
      const std::uint64_t some = dice.next();
      std::memcpy(bytes_.data() + i, &some, std::min(sizeof some, bytes_.size() - i));
    }
    for (const auto& piece : pieces_) piece.kind->draw(at(piece), dice);
    before_ = bytes_;
  }

  /// Sets the values from the `first` on to the contiguous items in `data`.
  void put(std::size_t first, const std::vector<std::byte>& data, const Type& item) {
    for (std::size_t from = 0; from < data.size(); from += static_cast<std::size_t>(item.extent))
      for (const auto& piece : item.pieces) {
        const Piece& into = pieces_[first++];
        const auto* value = data.data() + from + piece.at;
        std::copy(value, value + into.kind->size, at(into));
        std::copy(value, value + into.kind->size, before_.data() + origin_ + into.at);
      }
  }

  [[nodiscard]] void* address() { return bytes_.data() + origin_; }

  [[nodiscard]] std::size_t values() const { return pieces_.size(); }

  [[nodiscard]] bool untouched() const { return bytes_ == before_; }

  /// The difference of this image after a call from `reference`, which had the same contents before the same call;
  /// empty if they agree. `terms` as in Kind. Only the first `results` values count.
  [[nodiscard]] std::optional<std::string> fault(const Image& reference, int terms, std::size_t results) const {
    if (bytes_ == reference.bytes_) return std::nullopt;
    std::vector<bool> value(bytes_.size());
    for (std::size_t index = 0; index < pieces_.size(); ++index) {
      const Piece& piece = pieces_[index];
      const auto start = static_cast<std::size_t>(origin_ + piece.at);
      for (std::size_t i = 0; i < piece.kind->size; ++i) value[start + i] = true;
      if (index < results && piece.kind->differ(bytes_.data() + start, reference.bytes_.data() + start, terms))
        return "a value of kind " + piece.kind->name + " at byte " + std::to_string(piece.at) +
               " differs: " + hex(start, piece.kind->size) + ", PMPI has " + reference.hex(start, piece.kind->size);
    }
    for (std::size_t i = 0; i < bytes_.size(); ++i)
      if (!value[i] && bytes_[i] != before_[i] && reference.bytes_[i] == before_[i])
        return "the gap at byte " + std::to_string(static_cast<std::ptrdiff_t>(i) - origin_) + " was written";
    return std::nullopt;
  }

  /// A number that is equal where the values' bits are.
  [[nodiscard]] std::uint64_t fingerprint() const {
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const auto& piece : pieces_) {
      const auto significant = piece.kind->name == "long double"    ? 10
                               : piece.kind->family == Family::pair ? 0
                                                                    : piece.kind->size;
      for (std::size_t i = 0; i < significant; ++i)
        hash = (hash ^ static_cast<std::uint64_t>(bytes_[static_cast<std::size_t>(origin_ + piece.at) + i])) *
               0x100000001b3ULL;
    }
    return hash;
  }

 private:
  static constexpr std::ptrdiff_t border = 64;

  std::byte* at(const Piece& piece) { return bytes_.data() + origin_ + piece.at; }

  [[nodiscard]] std::string hex(std::size_t start, std::size_t size) const {
    std::string text;
    for (std::size_t i = start; i < start + size; ++i) {
      constexpr auto digits = "0123456789abcdef";
      text += digits[static_cast<unsigned>(bytes_[i]) >> 4];
      text += digits[static_cast<unsigned>(bytes_[i]) & 15];
    }
    return text;
  }

  std::vector<Piece> pieces_;
  std::vector<std::byte> bytes_;
  std::vector<std::byte> before_;
  std::ptrdiff_t origin_ = 0;
};
