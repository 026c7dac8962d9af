#include "selection/agreement_cost.hpp"

#include <algorithm>
#include <cmath>

namespace starling {
namespace {

/// Even where calls are very short, the ranks agree again after so many.
constexpr double most_calls = 1e6;
/// Seconds that an agreement is taken to need before one was timed.
constexpr double first_guess = 50e-6;

}  // namespace

double usual_agreement(double before, double latest) {
  constexpr double most_at_first = 1e-3;
  constexpr double most_growth = 1.3;
  return std::min(before == 0 ? most_at_first : before * most_growth, latest);
}

AgreementCost::AgreementCost(double budget, bool synchronises, bool shares_processors)
    : part_(std::min(1.0, budget)),
      synchronises_(synchronises),
      shares_processors_(shares_processors),
      seconds_(first_guess) {}

void AgreementCost::add(double seconds, double call) {
  constexpr double weight = 0.25;  // of the latest in their mean
  if (!shares_processors_)
    seconds_ = usual_agreement(of_all_ == 0 ? 0 : seconds_, seconds);
  else
    seconds_ = of_all_ == 0 ? seconds : seconds_ + (weight * (seconds - seconds_));
  of_all_ += with_lead(call);
}

/// Ranks that are done early in a rooted collective go on, and may begin the next one: an agreement takes this lead.
double AgreementCost::with_lead(double call) const {
  constexpr double lead = 0.5;  // of a call
  return synchronises_ ? seconds_ : std::max(seconds_, lead * call);
}

std::int64_t AgreementCost::calls_until_it_pays(double call) const {
  constexpr double usual_share = 0.008;  // of the time of calls
  // Where ranks share processors calls take as long as agreements, and there is most to gain.
  const double calls_in_advance = shares_processors_ ? 4 : 1;
  const double share = usual_share * part_;
  const double owed = of_all_ + with_lead(call) - (share * of_calls_) - (calls_in_advance * part_ * call);
  if (!(owed > 0)) return 0;
  return static_cast<std::int64_t>(std::min(most_calls, std::ceil(owed / (share * call))));
}

std::int64_t AgreementCost::calls_worth_one(double call) const {
  constexpr double fewest = 8;
  constexpr double agreements = 16;  // in whose time
  return static_cast<std::int64_t>(std::min(std::max(fewest, agreements * with_lead(call) / call), most_calls));
}

}  // namespace starling
