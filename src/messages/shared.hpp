#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace starling {

/// A value that does not change, and that many contexts have: as long as one of them keeps it, equal ones are one
/// object. `Value` can be compared.
template <class Value>
std::shared_ptr<const Value> shared(Value value) {
  // Never destroyed: MPI may be called while statics are destroyed.
  static std::mutex& guard = *new std::mutex;
  static std::vector<std::weak_ptr<const Value>>& all = *new std::vector<std::weak_ptr<const Value>>;
  const std::scoped_lock lock(guard);
  // The latest first: contexts of one communicator are made one after the other.
  for (auto one = all.rbegin(); one != all.rend(); ++one)
    if (std::shared_ptr<const Value> known = one->lock(); known && *known == value) return known;
  std::erase_if(all, [](const auto& one) { return one.expired(); });
  // Not make_shared, which would keep the memory of a value that nobody has as long as `all` knows it.
  std::shared_ptr<const Value> made(new Value(std::move(value)));
  all.push_back(made);
  return made;
}

}  // namespace starling
