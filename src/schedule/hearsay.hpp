#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace starling {

/// The ranks that each rank has heard from, itself or through others: what a barrier is about.
class Hearsay {
 public:
  explicit Hearsay(std::size_t ranks) : heard_(ranks, std::vector<bool>(ranks)), before_round_(heard_) {
    for (std::size_t rank = 0; rank < ranks; ++rank) heard_[rank][rank] = true;
  }

  /// What `rank` sends in a round is what it had heard when the round began.
  void begin_round(int rank) { before_round_[index(rank)] = heard_[index(rank)]; }
  void tell(int from, int to) {
    const std::vector<bool>& news = before_round_[index(from)];
    for (std::size_t rank = 0; rank < news.size(); ++rank)
      if (news[rank]) heard_[index(to)][rank] = true;
  }
  /// The first rank that `rank` has not heard from.
  [[nodiscard]] std::optional<int> missing(int rank) const {
    const std::vector<bool>& heard = heard_[index(rank)];
    const auto found = std::find(heard.begin(), heard.end(), false);
    if (found == heard.end()) return std::nullopt;
    return static_cast<int>(found - heard.begin());
  }

 private:
  static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }
  std::vector<std::vector<bool>> heard_;
  std::vector<std::vector<bool>> before_round_;
};

}  // namespace starling
