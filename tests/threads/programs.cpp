// Programs that share memory, carried out by the executor with ranks that are threads.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <numeric>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "algorithms/every_candidate.hpp"
#include "runtime/execution/executor.hpp"
#include "runtime/mpi/pmpi.hpp"
#include "runtime/mpi/process.hpp"
#include "schedule/expectation.hpp"
#include "shared_memory/rings.hpp"
#include "thread_mpi.hpp"
#include "topology/places.hpp"

namespace starling {
namespace {

constexpr auto number_bytes = static_cast<std::int64_t>(ThreadMpi::number_bytes);

/// A collective, as each rank carries it out. All blocks have `units` numbers.
struct Task {
  std::string name;
  Collective collective;
  int root;
  int blocks;
  std::int64_t units;
  bool commutative;
  const Places* places;
  std::vector<Program> programs;  ///< by rank
};

/// What rank `rank` has at the start of block `block`. With the operator that is not commutative it is a function.
std::uint64_t datum(int rank, int block, std::int64_t unit) {
  std::uint64_t mixed = ((static_cast<std::uint64_t>(rank) << 48U) ^ (static_cast<std::uint64_t>(block) << 32U) ^
                         static_cast<std::uint64_t>(unit)) +
                        1;
  mixed *= 0x9e3779b97f4a7c15U;
  return mixed ^ (mixed >> 29U);
}

std::uint64_t value_of(const Content& content, std::int64_t unit, bool commutative) {
  std::uint64_t all = datum(content.first, content.block, unit);
  for (int rank = content.first + 1; rank < content.last; ++rank) {
    const std::uint64_t next = datum(rank, content.block, unit);
    all = commutative ? all + next : ThreadMpi::compose(all, next);
  }
  return all;
}

/// Fills a buffer of one rank with what it holds.
void fill(std::vector<std::uint64_t>& buffer, const std::vector<Content>& slots, const Task& task) {
  buffer.assign(slots.size() * static_cast<std::size_t>(task.units), 0);
  std::size_t at = 0;
  for (const Content& slot : slots)
    for (std::int64_t unit = 0; unit < task.units; ++unit, ++at)
      if (slot.known()) buffer[at] = value_of(slot, unit, task.commutative);
}

/// Why a buffer does not hold that; empty if it does.
std::string fault_of(const std::vector<std::uint64_t>& buffer, const std::vector<Content>& slots, const Task& task) {
  std::size_t at = 0;
  for (const Content& slot : slots)
    for (std::int64_t unit = 0; unit < task.units; ++unit, ++at)
      if (slot.known() && buffer[at] != value_of(slot, unit, task.commutative))
        return "number " + std::to_string(unit) + " of block " + std::to_string(slot.block);
  return {};
}

/// The memory that the ranks of each node share.
class Nodes {
 public:
  explicit Nodes(const Places& places) : places_(&places) {
    for (int node = 0; node < places.nodes(); ++node) {
      const std::size_t bytes = SharedRings::bytes(places.on_node(node).size());
      memory_.emplace_back(static_cast<char*>(operator new (bytes, std::align_val_t{64})));
      std::memset(memory_.back().get(), 0, bytes);
    }
  }
  /// As rank `rank` has it. `reads`: data may stay in place.
  [[nodiscard]] SharedRings rings(int rank, bool reads) const {
    const int node = places_->node_of(rank);
    const int members = places_->on_node(node).size();
    std::vector<std::int32_t> positions;
    for (int one = 0; one < places_->ranks(); ++one) positions.push_back(places_->position(one));
    SharedRings mine(memory_[static_cast<std::size_t>(node)].get(), members, std::move(positions), rank);
    mine.know_processes(std::vector<ProcessWord>(static_cast<std::size_t>(members), ProcessWord::mine()), reads);
    return mine;
  }

 private:
  struct Free {
    void operator()(char* memory) const { operator delete (memory, std::align_val_t{64}); }
  };
  const Places* places_;
  std::vector<std::unique_ptr<char, Free>> memory_;
};

/// Whether some rank meets others in shared memory, and none in a collective of the MPI library.
bool only_shares(const std::vector<Schedule>& all) {
  bool shares = false;
  for (const Schedule& one : all)
    for (const Round& round : one.rounds()) {
      if (round.sub() != nullptr) return false;
      shares = shares || round.sharing() != nullptr;
    }
  return shares;
}

/// What all candidates do with so many bytes. Many do the same for several collectives.
std::vector<Task> tasks_of(std::int64_t bytes, int ranks) {
  std::vector<Task> tasks;
  std::set<std::vector<std::uint64_t>> known;
  for (const Bound& bound : every_candidate()) {
    const Situation situation = situation_of(bound, ranks, bytes);
    if (!bound.refusal(situation).empty()) continue;
    const int root = rooted(bound.collective) ? static_cast<int>(tasks.size()) % ranks : 0;
    const std::vector<Schedule> all = schedules(bound, situation, root);
    std::vector<std::uint64_t> fingerprints;
    for (const Schedule& one : all) fingerprints.push_back(fingerprint(one));
    if (!only_shares(all) || !known.insert(std::move(fingerprints)).second) continue;
    const int blocks = all.front().blocks();
    Task task{
        .name = full_name(bound) + ", root " + std::to_string(root),
        .collective = bound.collective,
        .root = root,
        .blocks = blocks,
        .units = bound.collective == Collective::barrier ? 0 : std::max<std::int64_t>(1, bytes / number_bytes / blocks),
        .commutative = bound.algorithm->needs.commutative,
        .places = situation.places,
        .programs = {}};
    const Layout layout(blocks, blocks * task.units, parts_of_a_block(bound.collective, ranks, blocks));
    for (int rank = 0; rank < ranks; ++rank)
      task.programs.push_back(bind(all[static_cast<std::size_t>(rank)], layout, layout, bound.collective, rank));
    tasks.push_back(std::move(task));
  }
  return tasks;
}

/// One of the ranks. Its buffers are those of the task before: who reads them too late reads what is written now.
class Rank {
 public:
  explicit Rank(int rank) : rank_(rank) {}

