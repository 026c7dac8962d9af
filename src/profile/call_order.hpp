#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace starling {

/// Which calls follow each other on one rank: how often each pair of contexts, and how long the program did something
/// else between them. Not for several threads. Following a call costs a few nanoseconds where pairs recur.
class CallOrder {
 public:
  /// What calls are told apart by.
  struct Kind {
    int operation;        ///< its number
    int ranks;            ///< of the communicator
    std::int64_t bytes;   ///< -1 where unknown
    bool bucket = false;  ///< stands for several sizes from `bytes` on
    // NOLINTNEXTLINE(modernize-use-nullptr): what clang-tidy 14 takes for a 0 is in the compiler-made comparison
    auto operator<=>(const Kind&) const = default;
  };
  struct Pair {
    Kind from;
    Kind to;
    std::int64_t calls;
    double seconds_between;  ///< in all, from the end of the first call to the start of the second
  };

  /// Kinds and pairs kept at most.
  static constexpr std::size_t most_kinds = 1024;
  static constexpr std::size_t most_pairs = 8192;

  /// The number of a kind of calls, for `follow`.
  int number_of(const Kind& kind);

  /// A call of kind `number` that began and ended at these seconds.
  void follow(int number, double start, double end) {
    if (previous_ >= 0) {
      Kinds& from = kinds_[static_cast<std::size_t>(previous_)];
      if (from.latest == from.next.size() || from.next[from.latest].to != number) turn(from, number);
      if (from.latest < from.next.size()) {
        Next& next = from.next[from.latest];
        ++next.calls;
        next.seconds_between += start - ended_;
      }
    }
    previous_ = number;
    ended_ = end;
  }

  /// The pairs that occurred most, at most `most`, the most frequent first.
  [[nodiscard]] std::vector<Pair> pairs(std::size_t most) const;
  /// How often any call followed another one, those not kept included.
  [[nodiscard]] std::int64_t calls() const;

 private:
  struct Next {
    int to;
    std::int64_t calls = 0;
    double seconds_between = 0;
  };
  struct Kinds {
    Kind kind;
    std::vector<Next> next{};
    std::size_t latest = 0;  ///< of `next`; its size where the pair is not kept
  };
  /// Makes `to` the latest successor of `from`.
  [[gnu::noinline]] void turn(Kinds& from, int to);

  std::vector<Kinds> kinds_;
  std::map<Kind, int> numbers_;
  std::size_t pairs_ = 0;
  std::int64_t not_kept_ = 0;
  int previous_ = -1;  ///< -1 before the first call, and after one of a kind that is not kept
  double ended_ = 0;
};

}  // namespace starling
