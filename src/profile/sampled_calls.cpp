#include "profile/sampled_calls.hpp"

#include <algorithm>

namespace starling {

void SampledCalls::keep(std::uint32_t number, double seconds, double before) {
  kept_.push_back({number, static_cast<float>(seconds), static_cast<float>(before)});
  while (kept_.size() > most) {
    limit_ /= 2;
    kept_.erase(
        std::remove_if(kept_.begin(), kept_.end(), [this](const Kept& one) { return one.number * scramble > limit_; }),
        kept_.end());
  }
}

}  // namespace starling
