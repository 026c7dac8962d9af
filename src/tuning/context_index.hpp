#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tuning/call_key.hpp"

namespace starling {

/// Finds contexts by their call keys, `key()`. It is asked at each call that is unlike the one before, so it is one
/// piece of memory: open addressing, at most half full.
template <class Context>
class ContextIndex {
 public:
  [[nodiscard]] Context* find(const CallKey& key) const { return slots_.empty() ? nullptr : slots_[slot_of(key)]; }
  /// Adds a context, whose key no other one here has. The context must outlive the index.
  void add(Context& context) {
    if (2 * ++count_ > slots_.size()) grow();
    slots_[slot_of(context.key())] = &context;
  }

 private:
  /// Where a context with that key is, or would be.
  [[nodiscard]] std::size_t slot_of(const CallKey& key) const {
    const std::uint64_t number = (static_cast<std::uint64_t>(key.bytes) * 32) + (key.large_elements ? 16U : 0U) +
                                 (key.commutative ? 8U : 0U) + (key.built_in ? 4U : 0U) + (key.in_place ? 2U : 0U) +
                                 (key.bucket ? 1U : 0U);
    const std::size_t last = slots_.size() - 1;
    std::size_t slot = static_cast<std::size_t>((number * 0x9e3779b97f4a7c15U) >> 32U) & last;
    while (slots_[slot] != nullptr && !(slots_[slot]->key() == key)) slot = (slot + 1) & last;
    return slot;
  }
  void grow() {
    constexpr std::size_t first = 8;
    std::vector<Context*> larger(std::max(first, 2 * slots_.size()));
    for (Context* const one : std::exchange(slots_, std::move(larger)))
      if (one != nullptr) slots_[slot_of(one->key())] = one;
  }

  std::vector<Context*> slots_;  ///< a power of two; null where there is none
  std::size_t count_ = 0;
};

}  // namespace starling
