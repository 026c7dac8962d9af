// allreduce:recursive_multiplying: recursive doubling to base k: in each step k ranks exchange all they have summed,
// everyone with everyone.
//
//   k = 4      rank 0 ... rank 3   rank 4 ... rank 7   rank 8 ... rank 11   rank 12 ... rank 15    of 16 ranks
//   step 1     sum of 0 to 3       sum of 4 to 7       sum of 8 to 11       sum of 12 to 15        with those beside
//   step 2     sum of 0 to 15      sum of 0 to 15      sum of 0 to 15       sum of 0 to 15         with 4, 8, 12 away
//
// Where p is no power of k, the ranks are divided into as many runs as the largest power; the first of a run works for
// all of it, the others give it their data and wait for the result.

#include <utility>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "algorithms/shared/radix.hpp"
#include "algorithms/shared/whole_vector.hpp"

namespace starling::allreduce {
namespace {

/// The runs of ranks that one of them works for.
struct Runs {
  std::int64_t ranks;
  std::int64_t workers;
  [[nodiscard]] int first(std::int64_t run) const { return static_cast<int>((run * ranks) / workers); }
  [[nodiscard]] int run_of(int rank) const { return static_cast<int>((((rank + 1) * workers) - 1) / ranks); }
};

std::int64_t largest_power(std::int64_t radix, int ranks) {
  std::int64_t power = 1;
  while (power * radix <= ranks) power *= radix;
  return power;
}

/// The vectors of a worker.
struct Vectors {
  Blocks sum;                ///< what it has summed so far
  std::vector<Blocks> free;  ///< room for what arrives in one step
};

/// Receives the sums of the other `members` and combines all of them, the last two first, each step's result landing in
/// the last member's vector: that holds the sum from then on, and what held mine is free. `members` stand in the order
/// of ranks and `me` is one of them. Unless only I want the sum (`gives` is false), they get mine.
void exchange(Schedule& todo, int me, const std::vector<int>& members, bool gives, Vectors& mine) {
  Round& round = todo.round();
  std::vector<Blocks> sums;
  std::size_t taken = 0;
  for (const int member : members) {
    sums.push_back(member == me ? mine.sum : mine.free[taken++]);
    if (member == me) continue;
    round.receive(sums.back(), member);
    if (gives) round.send(mine.sum, member);
  }
  for (std::size_t i = sums.size() - 1; i > 0; --i) round.combine(sums[i - 1], sums.back());
  if (members.back() != me) std::swap(mine.sum, mine.free[taken - 1]);
}

Schedule build(const Team& team, const Parameters& with) {
  const std::int64_t radix = with.number("k");
  const Blocks result = recvbuf(0, team.blocks());
  Schedule todo(team.blocks());
  const Runs runs{team.size, largest_power(radix, team.size)};
  const int my_run = runs.run_of(team.rank);
  const int worker = runs.first(my_run);
  if (team.rank != worker) {
    todo.round().send(sendbuf(0, team.blocks()), worker);
    todo.round().receive(result, worker);
    return todo;
  }

  todo.copy(sendbuf(0, team.blocks()), result);
  if (team.size == 1) return todo;
  Vectors vectors{result, {}};
  const Buffer scratch = todo.add_scratch(static_cast<int>(radix - 1) * team.blocks());
  for (int i = 0; i < radix - 1; ++i) vectors.free.push_back(at(scratch, i * team.blocks(), team.blocks()));

  std::vector<int> run;  // the ranks I work for, myself first
  for (int rank = worker; rank < runs.first(my_run + 1); ++rank) run.push_back(rank);
  if (run.size() > 1) exchange(todo, team.rank, run, false, vectors);
  for (std::int64_t weight = 1; weight < runs.workers; weight *= radix) {
    // The runs whose number differs from mine in one digit to the base k.
    const std::int64_t first = my_run - (my_run / weight % radix * weight);
    std::vector<int> members;
    members.reserve(static_cast<std::size_t>(radix));
    for (int digit = 0; digit < radix; ++digit) members.push_back(runs.first(first + (digit * weight)));
    exchange(todo, team.rank, members, true, vectors);
  }
  if (vectors.sum != result) todo.copy(vectors.sum, result);
  if (run.size() == 1) return todo;
  Round& spread = todo.round();
  for (std::size_t i = 1; i < run.size(); ++i) spread.send(result, run[i]);
  return todo;
}

std::int64_t scratch_blocks(const Situation& situation, const Parameters& with) {
  return situation.ranks > 1 ? with.number("k") - 1 : 0;
}

}  // namespace

Algorithm recursive_multiplying() {
  return {
      .collectives = {Collective::allreduce},
      .name = "recursive_multiplying",
      .says = "exchanges whole sums among k ranks at once, k times as far apart in each step",
      .source = "Ruefenacht, Bull and Booth 2017",
      .group = "recursive_doubling",
      .parameters = {radix_parameter({"3", "4", "8", "16"}, "ranks that exchange in one step", true)},
      .reduction_order = "recursive_multiplying",
      .counterparts = {{.mpich = "recursive_multiplying", .ucc = "knomial"}},
      .latency = "log_k(p) (k-1) alpha; 2 (k-1) alpha more where p is no power of k",
      .bandwidth = "log_k(p) (k-1) m beta",
      .divide = whole_vector,
      .refuses = radix_refusal,
      .scratch_blocks = scratch_blocks,
      .build = build,
  };
}

}  // namespace starling::allreduce
