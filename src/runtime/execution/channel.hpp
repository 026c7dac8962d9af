#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tuning/consensus.hpp"

namespace starling {

/// How many communicators of this rank may have a channel at a time; number 0 is nobody's.
inline constexpr std::size_t channel_numbers = 2048;

/// How the ranks of one communicator send each other Starling's own messages: on the private communicator of all ranks,
/// under tags that no two of these ranks use for anything else. So a communicator of the program costs none of MPI's,
/// whose making shares locks and limits with the program's.
///
/// Every operation has a tag of its own, until they come round again: what an operation that failed left behind is not
/// taken for the next one's.
class Channel final : public Consensus {
 public:
  /// A channel for `comm`, whose ranks are `in_world` in MPI_COMM_WORLD. Collective. Nothing, on all ranks, where they
  /// have no number in common that is free.
  static std::unique_ptr<Channel> open(MPI_Comm comm, std::vector<int> in_world, int rank);

  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  Channel(Channel&&) = delete;
  Channel& operator=(Channel&&) = delete;

  /// Ranks of the private communicator of all ranks, by rank of this one.
  [[nodiscard]] const int* peers() const { return in_world_.data(); }
  /// The number that this channel's ranks have to themselves.
  [[nodiscard]] int number() const { return number_; }
  /// The tag of the next operation. All ranks ask equally often. It comes round again after 1024 operations, or fewer
  /// where MPI has fewer tags: an operation has to end on all ranks before that.
  int next_tag() {
    const int tag = number_ + (operation_ * static_cast<int>(channel_numbers));
    operation_ = operation_ + 1 == operations_ ? 0 : operation_ + 1;
    return tag;
  }
  /// After an operation that failed here: nobody gets the number again, for messages of it may still be under way.
  void spoil() { spoilt_ = true; }

  /// Whether `ok` holds on all ranks. Collective.
  [[nodiscard]] bool all(bool ok);
  [[nodiscard]] bool is_first() const override { return rank_ == 0; }
  void reduce_to_first(std::span<double> values, std::size_t always, SampleReduction reduction) override;
  void broadcast(std::span<double> values) override;

 private:
  Channel(std::vector<int> in_world, int rank, int number);

  enum class Combine : std::uint8_t { sum, max, min };
  /// Combines the first `some` of the values, and takes the largest of the others.
  void combine_at_first(std::span<double> values, std::size_t some, Combine combine);
  [[noreturn]] void give_up() const;

  std::vector<int> in_world_;
  std::vector<double> received_;
  int rank_;
  int number_;
  int operation_ = 0;
  int operations_;  ///< with tags of their own
  bool spoilt_ = false;
};

}  // namespace starling
