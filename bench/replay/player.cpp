#include "player.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <numeric>
#include <optional>
#include <span>

#include "measurement/statistics.hpp"
#include "selection/chance.hpp"
#include "selection/estimates.hpp"
#include "ways/way.hpp"

namespace starling::replay {
namespace {

/// Noise for candidates with few recorded times.
constexpr double usual_noise = 0.06;
constexpr std::size_t enough_times = 10;
/// Ranks that are played: the first, and one that may be late.
constexpr int ranks = 2;
constexpr std::array<std::int64_t, 8> checkpoints{5, 10, 20, 60, 150, 300, 1000, 3000};

/// A number from 0 to 1 that depends on nothing but the arguments.
double random_at(std::uint64_t seed, std::uint64_t stream, std::uint64_t call) {
  Chance chance(seed * 0x9e3779b97f4a7c15U ^ stream * 0xbf58476d1ce4e5b9U ^ call * 0x94d049bb133111ebU);
  return chance.next();
}

double normal_at(std::uint64_t seed, std::uint64_t stream, std::uint64_t call) {
  const double radius = std::sqrt(-2 * std::log(1 - random_at(seed, 2 * stream, call)));
  return radius * std::cos(2 * std::numbers::pi * random_at(seed, (2 * stream) + 1, call));
}

/// The times of all candidates of a matrix at each call.
class Times {
 public:
  Times(const Matrix& matrix, const Scenario& scenario, std::uint64_t seed)
      : matrix_(matrix), scenario_(scenario), seed_(seed) {
    for (const RecordedCandidate& one : matrix.candidates) {
      usual_.push_back(median(one.seconds));
      const double sum = std::accumulate(one.seconds.begin(), one.seconds.end(), 0.0);
      mean_.push_back(sum / static_cast<double>(one.seconds.size()));
    }
  }

  [[nodiscard]] double usual(std::size_t candidate) const { return usual_[candidate]; }
  [[nodiscard]] double mean(std::size_t candidate) const { return mean_[candidate]; }
  /// Seconds of a call, from the moment at which all ranks have begun it.
  [[nodiscard]] double at(std::size_t candidate, std::int64_t call) const {
    const RecordedCandidate& one = matrix_.candidates[candidate];
    const auto number = static_cast<std::uint64_t>(call);
    const bool few = one.seconds.size() < enough_times;
    const double noise = std::hypot(scenario_.noise, few ? usual_noise : 0);
    double seconds = few ? usual_[candidate] : one.seconds[number % one.seconds.size()];
    if (noise > 0) seconds *= std::exp(noise * normal_at(seed_, candidate, number));
    if (random_at(seed_, 1000, number) < scenario_.disturbed) seconds *= scenario_.disturbance;
    return seconds * (0.2 + (0.8 * work(call)));
  }
  /// The work of a call, 1 on average of the logarithm.
  [[nodiscard]] double work(std::int64_t call) const {
    if (scenario_.sizes == 1) return 1;
    return call % 2 == 0 ? std::sqrt(scenario_.sizes) : 1 / std::sqrt(scenario_.sizes);
  }
  /// Seconds for which `rank` waits for the other one.
  [[nodiscard]] double waiting(int rank, std::int64_t call) const {
    if (scenario_.late == 0) return 0;
    const auto number = static_cast<std::uint64_t>(call);
    if (!scenario_.late_at_random) return rank == 0 ? scenario_.late * usual_[0] : 0;
    const int late = random_at(seed_, 2000, number) < 0.5 ? 0 : 1;
    return rank == late ? 0 : -std::log(1 - random_at(seed_, 2001, number)) * scenario_.late * usual_[0];
  }

 private:
  const Matrix& matrix_;
  const Scenario& scenario_;
  std::uint64_t seed_;
  std::vector<double> usual_;
  std::vector<double> mean_;
};

/// The other matrix with the candidates of the first: where it lacks one, as much slower than native as in the first.
Matrix spliced(const Matrix& matrix, const Matrix& other) {
  Matrix result = matrix;
  for (RecordedCandidate& one : result.candidates) {
    const auto found = std::find_if(other.candidates.begin(), other.candidates.end(),
                                    [&](const RecordedCandidate& it) { return it.name == one.name; });
    if (found != other.candidates.end()) {
      one.seconds = found->seconds;
      continue;
    }
    const double factor = median(other.candidates.front().seconds) / median(matrix.candidates.front().seconds);
    for (double& seconds : one.seconds) seconds *= factor;
  }
  return result;
}

Matrix scaled(Matrix matrix, double factor) {
  for (RecordedCandidate& one : matrix.candidates) {
    for (double& seconds : one.seconds) seconds *= factor;
    if (one.predicted_s) *one.predicted_s *= factor;
  }
  return matrix;
}

/// The cost model's predictions, as they were written into the matrix.
class Recorded final : public Knowledge {
 public:
  explicit Recorded(const Matrix& matrix) : matrix_(matrix) {}
  [[nodiscard]] std::optional<Belief> belief(int candidate, double /*native*/) override {
    const auto& predicted = matrix_.candidates[static_cast<std::size_t>(candidate)].predicted_s;
    if (!predicted) return std::nullopt;
    return belief_of_model(*predicted);
  }
  void learn(int /*candidate*/, double /*seconds*/, std::int64_t /*calls*/) override {}

