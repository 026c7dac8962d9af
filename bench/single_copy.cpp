// Two ways of large data between processes of a node: through the chunks of shared memory, copied twice, and from the
// writer's own memory, copied once. Both in turn, in one run, without MPI: the fastest of 400 times in microseconds,
// for what else the machine does only adds to them.
//
//   g++ -std=c++20 -O3 -Isrc bench/single_copy.cpp src/shared_memory/*.cpp -o single_copy && ./single_copy [READERS]
//
// `one way`: rank 0 publishes for all others. `exchange`: each of two ranks publishes for the other.

#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "shared_memory/copying.hpp"
#include "shared_memory/other_process.hpp"
#include "shared_memory/rings.hpp"

namespace {

using starling::ProcessWord;
using starling::SharedRings;

constexpr std::size_t most_bytes = std::size_t{4} << 20U;
constexpr int times = 400;

struct Rank {
  SharedRings& rings;
  int me;
  std::vector<std::int32_t> others;
  std::vector<char> send = std::vector<char>(most_bytes, 'a');
  std::vector<char> recv = std::vector<char>(most_bytes, 'b');

  /// Publishes for all others if `publishes`, and takes from those.
  void move(std::size_t bytes, bool once, bool publishes, std::span<const std::int32_t> from) {
    std::size_t out = publishes ? 0 : bytes;
    std::vector<std::size_t> in(from.size(), 0);
    const auto left = [&] { return std::ranges::any_of(in, [&](std::size_t one) { return one < bytes; }); };
    while (out < bytes || left() || rings.is_needed()) {
      bool moved = false;
      if (out < bytes) {
        const std::size_t piece = once ? bytes : std::min(bytes - out, SharedRings::chunk_bytes);
        moved = once ? rings.publish_in_place(others, send.data(), bytes)
                     : rings.publish(others, {send.data() + out, piece, out + piece == bytes});
        if (moved) out += piece;
      }
      for (std::size_t i = 0; i < from.size(); ++i) {
        if (in[i] == bytes) continue;
        const auto found = rings.next(from[i]);
        if (!found) continue;
        if (found->here != nullptr) starling::copy_from_others(recv.data() + in[i], found->here, found->bytes);
        if (found->here == nullptr) {
          if (!rings.copy(from[i], found->in_place, recv.data(), bytes)) std::abort();
          while (!rings.is_copied(from[i])) sched_yield();
          if (!rings.was_helped(from[i])) std::abort();
        }
        rings.taken(from[i]);
        in[i] += found->bytes;
        moved = true;
      }
      if (!moved && out == bytes && !left()) moved = rings.help();
      if (!moved) sched_yield();
    }
  }
  /// All wait for all.
  void meet() {
    while (!rings.publish(others, {nullptr, 0, true})) sched_yield();
    for (const std::int32_t one : others) {
      while (!rings.next(one)) sched_yield();
      rings.taken(one);
    }
  }
};

/// Nanoseconds in which a word goes from rank 0 to rank 1 and back, the fastest of 40 times in the mean of 500.
double round_trip(Rank& rank) {
  const std::int32_t other = 1 - rank.me;
  const std::vector<std::int32_t> to{other};
  const auto publish = [&] {
    while (!rank.rings.publish(to, {nullptr, 0, true})) continue;
  };
  const auto take = [&] {
    while (!rank.rings.next(other)) continue;
    rank.rings.taken(other);
  };
  double fastest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 40; ++i) {
    constexpr int trips = 500;
    const auto begin = std::chrono::steady_clock::now();
    for (int trip = 0; trip < trips; ++trip) {
      if (rank.me == 0) publish();
      take();
      if (rank.me == 1) publish();
    }
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    fastest = std::min(fastest, took.count() / trips);
  }
  return fastest;
}

void measure(Rank& rank, const char* pattern, bool exchange) {
  for (std::size_t bytes = 65536; bytes <= most_bytes; bytes *= 2) {
    double twice = std::numeric_limits<double>::infinity();
    double once = twice;
    for (int i = 0; i < 2 * times; ++i) {
      const bool in_place = i % 2 == 1;
      const std::vector<std::int32_t> root{0};
      const bool takes = exchange || rank.me != 0;
      std::fill_n(rank.send.begin(), bytes, static_cast<char>(i));  // as a program has just computed it
      rank.meet();
      const auto begin = std::chrono::steady_clock::now();
      rank.move(bytes, in_place, exchange || rank.me == 0,
                !takes     ? std::span<const std::int32_t>()
                : exchange ? rank.others
                           : root);
      rank.meet();
      const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
      double& fastest = in_place ? once : twice;
      fastest = std::min(fastest, took.count());
    }
    if (rank.me == 0) std::printf("| %s | %zu | %.1f | %.1f | %.2f |\n", pattern, bytes, twice, once, twice / once);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int ranks = 1 + (argc > 1 ? std::atoi(argv[1]) : 1);
  const std::size_t words = static_cast<std::size_t>(ranks) * sizeof(ProcessWord);
  const std::size_t front = (words + 63) / 64 * 64;
  void* const memory =
      mmap(nullptr, front + SharedRings::bytes(ranks), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 1;
  const std::span processes(static_cast<ProcessWord*>(memory), static_cast<std::size_t>(ranks));
  int me = 0;
  for (int child = 1; child < ranks && me == 0; ++child)
    if (fork() == 0) me = child;
  std::vector<std::int32_t> places(static_cast<std::size_t>(ranks));
  std::iota(places.begin(), places.end(), 0);
  SharedRings rings(static_cast<char*>(memory) + front, ranks, places, me);
  Rank rank{rings, me, {}};
  for (int other = 0; other < ranks; ++other)
    if (other != me) rank.others.push_back(other);
  processes[static_cast<std::size_t>(me)] = ProcessWord::mine();
  rank.meet();
  std::vector<std::int64_t> numbers;
  for (const ProcessWord& one : processes) {
    if (try_reading(one) != starling::Reading::possible) return 1;
    numbers.push_back(one.process);
  }
  rings.let_stay_in_place(numbers);
  if (me < 2) {
    const double trip = round_trip(rank);
    if (me == 0) std::printf("A word goes there and back in %.0f ns.\n\n", trip);
  }
  if (me == 0) std::puts("| pattern | bytes | copied twice | copied once | twice / once |\n|---|---|---|---|---|");
  measure(rank, "one way", false);
  if (ranks == 2) measure(rank, "exchange", true);
  rank.meet();
  if (me == 0)
    while (wait(nullptr) > 0) continue;
  return 0;
}
