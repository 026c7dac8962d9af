#include "selection/ledger.hpp"

#include <cmath>

namespace starling {
namespace {

/// Of ever more calls an ever smaller share; of 20 calls the usual budget.
constexpr double allowance = 0.5;
constexpr double growth = 0.12;

}  // namespace

void Ledger::count(int candidate, std::int64_t calls) {
  calls_ += calls;
  if (calls_of_.empty() && candidate != 0) calls_of_.resize(candidates_);
  if (!calls_of_.empty()) calls_of_[static_cast<std::size_t>(candidate)] += calls;
}

void Ledger::expect_to_begin(int candidate, double seconds) {
  to_begin_.resize(candidates_);
  to_begin_[static_cast<std::size_t>(candidate)] = static_cast<float>(seconds);
}

void Ledger::start_anew() {
  calls_ = 0;
  calls_of_.clear();
}

double Ledger::allowed(double calls, double native) const {
  return budget_ * (allowance + (growth * std::sqrt(calls))) * native;
}

}  // namespace starling
