#include "tuning/experience.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "measurement/statistics.hpp"
#include "selection/estimates.hpp"

namespace starling {
namespace {

/// How far a time of another communicator of the same shape is off.
constexpr double spread_of_shape = 0.1;
constexpr double common_spread_of_shape = 0.15;
/// How far a ratio to native at another size is off, for each doubling of the size.
constexpr double spread_of_doubling = 0.1;
constexpr double common_spread_of_size = 0.1;
/// So many errors of the cost model weigh as much as what is known of it in general.
constexpr double weight_of_general = 2;

/// The time of a candidate; null if there is none.
template <typename Times>
auto* time_of(Times& times, const Interned& name) {
  const auto at = std::find_if(times.begin(), times.end(), [&](const auto& one) { return one.first == name; });
  return at == times.end() ? nullptr : &at->second;
}

Belief of_another_communicator(double seconds) {
  static const Interned source("another communicator of this shape");
  return {.seconds = seconds,
          .spread = spread_of_shape,
          .source = source,
          .common_spread = common_spread_of_shape,
          .is_proven = true};
}

}  // namespace

void Experience::learn(const ContextKey& key, const Candidate& candidate, double seconds,
                       std::optional<double> predicted, bool is_first) {
  const std::scoped_lock lock(guard_);
  if (is_first && predicted) {
    Errors& errors = errors_[{std::string(key.what), candidate.group.text()}];
    const double error = std::log(seconds / *predicted);
    ++errors.count;
    errors.sum += error;
    errors.squares += error * error;
  }
  if (key.bytes < 0 || key.bucket) return;  // the sizes of such calls vary
  auto& sizes = times_[shape_of(key)];
  auto at = sizes.find(key.bytes);
  if (at == sizes.end()) {
    if (contexts_ == most_contexts) return;
    ++contexts_;
    at = sizes.emplace(key.bytes, Times{}).first;
  }
  if (double* const known = time_of(at->second, candidate.name)) {
    *known = seconds;
  } else {
    at->second.emplace_back(candidate.name, seconds);
  }
}

const Experience::Times* Experience::times_of(const ContextKey& key) const {
  const auto shape = times_.find(shape_of(key));
  if (key.bucket || shape == times_.end()) return nullptr;
  const auto times = shape->second.find(key.bytes);
  return times == shape->second.end() ? nullptr : &times->second;
}

Experience::Times Experience::measured(const ContextKey& key) const {
  const std::scoped_lock lock(guard_);
  const Times* const times = times_of(key);
  return times != nullptr ? *times : Times();
}

bool Experience::knows(const ContextKey& key) const {
  const std::scoped_lock lock(guard_);
  const Times* const times = times_of(key);
  return times != nullptr &&
         std::any_of(times->begin(), times->end(), [](const auto& one) { return !(one.first == "native"); });
}

void Experience::learn_setup(Made what, double seconds) {
  const std::scoped_lock lock(guard_);
  std::vector<double>& latest = setups_[static_cast<std::size_t>(what)];
  if (latest.size() == setups_kept) latest.erase(latest.begin());
  latest.push_back(seconds);
}

std::optional<double> Experience::setup_seconds(Made what) const {
  const std::scoped_lock lock(guard_);
  const std::vector<double>& latest = setups_[static_cast<std::size_t>(what)];
  return latest.empty() ? std::nullopt : std::optional(median(latest));
}

void Experience::spend(double seconds) {
  const std::scoped_lock lock(guard_);
  spent_ += seconds;
}

double Experience::spent() const {
  const std::scoped_lock lock(guard_);
  return spent_;
}

bool Experience::knows(int ranks) const {
  const std::scoped_lock lock(guard_);
  return std::any_of(times_.begin(), times_.end(), [&](const auto& one) { return std::get<2>(one.first) == ranks; });
}

std::optional<Belief> Experience::from_sizes(const ContextKey& key, const Interned& name, double native) const {
  const auto shape = times_.find(shape_of(key));
  if (shape == times_.end() || key.bytes < 0) return std::nullopt;
  const auto& sizes = shape->second;
  if (const Times* const same = times_of(key); same != nullptr)
    if (const double* const seconds = time_of(*same, name)) return of_another_communicator(*seconds);
  std::optional<Belief> nearest;
  double least = std::log2(static_cast<double>(farthest)) + 1e-9;
  for (const auto& [bytes, times] : sizes) {
    if (bytes <= 0 || key.bytes <= 0 || (bytes == key.bytes && !key.bucket)) continue;
    const double doublings = std::abs(std::log2(static_cast<double>(bytes) / static_cast<double>(key.bytes)));
    static const Interned library("native");
    const double* const time = time_of(times, name);
    const double* const reference = time_of(times, library);
    if (doublings > least || time == nullptr || reference == nullptr) continue;
    least = doublings;
    nearest = Belief{native * *time / *reference, spread_of_doubling * (1 + doublings),
                     "calls of " + std::to_string(bytes) + " bytes", common_spread_of_size * (1 + doublings)};
  }
  return nearest;
}

/// The predicted time times the mean error of the cost model about the candidate's group so far.
Belief Experience::corrected(const ContextKey& key, const Candidate& candidate, double predicted) const {
  Belief belief = belief_of_model(predicted);
  const auto found = errors_.find({std::string(key.what), candidate.group.text()});
  if (found == errors_.end()) return belief;
  const Errors& errors = found->second;
  const double general = (belief.spread * belief.spread) + (belief.common_spread * belief.common_spread);
  const double mean = errors.sum / (errors.count + weight_of_general);
  const double around = std::max(0.0, errors.squares - (2 * mean * errors.sum) + (errors.count * mean * mean));
  const double variance = (around + (weight_of_general * general)) / (errors.count + weight_of_general);
  belief.seconds *= std::exp(mean);
  const double shrunk = std::sqrt(variance / general);
  belief.spread *= shrunk;
  belief.common_spread *= shrunk;
  return belief;
}

std::optional<Belief> Experience::belief(const ContextKey& key, const Candidate& candidate, double native,
                                         const std::function<std::optional<double>()>& predicted) const {
  {
    const std::scoped_lock lock(guard_);
    if (auto found = from_sizes(key, candidate.name, native)) return found;
  }
  const std::optional<double> seconds = predicted();
  if (!seconds) return std::nullopt;
  const std::scoped_lock lock(guard_);
  return corrected(key, candidate, *seconds);
}

Candidate ContextKnowledge::candidate_of(int candidate) const {
  Candidate one;
  one.name = predictions_->name(candidate);
  one.group = predictions_->group(candidate);
  return one;
}

std::vector<std::pair<int, Belief>> ContextKnowledge::measured_elsewhere() const {
  const Experience::Times times = experience_.measured(key_);
  std::vector<std::pair<int, Belief>> beliefs;
  if (times.empty()) return beliefs;
  for (int i = 0; i < static_cast<int>(predictions_->candidates()); ++i)
    if (const double* const seconds = time_of(times, predictions_->name(i)))
      beliefs.emplace_back(i, of_another_communicator(*seconds));
  return beliefs;
}

void ContextKnowledge::spend(double seconds) {
  spent_ += seconds;
  experience_.spend(seconds);
}

std::optional<Belief> ContextKnowledge::belief(int candidate, double native) {
  return experience_.belief(key_, candidate_of(candidate), native, [&] {
    const std::optional<double> seconds = predictions_->seconds(candidate);
    if (known_.empty()) known_.resize(predictions_->candidates());
    known_[static_cast<std::size_t>(candidate)].predicted = static_cast<float>(seconds.value_or(0));
    return seconds;
  });
}

void ContextKnowledge::learn(int candidate, double seconds, std::int64_t /*calls*/) {
  std::optional<double> predicted;
  bool is_first = false;
  if (!known_.empty()) {
    Expected& known = known_[static_cast<std::size_t>(candidate)];
    if (known.predicted > 0) predicted = static_cast<double>(known.predicted);
    is_first = !std::exchange(known.learnt, true);
  }
  experience_.learn(key_, candidate_of(candidate), seconds, predicted, is_first);
}

}  // namespace starling
