#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "patterns/fault.hpp"

namespace starling::patterns {

/// A handle as Fortran has it: kind, generation and place in 31 bits, so that a freed handle is known as such; 0 is
/// none. In C it is the same number as an address.
using Handle = std::int32_t;

enum class Kind : std::uint8_t {
  topology = 1,
  map,
  vector,
  attribute,
  attribute_set,
  function,
  function_set,
  request,
  timer
};

/// The kind and the errors of an object, for `Handles`: each noun has a specialisation.
template <typename Object>
struct Noun;

/// Places below it are not used, for handles that never change.
template <typename Object>
inline constexpr std::uint32_t first_place = 0;

/// The live objects of one kind by their handles. Several threads may look up objects; creating and freeing is locked.
/// A program must not free an object while another thread uses it.
template <typename Object>
class Handles {
 public:
  /// The process's only one: the interface has no argument to pass it.
  static Handles& all() {
    // Never destroyed: a program may use its handles while its own statics are destroyed.
    static Handles& only = *new Handles;
    return only;
  }

  /// The object of a handle; nullptr where there is none.
  [[nodiscard]] Object* find(Handle handle) const {
    const auto bits = static_cast<std::uint32_t>(handle);
    if (bits >> (place_bits + generation_bits) != static_cast<std::uint32_t>(Noun<Object>::kind)) return nullptr;
    const std::uint32_t place = bits & ((1U << place_bits) - 1);
    const Slot* const chunk = chunks_[place / chunk_size].load(std::memory_order_acquire);
    if (chunk == nullptr) return nullptr;
    const Slot& slot = chunk[place % chunk_size];
    return slot.generation == ((bits >> place_bits) & ((1U << generation_bits) - 1)) ? slot.object.get() : nullptr;
  }
  /// The same for an owner; null where there is none.
  [[nodiscard]] std::shared_ptr<Object> share(Handle handle) {
    const std::scoped_lock lock(guard_);
    return find(handle) == nullptr ? nullptr : slot_of(handle).object;
  }

  [[nodiscard]] Handle add(std::shared_ptr<Object> object) {
    const std::scoped_lock lock(guard_);
    // Places are used again as late as can be, so that an old handle is not soon mistaken for a new one.
    std::uint32_t place = next_;
    if (free_.size() >= kept_free || next_ == (1U << place_bits)) {
      if (free_.empty()) throw Fault(Error::memory, std::string("too many objects of one kind: free some"));
      place = free_.front();
      free_.pop_front();
    } else {
      ++next_;
    }
    auto& chunk = chunks_[place / chunk_size];
    if (chunk.load(std::memory_order_relaxed) == nullptr) chunk.store(new Slot[chunk_size], std::memory_order_release);
    Slot& slot = chunk.load(std::memory_order_relaxed)[place % chunk_size];
    slot.object = std::move(object);
    return static_cast<Handle>((static_cast<std::uint32_t>(Noun<Object>::kind) << (place_bits + generation_bits)) |
                               (slot.generation << place_bits) | place);
  }

  /// Forgets a live object, and returns it.
  std::shared_ptr<Object> remove(Handle handle) {
    const std::scoped_lock lock(guard_);
    Slot& slot = slot_of(handle);
    slot.generation = (slot.generation + 1) & ((1U << generation_bits) - 1);
    free_.push_back(static_cast<std::uint32_t>(handle) & ((1U << place_bits) - 1));
    return std::move(slot.object);
  }

 private:
  static constexpr unsigned place_bits = 17;
  static constexpr unsigned generation_bits = 10;
  static constexpr std::size_t chunk_size = 256;
  static constexpr std::size_t kept_free = 64;

  struct Slot {
    std::uint32_t generation = 0;
    std::shared_ptr<Object> object;
  };

  Handles() = default;
  Slot& slot_of(Handle handle) {
    const std::uint32_t place = static_cast<std::uint32_t>(handle) & ((1U << place_bits) - 1);
    return chunks_[place / chunk_size].load(std::memory_order_relaxed)[place % chunk_size];
  }

  std::array<std::atomic<Slot*>, (std::size_t{1} << place_bits) / chunk_size> chunks_{};
  std::uint32_t next_ = first_place<Object>;
  std::deque<std::uint32_t> free_;
  std::mutex guard_;
};

/// An owner of the object of a handle. Throws a Fault that names the noun where there is none.
template <typename Object>
std::shared_ptr<Object> owned(Handle handle) {
  if (auto object = Handles<Object>::all().share(handle)) return object;
  throw Fault(Noun<Object>::unknown,
              std::string("the ") + Noun<Object>::name +
                  (handle == 0 ? " is null" : " is freed, or no " + std::string(Noun<Object>::name)));
}

}  // namespace starling::patterns
