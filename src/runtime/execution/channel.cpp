#include "runtime/execution/channel.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <tuple>
#include <utility>

#include "runtime/mpi/patience.hpp"
#include "runtime/mpi/pmpi.hpp"
#include "runtime/mpi/process.hpp"

namespace starling {
namespace {

/// At most this many operations have different tags; messages of two operations so far apart are never in flight
/// together.
constexpr int most_operations = 1024;
/// Attempts to open a channel while other threads open channels on communicators with common ranks.
constexpr int tries = 64;

using Word = std::int64_t;
constexpr std::size_t word_bits = 64;
using Words = std::array<Word, channel_numbers / word_bits>;

/// What ranks combine, bit by bit, to open a channel.
struct Opening {
  Words free;             ///< numbers
  Word fact = ~Word{0};   ///< of the first rank; the others' bits change nothing
  Word start = ~Word{0};  ///< of the first rank: the number from which a free one is looked for
};
constexpr int words_of_opening = sizeof(Opening) / sizeof(Word);

/// Some of the channel numbers, a bit for each.
class Numbers {
 public:
  [[nodiscard]] bool has(std::size_t number) const { return (word_of(number) >> (number % word_bits) & 1U) != 0; }
  void set(std::size_t number, bool value) {
    const std::uint64_t bit = std::uint64_t{1} << (number % word_bits);
    word_of(number) = value ? word_of(number) | bit : word_of(number) & ~bit;
  }
  /// A bit for each number that neither has.
  [[nodiscard]] Words without(const Numbers& other) const {
    Words words{};
    for (std::size_t i = 0; i < words.size(); ++i)
      words.at(i) = static_cast<Word>(~(words_.at(i) | other.words_.at(i)));
    return words;
  }

