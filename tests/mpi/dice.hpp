#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

/// Random numbers that every rank can draw alike: the sequence depends on the seeds only (splitmix64).
class Dice {
 public:
  Dice(std::initializer_list<std::uint64_t> seeds) {
    for (const auto seed : seeds) state_ = mixed(state_ ^ mixed(seed + 0x9e3779b97f4a7c15ULL));
  }

  std::uint64_t next() { return mixed(state_ += 0x9e3779b97f4a7c15ULL); }
  /// A number from 0 to n - 1.
  int below(int n) { return static_cast<int>(next() % static_cast<std::uint64_t>(n)); }
  int between(int low, int high) { return low + below(high - low + 1); }
  bool one_in(int n) { return below(n) == 0; }

  template <class Values>
  const auto& pick(const Values& values) {
    return values[static_cast<std::size_t>(below(static_cast<int>(values.size())))];
  }

  /// The numbers 0 to n - 1 in random order.
  std::vector<int> permutation(int n) {
    std::vector<int> order(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = i;
    for (int i = n - 1; i > 0; --i)
      std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(below(i + 1))]);
    return order;
  }

 private:
  static std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  std::uint64_t state_ = 0;
};
