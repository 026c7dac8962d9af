#pragma once

#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace starling {

/// Values with a member `seconds` by key, of bounded number: where there would be more, that with the fewest seconds
/// goes. Each change takes the logarithm of their number.
template <typename Key, typename Value>
class Heaviest {
 public:
  explicit Heaviest(std::size_t most) : most_(most) {}

  [[nodiscard]] const std::map<Key, Value>& all() const { return all_; }

  /// Lets `change` change the value of a key, which is made if there is none. Returns the key of the value that had to
  /// go. It is not the changed one: more may be added to that.
  template <typename Change>
  std::optional<Key> change(const Key& key, Change change) {
    const auto [place, is_new] = all_.try_emplace(key);
    if (!is_new) by_seconds_.erase({weight(place->second), key});
    change(place->second);
    std::optional<Key> gone;
    if (all_.size() > most_ && !by_seconds_.empty()) {
      gone = by_seconds_.begin()->second;
      erase(*gone);
    }
    by_seconds_.insert({weight(place->second), key});
    return gone;
  }

  void erase(const Key& key) {
    const auto place = all_.find(key);
    if (place == all_.end()) return;
    by_seconds_.erase({weight(place->second), key});
    all_.erase(place);
  }

 private:
  static double weight(const Value& value) { return std::isfinite(value.seconds) ? value.seconds : 0; }

  std::size_t most_;
  std::map<Key, Value> all_;
  std::set<std::pair<double, Key>> by_seconds_;
};

}  // namespace starling
