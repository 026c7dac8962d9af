#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace starling {

/// What is kept of a few candidates of many: a number for each candidate up to the last of them, and one block for all
/// that is kept.
template <class Kept>
class OfFew {
 public:
  /// What is kept of a candidate; null for nothing. Valid until another candidate is added.
  [[nodiscard]] Kept* find(std::size_t candidate) {
    return has(candidate) ? &all_[places_[candidate] - std::size_t{1}] : nullptr;
  }
  [[nodiscard]] const Kept* find(std::size_t candidate) const { return const_cast<OfFew*>(this)->find(candidate); }
  [[nodiscard]] bool has(std::size_t candidate) const {
    return candidate < places_.size() && places_[candidate] != nothing;
  }
  /// Adds a candidate of which nothing is kept.
  Kept& add(std::size_t candidate, Kept kept = {}) {
    if (places_.size() <= candidate) {
      places_.reserve(candidate + 1);
      places_.resize(candidate + 1, nothing);
    }
    // Vectors grow by their size: half of the memory may then be empty. Many contexts have one candidate.
    const std::size_t more = all_.empty() ? 1 : 2;
    constexpr std::size_t part = 16;
    if (all_.size() == all_.capacity()) all_.reserve(all_.size() + more + (all_.size() / part));
    all_.push_back(std::move(kept));
    places_[candidate] = static_cast<Place>(all_.size());
    return all_.back();
  }
  void clear() {
    places_.clear();
    all_.clear();
  }
  /// In the order in which they were added.
  [[nodiscard]] auto begin() { return all_.begin(); }
  [[nodiscard]] auto end() { return all_.end(); }
  [[nodiscard]] auto begin() const { return all_.begin(); }
  [[nodiscard]] auto end() const { return all_.end(); }

 private:
  using Place = std::uint16_t;
  static constexpr Place nothing = 0;

  std::vector<Place> places_;  ///< of each candidate: 1 + where in `all_`
  std::vector<Kept> all_;
};

}  // namespace starling
