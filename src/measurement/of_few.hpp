#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace starling {

/// What is kept of a few candidates of many: a number for each candidate up to the last of them, and one block for all
/// that is kept. As long as they are added in their order from the first on, there are no numbers: many contexts have
/// native only.
template <class Kept>
class OfFew {
 public:
  /// What is kept of a candidate; null for nothing. Valid until another candidate is added.
  [[nodiscard]] Kept* find(std::size_t candidate) {
    if (places_.empty()) return candidate < all_.size() ? &all_[candidate] : nullptr;
    return has(candidate) ? &all_[places_[candidate] - std::size_t{1}] : nullptr;
  }
  [[nodiscard]] const Kept* find(std::size_t candidate) const { return const_cast<OfFew*>(this)->find(candidate); }
  [[nodiscard]] bool has(std::size_t candidate) const {
    if (places_.empty()) return candidate < all_.size();
    return candidate < places_.size() && places_[candidate] != nothing;
  }
  /// Adds a candidate of which nothing is kept.
  Kept& add(std::size_t candidate, Kept kept = {}) {
    if (!places_.empty() || candidate != all_.size()) make_place(candidate);
    // Vectors grow by their size: half of the memory may then be empty. Many contexts have one candidate.
    const std::size_t more = all_.empty() ? 1 : 2;
    constexpr std::size_t part = 16;
    if (all_.size() == all_.capacity()) all_.reserve(all_.size() + more + (all_.size() / part));
    all_.push_back(std::move(kept));
    if (!places_.empty()) places_[candidate] = static_cast<Place>(all_.size());
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

  void make_place(std::size_t candidate) {
    const bool is_first = places_.empty();
    if (places_.size() <= candidate) {
      const std::size_t size = std::max(candidate + 1, all_.size());
      places_.reserve(size);
      places_.resize(size, nothing);
    }
    if (is_first) std::iota(places_.begin(), places_.begin() + static_cast<std::ptrdiff_t>(all_.size()), Place{1});
  }

  std::vector<Place> places_;  ///< of each candidate: 1 + where in `all_`; empty where candidate i is at place i
  std::vector<Kept> all_;
};

}  // namespace starling
