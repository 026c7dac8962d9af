#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "messages/interned.hpp"
#include "selection/strategy.hpp"

namespace starling {

/// What this process has learnt as rank 0 of communicators, for other contexts to start from: times of candidates by
/// call key, and how wrong the cost model was about each group of candidates. May be used by several threads.
class Experience {
 public:
  using Times = std::vector<std::pair<Interned, double>>;  ///< seconds of candidates, by name; few of all

  /// Adds what was found in a context: a candidate's time per call, and what the cost model had predicted, if anything.
  /// `is_first` for the first time of this candidate in this context.
  void learn(const ContextKey& key, const Candidate& candidate, double seconds, std::optional<double> predicted,
             bool is_first);

  /// What is to be believed of a candidate: what was found on another communicator of the same shape, else at the
  /// nearest size in proportion to native's time, else the cost model's `predicted` time, corrected.
  [[nodiscard]] std::optional<Belief> belief(const ContextKey& key, const Candidate& candidate, double native,
                                             const std::function<std::optional<double>()>& predicted) const;

  /// What was found in contexts of this key.
  [[nodiscard]] Times measured(const ContextKey& key) const;
  /// Whether something but native's time was.
  [[nodiscard]] bool knows(const ContextKey& key) const;

  /// Whether something was found on a communicator of so many ranks.
  [[nodiscard]] bool knows(int ranks) const;

  /// Takes seconds that calls took, and tells those of all contexts.
  void spend(double seconds);
  [[nodiscard]] double spent() const;

  /// What ranks make for a candidate on a communicator, before its first call there.
  enum class Made : std::uint8_t { memory, communicators };
  /// Takes the seconds in which something was made.
  void learn_setup(Made what, double seconds);
  /// Seconds that it probably takes: the median of the latest; nothing before the first.
  [[nodiscard]] std::optional<double> setup_seconds(Made what) const;

  /// Contexts of which something is kept at most. Of others nothing is learnt.
  static constexpr std::size_t most_contexts = 4096;

 private:
  /// Sizes that far apart say nothing about each other.
  static constexpr std::int64_t farthest = 8;

  /// Collective, variant, ranks, nodes, ranks on the fullest node, layout.
  using Shape = std::tuple<std::string, int, int, int, int, int>;
  /// The logarithms of measured / predicted time.
  struct Errors {
    double count = 0;
    double sum = 0;
    double squares = 0;
  };

  static Shape shape_of(const ContextKey& key) {
    return {std::string(key.what), key.variant, key.ranks, key.nodes, key.ranks_per_node, key.layout};
  }
  [[nodiscard]] const Times* times_of(const ContextKey& key) const;
  [[nodiscard]] std::optional<Belief> from_sizes(const ContextKey& key, const Interned& name, double native) const;
  [[nodiscard]] Belief corrected(const ContextKey& key, const Candidate& candidate, double predicted) const;

  /// Enough for one that was disturbed not to count.
  static constexpr std::size_t setups_kept = 5;

  mutable std::mutex guard_;
  std::array<std::vector<double>, 2> setups_;             ///< the latest seconds, by Made
  double spent_ = 0;                                      ///< seconds
  std::map<Shape, std::map<std::int64_t, Times>> times_;  ///< by size in bytes
  std::size_t contexts_ = 0;
  std::map<std::pair<std::string, std::string>, Errors> errors_;  ///< by collective and group
};

/// The candidates of one context, and what the cost model says about them.
class Predictions {
 public:
  virtual ~Predictions() = default;
  [[nodiscard]] virtual std::size_t candidates() const = 0;
  [[nodiscard]] virtual Interned name(int candidate) const = 0;
  [[nodiscard]] virtual Interned group(int candidate) const = 0;
  /// Seconds that a candidate takes; nothing if the model does not know.
  [[nodiscard]] virtual std::optional<double> seconds(int candidate) = 0;
  /// As in Knowledge.
  [[nodiscard]] virtual double seconds_to_begin(int candidate) = 0;
  /// As in Knowledge.
  [[nodiscard]] virtual double setup_seconds(int candidate) = 0;
  /// As in Knowledge.
  [[nodiscard]] virtual std::vector<std::optional<int>> alike(const std::function<bool(int)>& wanted) = 0;
  /// Seconds that predicting all candidates may take.
  [[nodiscard]] virtual double seconds_to_predict() const = 0;
  /// As in Knowledge.
  [[nodiscard]] virtual std::optional<double> seconds_to_measure() const = 0;

 protected:
  Predictions() = default;
  Predictions(const Predictions&) = default;
  Predictions& operator=(const Predictions&) = default;
};

/// The knowledge about one context: what `experience` has, and what the cost model says.
class ContextKnowledge final : public Knowledge {
 public:
  /// `experience` outlives it.
  ContextKnowledge(Experience& experience, const ContextKey& key, std::unique_ptr<Predictions> predictions)
      : experience_(experience), key_(key), predictions_(std::move(predictions)) {}

  [[nodiscard]] double seconds_to_ask() const override {
    constexpr double of_a_known_one = 5e-7;  // each was predicted for another communicator
    return experience_.knows(key_) ? of_a_known_one * static_cast<double>(predictions_->candidates())
                                   : predictions_->seconds_to_predict();
  }
  [[nodiscard]] std::optional<double> seconds_to_measure() const override {
    return experience_.knows(key_) ? std::nullopt : predictions_->seconds_to_measure();
  }
  [[nodiscard]] std::vector<std::pair<int, Belief>> measured_elsewhere() const override;
  void spend(double seconds) override;
  [[nodiscard]] double spent_elsewhere() const override { return experience_.spent() - spent_; }
  [[nodiscard]] std::optional<Belief> belief(int candidate, double native) override;
  void learn(int candidate, double seconds, std::int64_t calls) override;
  [[nodiscard]] double seconds_to_begin(int candidate) override { return predictions_->seconds_to_begin(candidate); }
  [[nodiscard]] double setup_seconds(int candidate) override { return predictions_->setup_seconds(candidate); }
  [[nodiscard]] std::vector<std::optional<int>> alike(const std::function<bool(int)>& wanted) override {
    return predictions_->alike(wanted);
  }

 private:
  struct Expected {
    float predicted = 0;  ///< 0 for nothing
    bool learnt = false;
  };
  [[nodiscard]] Candidate candidate_of(int candidate) const;

  Experience& experience_;
  ContextKey key_;
  double spent_ = 0;             ///< seconds of this context's calls
  std::vector<Expected> known_;  ///< of each candidate, once one was asked for
  std::unique_ptr<Predictions> predictions_;
};

}  // namespace starling
