#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tuning/consensus.hpp"

namespace starling {

/// How many communicators of this rank may have a channel at a time, plus one: number 0 belongs to no channel.
inline constexpr std::size_t channel_numbers = 2048;

/// Carries Starling's messages between the ranks of one communicator: on the private communicator of all ranks, with
/// tags that these ranks use for nothing else. So Starling need not create an MPI communicator for each of the
/// program's, which would contend for MPI's locks and limits.
///
/// Each operation has its own tag, until the tags wrap around: messages that a failed operation left behind do not
/// match those of the next one.
class Channel final : public Consensus {
 public:
  /// A channel for `comm`, whose ranks are `in_world` in MPI_COMM_WORLD. Collective. Null, on all ranks, if no number
  /// is free on all of them. Along with that, all learn the first rank's `fact`.
  static std::unique_ptr<Channel> open(MPI_Comm comm, std::vector<int> in_world, int rank, bool fact);

  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  Channel(Channel&&) = delete;
  Channel& operator=(Channel&&) = delete;

  /// By rank of this communicator, the rank in the private communicator of all ranks.
  [[nodiscard]] const int* peers() const { return in_world_.data(); }
  /// What the first rank told when this was opened.
  [[nodiscard]] bool fact_of_first() const { return fact_of_first_; }
  /// The number of this channel; no other channel of its ranks has it.
  [[nodiscard]] int number() const { return number_; }
  /// The tag of the next operation. All ranks call this equally often. Tags repeat after 1024 operations, or fewer
  /// where MPI has fewer tags: an operation has to end on all ranks before that.
  int next_tag() {
    const int tag = number_ + (operation_ * static_cast<int>(channel_numbers));
    operation_ = operation_ + 1 == operations_ ? 0 : operation_ + 1;
    return tag;
  }
  /// After an operation that failed here: the number is never used again, because messages may still be in flight.
  void retire_number() { number_retired_ = true; }

  /// Whether `ok` holds on all ranks. Collective.
  [[nodiscard]] bool all(bool ok);
  [[nodiscard]] bool is_first() const override { return rank_ == 0; }
  [[nodiscard]] int rank_in_world() const override { return in_world_[static_cast<std::size_t>(rank_)]; }
  void reduce_to_first(std::span<double> values, Fixed fixed, SampleReduction reduction) override;
  void broadcast(std::span<double> values) override;

 private:
  Channel(std::vector<int> in_world, int rank, int number, bool fact_of_first);

  enum class Combine : std::uint8_t { sum, max, min };
  /// Reduces the values to the first rank: those that are not fixed by `combine`, means to their sum.
  void combine_at_first(std::span<double> values, Fixed fixed, Combine combine);
  [[noreturn]] void abort_job() const;

  std::vector<int> in_world_;
  std::vector<double> received_;
  int rank_;
  int number_;
  int operation_ = 0;
  int operations_;  ///< how many operations have different tags
  bool number_retired_ = false;
  bool fact_of_first_;
};

}  // namespace starling
