#pragma once

#include <cstddef>
#include <vector>

namespace starling {

/// Those that keep plans on one communicator: `Holder` has `kept_bytes()`, of its plans, and `drop_plans()`, which it
/// makes again when needed.
template <class Holder>
class PlanHolders {
 public:
  /// The most bytes of plans that they keep together.
  static constexpr std::size_t most_bytes = std::size_t{12} << 20U;

  /// `holder` has made another plan. If all plans together are too large, others drop theirs, oldest first.
  void made(Holder& holder) {
    dropped(holder);
    holders_.push_back(&holder);
    std::size_t bytes = 0;
    for (const Holder* one : holders_) bytes += one->kept_bytes();
    while (bytes > most_bytes && holders_.size() > 1) {
      Holder* const oldest = holders_.front();
      bytes -= oldest->kept_bytes();
      oldest->drop_plans();
      holders_.erase(holders_.begin());
    }
  }
  /// `holder` has dropped its plans.
  void dropped(const Holder& holder) { std::erase(holders_, &holder); }

 private:
  std::vector<Holder*> holders_;  ///< by their latest plan, oldest first
};

}  // namespace starling