  /// Carries out a task. Returns what is wrong; empty if nothing is.
  std::string carry_out(const Task& task, const std::vector<int>& peers, SharedRings& rings) {
    const Program& program = task.programs[static_cast<std::size_t>(rank_)];
    const Expectation expected =
        expectation(task.collective, static_cast<int>(peers.size()), task.blocks, rank_, task.root);
    const std::size_t buffers = 2 + program.scratch.size();
    if (memory_.size() < buffers) memory_.resize(buffers);
    fill(memory_[0], expected.send, task);
    fill(memory_[1], expected.recv_before, task);
    for (std::size_t i = 2; i < buffers; ++i) memory_[i].resize(static_cast<std::size_t>(program.scratch[i - 2]));
    Buffers where;
    for (std::size_t i = 0; i < buffers; ++i) where.base[i] = reinterpret_cast<char*>(memory_[i].data());

    std::size_t most = 1;
    for (const Step& step : program.steps) most = std::max(most, static_cast<std::size_t>(requests_in(program, step)));
    std::vector<MPI_Request> requests(most);
    const Unit unit{handles.int64, number_bytes, 0, number_bytes, true};
    const MPI_Op op = task.commutative ? handles.sum : ThreadMpi::composition();
    const Transport transport{handles.comm_world, peers.data(), 0, requests.data(), &rings};
    if (execute(program, where, unit, op, transport, {}) != MPI_SUCCESS) return "an error";
    std::string fault = fault_of(memory_[1], expected.recv_after, task);
    return fault.empty() ? fault_of(memory_[0], expected.send, task) : fault;
  }

 private:
  int rank_;
  std::vector<std::vector<std::uint64_t>> memory_;
};

/// Carries out all tasks one after the other, and nothing but them keeps ranks together.
void carry_out_all(const std::vector<Task>& tasks, int ranks, bool reads) {
  std::vector<const Places*> places;
  for (const Task& task : tasks)
    if (std::ranges::find(places, task.places) == places.end()) places.push_back(task.places);
  std::vector<Nodes> nodes;
  for (const Places* one : places) nodes.emplace_back(*one);
  std::vector<int> peers(static_cast<std::size_t>(ranks));
  std::iota(peers.begin(), peers.end(), 0);

  std::vector<std::string> faults(peers.size());
  std::vector<std::thread> threads;
  for (const int rank : peers)
    threads.emplace_back([&, rank] {
      ThreadMpi::be(rank);
      std::vector<SharedRings> rings;
      for (const Nodes& one : nodes) rings.push_back(one.rings(rank, reads));
      Rank me(rank);
      for (const Task& task : tasks) {
        const auto which = std::ranges::find(places, task.places) - places.begin();
        const std::string fault = me.carry_out(task, peers, rings[static_cast<std::size_t>(which)]);
        std::string& first = faults[static_cast<std::size_t>(rank)];
        if (first.empty() && !fault.empty()) first = task.name + ": " + fault;
      }
    });
  for (std::thread& one : threads) one.join();
  for (const int rank : peers)
    EXPECT_EQ(faults[static_cast<std::size_t>(rank)], "") << "rank " << rank << " of " << ranks;
}

class ProgramsThatShareMemory : public testing::TestWithParam<int> {};

TEST_P(ProgramsThatShareMemory, GiveTheRightResultWithRanksAsThreads) {
  const int ranks = GetParam();
  ThreadMpi::stand_in(ranks);
  process().shares = true;
  const std::vector<Task> in_slots = tasks_of(64, ranks);
  const std::vector<Task> in_chunks = tasks_of(std::int64_t{20000} * ranks, ranks);
  const std::vector<Task> in_place = tasks_of(std::int64_t{65536} * ranks, ranks);
  for (const auto* const tasks : {&in_slots, &in_chunks, &in_place}) {
    ASSERT_GT(tasks->size(), 10U);
    carry_out_all(*tasks, ranks, tasks == &in_place);
  }
}

/// One node; two nodes of two domains each; nodes of different sizes; two nodes of four.
INSTANTIATE_TEST_SUITE_P(OnSo, ProgramsThatShareMemory, testing::Values(2, 4, 5, 8),
                         [](const auto& info) { return std::to_string(info.param) + "Ranks"; });

}  // namespace
}  // namespace starling
