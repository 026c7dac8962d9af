#pragma once

#include <barrier>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "selection/lockstep.hpp"
#include "tuning/tuner.hpp"

namespace starling::testing {

/// Ranks as threads: what they tell each other goes through memory.
class Together {
 public:
  explicit Together(int ranks) : told_(static_cast<std::size_t>(ranks)), arrived_(ranks) {}

  class Rank final : public Consensus {
   public:
    Rank(Together& all, int rank) : all_(all), rank_(rank) {}
    [[nodiscard]] bool is_first() const override { return rank_ == 0; }
    [[nodiscard]] int rank_in_world() const override { return 100 + rank_; }
    void reduce_to_first(std::span<double> values, Fixed fixed, SampleReduction reduction) override {
      all_.told_[static_cast<std::size_t>(rank_)].assign(values.begin(), values.end());
      all_.arrived_.arrive_and_wait();
      if (rank_ == 0) {
        for (std::size_t i = 0; i < values.size(); ++i) {
          const std::size_t maxima = values.size() - fixed.maxima;
          const bool adds = i < maxima && (reduction == SampleReduction::mean || i + fixed.means >= maxima);
          double result = adds ? 0 : all_.told_[0].at(i);
          for (const auto& one : all_.told_) result = adds ? result + one.at(i) : std::max(result, one.at(i));
          values[i] = adds ? result / static_cast<double>(all_.told_.size()) : result;
        }
      }
      all_.arrived_.arrive_and_wait();
    }
    void broadcast(std::span<double> values) override {
      if (rank_ == 0) all_.told_[0].assign(values.begin(), values.end());
      all_.arrived_.arrive_and_wait();
      std::copy(all_.told_[0].begin(), all_.told_[0].end(), values.begin());
      all_.arrived_.arrive_and_wait();
    }

   private:
    Together& all_;
    int rank_;
  };

 private:
  std::vector<std::vector<double>> told_;
  std::barrier<> arrived_;
};

/// Runs `program` on each of `ranks` ranks, with a tuner of `strategy` over the candidates of `brief`. Returns the
/// tuners.
inline std::vector<std::unique_ptr<Tuner>> run_ranks(
    int ranks, std::string_view strategy, Brief brief,
    const std::function<void(int rank, Tuner& tuner, Consensus& consensus)>& program) {
  const auto named = strategy_named(strategy).value();
  brief.argument = named.second;
  Together together(ranks);
  std::vector<std::unique_ptr<Tuner>> tuners;
  for (int rank = 0; rank < ranks; ++rank) tuners.push_back(std::make_unique<Tuner>(brief, named.first->make));
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      Together::Rank consensus(together, rank);
      program(rank, *tuners[static_cast<std::size_t>(rank)], consensus);
    });
  }
  threads.clear();
  return tuners;
}

/// Every strategy that learns, also with the argument that it shows where that is one.
inline std::vector<std::string> learners() {
  std::vector<std::string> names;
  for (const StrategyKind& kind : strategy_kinds()) {
    if (!kind.learns) continue;
    names.emplace_back(kind.name);
    if (!kind.argument.empty() && kind.rejects(kind.argument).empty())
      names.push_back(std::string(kind.name).append(":").append(kind.argument));
  }
  return names;
}

/// The name of a strategy, as a part of a test's.
inline std::string test_name(std::string name) {
  std::erase_if(name, [](char one) { return one == '-' || one == ':'; });
  return name;
}

}  // namespace starling::testing