 private:
  const Matrix& matrix_;
};

bool synchronises(const std::string& what) {
  return what.starts_with("all") || what == "barrier" || what.starts_with("reduce_scatter");
}

/// A candidate's attributes: those of the file, else those that the repository knows of one with this name.
std::vector<std::pair<std::string, std::string>> attributes_of(const Matrix& matrix, const RecordedCandidate& one) {
  if (!one.attributes.empty()) return one.attributes;
  const auto collective = collective_named(matrix.what);
  const auto way = collective ? way_named(*collective, one.name) : std::nullopt;
  return way ? way->attributes() : Attributes{};
}

Brief brief_of(const Matrix& matrix, const Scenario& scenario, bool with_model) {
  Brief brief;
  brief.key = {.what = matrix.what, .bytes = matrix.bytes, .ranks = matrix.ranks, .nodes = matrix.nodes};
  for (const RecordedCandidate& one : matrix.candidates) {
    Candidate& candidate = brief.candidates.own().emplace_back();
    candidate.name = one.name;
    candidate.group = one.group.empty() ? one.name : one.group;
    candidate.attributes = attributes_of(matrix, one);
    candidate.kind = one.kind;
    candidate.seconds_to_begin = one.seconds_to_begin;
  }
  brief.varying_work = scenario.sizes != 1;
  brief.synchronises = synchronises(matrix.what);
  brief.unpredicted = !collective_named(matrix.what);  // a pattern of a program's own
  if (with_model) brief.knowledge = std::make_shared<Recorded>(matrix);
  return brief;
}

/// All ranks of a context in lockstep.
class Ranks {
 public:
  Ranks(std::string_view name, Brief brief) {
    const auto named = strategy_named(name).value();
    brief.argument = named.second;
    for (int rank = 0; rank < ranks; ++rank) {
      brief.is_first_rank = rank == 0;
      all_.push_back(named.first->make(brief));
      brief.knowledge = nullptr;
    }
  }
  [[nodiscard]] const Strategy& first() const { return *all_.front(); }
  /// Seconds and work of a call on each rank. Returns whether they agreed.
  bool observe(std::span<const double> seconds, double work) {
    stretch_ += seconds.front();
    std::vector<double> reduced;
    bool due = false;
    for (std::size_t rank = 0; rank < all_.size(); ++rank) {
      const std::span<const double> mine = all_[rank]->observe(seconds[rank], work);
      if (mine.empty()) continue;
      due = true;
      const bool is_maximum = all_[rank]->reduction() == Reduction::maximum;
      const std::size_t before_means = is_maximum ? mine.size() - all_[rank]->means() : 0;
      reduced.resize(mine.size());
      for (std::size_t i = 0; i < mine.size(); ++i)
        reduced[i] = i >= before_means ? reduced[i] + (mine[i] / ranks)
                     : rank == 0       ? mine[i]
                                       : std::max(reduced[i], mine[i]);
    }
    if (!due) return false;
    all_.front()->stretch_took(stretch_);
    stretch_ = 0;
    if (first().judge() == Judge::first_rank) {
      const std::span<const double> ruling = all_.front()->ruling(reduced);
      reduced.assign(ruling.begin(), ruling.end());
    }
    for (const auto& one : all_) one->verdict(reduced);
    return true;
  }
  void agreement_took(double seconds) {
    for (const auto& one : all_) one->agreement_took(seconds);
  }
  [[nodiscard]] std::optional<Found> found(int candidate) const { return first().found(candidate); }

