#include "selection/guard.hpp"

#include <algorithm>

#include "selection/figures.hpp"

namespace starling {

std::int64_t Guard::first_calls_with(std::optional<double> gain) {
  if (!gain) return first_calls;
  constexpr double worth = 0.1;
  const double calls = control_calls * (*gain - 1) / worth;
  return calls < first_calls ? std::max(fewest_calls, static_cast<std::int64_t>(calls)) : first_calls;
}

void Guard::take(std::span<const AgreedCall> of_way, std::span<const AgreedCall> of_native) {
  trials_.add(way_, of_way);
  trials_.add(0, of_native);
  if (trials_.clearly_slower(way_, 0)) {
    // Another program may have disturbed it: it is looked at again soon.
    ++slower_;
    calls_ = first_calls_;
    return;
  }
  slower_ = 0;
  // Where native is slower, controls cost time; where it is as fast, more of them tell more.
  constexpr std::int64_t rarer = 4;
  constexpr std::int64_t a_little_rarer = 2;
  calls_ = std::min(rarest, calls_ * (trials_.clearly_slower(0, way_) ? rarer : a_little_rarer));
}

void Guard::look(std::span<const AgreedCall> of_native) {
  constexpr std::int64_t rarer = 4;
  trials_.forget(0);
  trials_.add(0, of_native);
  if (trials_.clearly_slower(0, way_)) {
    // Controls will say again that native is faster: they are rare from now on, so that leaving and coming back costs
    // little.
    slower_ = 0;
    calls_ = rarest;
  } else {
    rest_ = std::min(rarest, rest_ * rarer);
  }
}

std::string Guard::why(const Interned& way) const {
  if (!serves()) return "native: " + way.text() + " cannot serve here";
  if (!leaves_to_native())
    return way.text() + " again: native takes " + time_in_words(trials_.time(0)) + " since, it took " +
           time_in_words(trials_.time(way_));
  return "native: " + way.text() + " took " + time_in_words(trials_.time(way_)) + ", native " +
         time_in_words(trials_.time(0)) + " in " + std::to_string(trials_.calls(0)) + " calls";
}

}  // namespace starling