 private:
  [[nodiscard]] std::uint64_t& word_of(std::size_t number) { return words_.at(number / word_bits); }
  [[nodiscard]] const std::uint64_t& word_of(std::size_t number) const { return words_.at(number / word_bits); }
  std::array<std::uint64_t, std::tuple_size_v<Words>> words_{};
};

/// Which channel numbers are taken on this rank. Number 0 is none.
struct ChannelNumbers {
  ChannelNumbers() { taken.set(0, true); }
  std::mutex guard;
  Numbers taken;
};

ChannelNumbers& channel_numbers_here() {
  // Never destroyed: a program may call MPI_Finalize while its own statics are destroyed.
  static ChannelNumbers& only = *new ChannelNumbers;
  return only;
}

/// A bit for each number that is free on this rank.
Words free_numbers(ChannelNumbers& numbers, const Numbers& failed) {
  const std::scoped_lock lock(numbers.guard);
  return numbers.taken.without(failed);
}

/// The first that is free from `start` on, and around; 0 if none is.
std::size_t first_free(const Words& words, std::size_t start) {
  for (std::size_t i = 0; i < channel_numbers; ++i) {
    const std::size_t number = (start + i) % channel_numbers;
    if ((static_cast<std::uint64_t>(words.at(number / word_bits)) >> (number % word_bits) & 1U) != 0) return number;
  }
  return 0;
}

/// Threads that open channels at the same time, on communicators with common ranks, must not look from the same number
/// on: on each rank another one would take it first, again and again.
Word where_to_start() {
  if (!process().concurrent) return 0;
  static std::atomic<std::uint64_t> opened{0};
  constexpr std::uint64_t apart = 797;
  const std::uint64_t turn =
      opened.fetch_add(1, std::memory_order_relaxed) + (31 * static_cast<std::uint64_t>(process().rank));
  return static_cast<Word>(turn * apart % channel_numbers);
}

bool take(ChannelNumbers& numbers, std::size_t number) {
  const std::scoped_lock lock(numbers.guard);
  const bool was_free = !numbers.taken.has(number);
  numbers.taken.set(number, true);
  return was_free;
}

void give_back(ChannelNumbers& numbers, std::size_t number) {
  const std::scoped_lock lock(numbers.guard);
  numbers.taken.set(number, false);
}

}  // namespace

std::unique_ptr<Channel> Channel::open(MPI_Comm comm, std::vector<int> in_world, int rank, bool fact) {
  ChannelNumbers& numbers = channel_numbers_here();
  Numbers failed;
  for (int attempt = 0; attempt < tries; ++attempt) {
    const Opening here{free_numbers(numbers, failed), rank != 0 || fact ? ~Word{0} : 0,
                       rank != 0 ? ~Word{0} : where_to_start()};
    Opening everywhere{};
    if (allreduce_patiently(&here, &everywhere, words_of_opening, handles.int64, handles.band, comm) != MPI_SUCCESS)
      return nullptr;
    const std::size_t number = first_free(everywhere.free, static_cast<std::size_t>(everywhere.start));
    if (number == 0) return nullptr;
    // Another thread, on another communicator, may have chosen the same number.
    int mine = take(numbers, number) ? 1 : 0;
    int everyones = mine;
    if (process().concurrent &&
        allreduce_patiently(&mine, &everyones, 1, handles.int_, handles.min, comm) != MPI_SUCCESS)
      everyones = 0;
    if (everyones == 1)
      return std::unique_ptr<Channel>(
          new Channel(std::move(in_world), rank, static_cast<int>(number), everywhere.fact != 0));
    if (mine == 1) give_back(numbers, number);
    failed.set(number, true);
  }
  return nullptr;
}

Channel::Channel(std::vector<int> in_world, int rank, int number, bool fact_of_first)
    : in_world_(std::move(in_world)),
      rank_(rank),
      number_(number),
      operations_(std::min(most_operations, process().largest_tag / static_cast<int>(channel_numbers))),
      fact_of_first_(fact_of_first) {}

Channel::~Channel() {
  if (!number_retired_) give_back(channel_numbers_here(), static_cast<std::size_t>(number_));
}

bool Channel::all(bool ok) {
  double value = ok ? 1 : 0;
  combine_at_first({&value, 1}, {}, Combine::min);
  broadcast({&value, 1});
  return value == 1;
}

void Channel::reduce_to_first(std::span<double> values, Fixed fixed, SampleReduction wanted) {
  combine_at_first(values, fixed,
                   wanted == SampleReduction::max   ? Combine::max
                   : wanted == SampleReduction::min ? Combine::min
                                                    : Combine::sum);
  const std::size_t not_maxima = values.size() - fixed.maxima;
  const std::size_t means = wanted == SampleReduction::mean ? not_maxima : fixed.means;
  for (double& value : values.first(not_maxima).last(means)) value /= static_cast<double>(in_world_.size());
}

/// Along a binomial tree. Not MPI_Allreduce, whose sums may differ between ranks.
void Channel::combine_at_first(std::span<double> values, Fixed fixed, Combine combine) {
  const int tag = next_tag();
  const auto size = static_cast<int>(in_world_.size());
  const auto count = static_cast<int>(values.size());
  received_.resize(values.size());
  for (int mask = 1; mask < size; mask <<= 1) {
    if ((rank_ & mask) != 0) {
      if (pmpi.Send(values.data(), count, handles.double_, in_world_[static_cast<std::size_t>(rank_ - mask)], tag,
                    process().world) != MPI_SUCCESS)
        abort_job();
      return;
    }
    if (rank_ + mask >= size) continue;
    if (pmpi.Recv(received_.data(), count, handles.double_, in_world_[static_cast<std::size_t>(rank_ + mask)], tag,
                  process().world, MPI_STATUS_IGNORE) != MPI_SUCCESS)
      abort_job();
    const auto combined = [](Combine how, double one, double other) {
      return how == Combine::max ? std::max(one, other) : how == Combine::min ? std::min(one, other) : one + other;
    };
    const std::size_t maxima = values.size() - fixed.maxima;
    const std::size_t means = maxima - fixed.means;
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = combined(i >= maxima ? Combine::max : i >= means ? Combine::sum : combine, values[i], received_[i]);
  }
}

/// Along the same tree.
void Channel::broadcast(std::span<double> values) {
  const int tag = next_tag();
  const auto size = static_cast<int>(in_world_.size());
  const auto count = static_cast<int>(values.size());
  int mask = 1;
  for (; mask < size; mask <<= 1) {
    if ((rank_ & mask) == 0) continue;
    if (pmpi.Recv(values.data(), count, handles.double_, in_world_[static_cast<std::size_t>(rank_ - mask)], tag,
                  process().world, MPI_STATUS_IGNORE) != MPI_SUCCESS)
      abort_job();
    break;
  }
  for (mask >>= 1; mask > 0; mask >>= 1) {
    if (rank_ + mask < size &&
        pmpi.Send(values.data(), count, handles.double_, in_world_[static_cast<std::size_t>(rank_ + mask)], tag,
                  process().world) != MPI_SUCCESS)
      abort_job();
  }
}

void Channel::abort_job() const {
  std::fprintf(stderr, "starling: rank %d of %d: ranks could not agree on what they measured; the job ends here\n",
               rank_, static_cast<int>(in_world_.size()));
  end_job();
}

}  // namespace starling