 private:
  std::vector<std::unique_ptr<Strategy>> all_;
  double stretch_ = 0;  ///< of rank 0 since the latest agreement: the program does nothing else
};

/// A call of a strategy: returns its seconds, and whether the ranks agreed.
std::pair<double, bool> one_call(Ranks& strategy, const Times& times, std::int64_t call) {
  const auto candidate = static_cast<std::size_t>(strategy.first().proposed());
  const double seconds = times.at(candidate, call);
  const std::array<double, ranks> of_ranks{seconds + times.waiting(0, call), seconds + times.waiting(1, call)};
  return {seconds, strategy.observe(of_ranks, times.work(call))};
}

}  // namespace

const std::vector<Scenario>& scenarios() {
  static const std::vector<Scenario> all{
      {.name = "plain", .says = "as recorded"},
      {.name = "history", .says = "after an earlier run of 300 calls", .history = true},
      {.name = "spliced", .says = "another matrix of the collective from call 100 on", .splice_at = 100},
      {.name = "noisy", .says = "30 % noise", .noise = 0.3},
      {.name = "busy", .says = "2 % of the calls take 50 times as long", .disturbed = 0.02, .disturbance = 50},
      {.name = "late", .says = "a rank is always late, by native's time", .late = 1},
      {.name = "very late", .says = "a rank is always late, by 10 times native's time", .late = 10},
      {.name = "late at random",
       .says = "a random rank is late, by 10 times native's time on average",
       .late = 10,
       .late_at_random = true},
      {.name = "short",
       .says = "times divided by 10,000, an agreement takes as long as 6 of native's calls",
       .scale = 1e-4,
       .agreement = 6},
      {.name = "in a row",
       .says = "rooted collectives follow each other: an agreement costs the lead that ranks have, half of the call",
       .lead = 0.5},
      {.name = "sizes", .says = "the sizes of calls alternate by a factor of 4", .sizes = 4},
  };
  return all;
}

Played play(const Matrix& recorded, const Matrix& recorded_later, std::string_view strategy, const Scenario& scenario,
            std::int64_t calls, std::uint64_t seed, bool with_model, const StrategySettings& settings) {
  const Matrix matrix = scaled(recorded, scenario.scale);
  const Matrix other = scaled(recorded_later, scenario.scale);
  const Times before(matrix, scenario, seed);
  const Matrix later = spliced(matrix, other);
  const Times after(later, scenario, seed + 1);
  const auto times_at = [&](std::int64_t call) -> const Times& {
    return scenario.splice_at > 0 && call >= scenario.splice_at ? after : before;
  };
  Brief brief = brief_of(matrix, scenario, with_model);
  brief.settings = settings;
  if (scenario.history) {
    constexpr std::int64_t calls_before = 300;
    const Times earlier(matrix, scenario, seed + 2);
    Ranks run(strategy, brief);
    for (std::int64_t call = 0; call < calls_before; ++call) one_call(run, earlier, call);
    brief.calls_before = calls_before;
    for (std::size_t i = 0; i < brief.candidates.size(); ++i)
      if (const auto found = run.found(static_cast<int>(i)))
        brief.candidates.own()[i].earlier = Earlier{found->seconds, 10, found->deviation};
  }

  Ranks run(strategy, brief);
  Played played;
  played.calls_of.resize(matrix.candidates.size());
  double total = 0;
  std::vector<double> alone(matrix.candidates.size(), 0);
  std::vector<double> undisturbed(matrix.candidates.size(), 0);
  const auto best_at_end = [&](const Times& times) {
    double least = times.usual(0);
    for (std::size_t i = 1; i < matrix.candidates.size(); ++i) least = std::min(least, times.usual(i));
    return least;
  };
  std::int64_t far_at = -1;
  for (std::int64_t call = 0; call < calls; ++call) {
    const Times& times = times_at(call);
    const auto candidate = static_cast<std::size_t>(run.first().chosen().value_or(run.first().proposed()));
    if (times.usual(candidate) > 1.05 * best_at_end(times)) far_at = call;
    ++played.calls_of[static_cast<std::size_t>(run.first().proposed())];
    const auto [seconds, agreed] = one_call(run, times, call);
    total += seconds;
    if (agreed) {
      double took = scenario.agreement * times.usual(0);
      if (!brief.synchronises) took += scenario.lead * seconds;
      total += took;
      run.agreement_took(took);
      ++played.agreements;
    }
    for (std::size_t i = 0; i < alone.size(); ++i) {
      alone[i] += times.at(i, call);
      undisturbed[i] += times.mean(i);
    }
    if (call + 1 != calls && std::find(checkpoints.begin(), checkpoints.end(), call + 1) == checkpoints.end()) continue;
    played.at.push_back(call + 1);
    played.total.push_back(total);
    played.native.push_back(alone.front());
    // Not whichever of several equal ones was disturbed least.
    const auto best =
        static_cast<std::size_t>(std::min_element(undisturbed.begin(), undisturbed.end()) - undisturbed.begin());
    played.best.push_back(alone[best]);
  }
  const Times& times = times_at(calls);
  const auto final = static_cast<std::size_t>(run.first().chosen().value_or(run.first().proposed()));
  played.final = matrix.candidates[final].name;
  played.final_ratio = times.usual(final) / best_at_end(times);
  played.settled_from = far_at + 1 == calls ? -1 : far_at + 1;
  played.decisions.assign(run.first().decisions().begin(), run.first().decisions().end());
  return played;
}

}  // namespace starling::replay
