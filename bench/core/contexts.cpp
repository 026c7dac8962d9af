// Memory of one rank of 4096, 64 on a node, in MB: a program calls allreduce, alltoall and allgather of 16 sizes each
// in turn, and `auto` learns. `worst` is the most that the process had in addition at any moment, schedules that are
// just made and predictions of the first rank included; `kept` is the heap at the end, when all contexts have settled.

#include <benchmark/benchmark.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cost/predictor.hpp"
#include "schedule/plan_holders.hpp"
#include "schedule/program.hpp"
#include "tuning/experience.hpp"
#include "tuning/tuner.hpp"
#include "ways/alike.hpp"
#include "ways/way.hpp"

namespace {

using starling::Collective;

constexpr int ranks = 4096;
constexpr int ranks_of_node = 64;
constexpr int sizes = 16;
constexpr std::array collectives{Collective::allreduce, Collective::alltoall, Collective::allgather};
constexpr int calls = 2000;  ///< of each context

/// What the first rank has told the others in one context, to be told again.
using Told = std::vector<std::vector<double>>;

/// A rank among others that measure the same times.
class Alike final : public starling::Consensus {
 public:
  Alike(int rank, Told& told) : rank_(rank), told_(told) {}
  [[nodiscard]] bool is_first() const override { return rank_ == 0; }
  [[nodiscard]] int rank_in_world() const override { return rank_; }
  void reduce_to_first(std::span<double> /*values*/, starling::Fixed /*fixed*/,
                       starling::SampleReduction /*reduction*/) override {}
  void broadcast(std::span<double> values) override {
    if (next_ == told_.size()) told_.emplace_back(values.begin(), values.end());
    std::copy(told_[next_].begin(), told_[next_].end(), values.begin());
    ++next_;
  }

 private:
  int rank_;
  Told& told_;
  std::size_t next_ = 0;
};

/// As in the runtime: the plan of a candidate.
struct Carrier {
  std::optional<starling::Program> program;
  [[nodiscard]] std::size_t kept_bytes() const { return program ? program->bytes() : 0; }
  void drop_plans() { program.reset(); }
};

/// What the job knows of its network, on the first rank.
class Predicted final : public starling::Predictions {
 public:
  Predicted(const starling::Situation& situation, std::span<const starling::Way> ways, starling::Predictor& model,
            std::span<const int> numbers)
      : situation_(situation), ways_(ways), model_(model), numbers_(numbers) {}
  [[nodiscard]] std::size_t candidates() const override { return ways_.size(); }
  [[nodiscard]] starling::Interned name(int candidate) const override { return way(candidate).name(); }
  [[nodiscard]] starling::Interned group(int candidate) const override { return way(candidate).group(); }
  [[nodiscard]] std::optional<double> seconds(int candidate) override {
    const auto bound = way(candidate).predicted_as();
    return bound ? model_.seconds(*bound, situation_, numbers_) : std::nullopt;
  }
  [[nodiscard]] double seconds_to_begin(int candidate) override {
    const starling::Bound* bound = way(candidate).scheduled();
    return bound == nullptr ? 0 : model_.seconds_to_begin(*bound, situation_);
  }
  /// Nothing that a job would have to make lasts here.
  [[nodiscard]] double setup_seconds(int /*candidate*/) override { return 0; }
  [[nodiscard]] std::vector<std::optional<int>> alike(const std::function<bool(int)>& wanted) override {
    return starling::alike(situation_.collective, situation_.ranks, wanted);
  }
  [[nodiscard]] double seconds_to_predict() const override { return starling::Predictor::usual(ranks) * 1e-6; }
  [[nodiscard]] std::optional<double> seconds_to_measure() const override { return std::nullopt; }

 private:
  [[nodiscard]] const starling::Way& way(int candidate) const { return ways_[static_cast<std::size_t>(candidate)]; }

  starling::Situation situation_;
  std::span<const starling::Way> ways_;
  starling::Predictor& model_;
  std::span<const int> numbers_;
};

struct Job {
  std::vector<int> numbers;
  std::vector<int> nodes;
  std::optional<starling::Places> places;
  std::optional<starling::Predictor> model;  ///< of the first rank
  starling::Experience experience;
  starling::PlanHolders<Carrier> holders;

  explicit Job(int rank) {
    for (int i = 0; i < ranks; ++i) {
      numbers.push_back(i);
      nodes.push_back(i / ranks_of_node);
    }
    places.emplace(nodes);
    constexpr std::int64_t rate = 10'000'000'000;
    if (rank == 0)
      model.emplace(starling::NetworkModel{starling::Platform::of_nodes(ranks / ranks_of_node, rate), nodes, {}});
  }
};

class Context {
 public:
  Context(Collective collective, std::int64_t bytes, int rank, Job& job, Told& told)
      : rank_(rank), job_(job), all_(starling::ways(collective, ranks)), carriers_(all_->size()), others_(rank, told) {
    situation_.collective = collective;
    situation_.ranks = ranks;
    situation_.bytes = bytes;
    situation_.elements = starling::reduces(collective) ? bytes / 8 : bytes;
    situation_.places = &*job.places;
    starling::Brief brief;
    brief.key = {.what = name_of(collective),
                 .bytes = bytes,
                 .ranks = ranks,
                 .nodes = ranks / ranks_of_node,
                 .ranks_per_node = ranks_of_node};
    for (const starling::Way& way : *all_) {
      starling::Candidate& one = brief.candidates.own().emplace_back();
      one.name = way.name();
      one.group = way.group();
      one.attributes = way.attributes();
      const bool is_left_out = way.probe_up_to() > 0 && bytes > way.probe_up_to();
      one.refusal = is_left_out ? "is not tried with so many bytes" : way.refusal(situation_);
    }
    brief.synchronises = true;
    brief.is_first_rank = rank == 0;
    if (job.model)
      brief.knowledge = std::make_shared<starling::ContextKnowledge>(
          job.experience, brief.key, std::make_unique<Predicted>(situation_, *all_, *job.model, job.numbers));
    tuner_ = std::make_unique<starling::Tuner>(brief, starling::strategy_named("auto")->first->make);
    tuner_->open(others_);
  }

  void call() {
    const starling::Tuner::Turn turn = tuner_->begin();
    if (turn.candidate != 0) prepare(static_cast<std::size_t>(turn.candidate));
    tuner_->end(turn, seconds(turn.candidate), static_cast<double>(situation_.bytes));
    if (!tuner_->is_due()) return;
    settled_ = tuner_->agree(others_, starling::SampleReduction::max);
    if (!settled_) return;
    for (std::size_t i = 0; i < carriers_.size(); ++i) {
      if (!carriers_[i] || static_cast<int>(i) == tuner_->proposed()) continue;
      job_.holders.dropped(*carriers_[i]);
      carriers_[i].reset();
    }
  }

  [[nodiscard]] bool settled() const { return settled_; }
  [[nodiscard]] int built() const { return built_; }
  [[nodiscard]] int tried() const {
    int tried = 0;
    for (int i = 1; i < tuner_->candidates(); ++i) tried += tuner_->tried(i) ? 1 : 0;
    return tried;
  }

 private:
  /// Makes the program of a candidate that has none.
  void prepare(std::size_t candidate) {
    auto& carrier = carriers_[candidate];
    if (!carrier) carrier = std::make_unique<Carrier>();
    if (carrier->program) return;
    const starling::Bound& bound = *(*all_)[candidate].scheduled();
    const starling::Team team = bound.team(situation_, rank_);
    const bool reduces = starling::reduces(situation_.collective);
    const starling::Layout layout(team.blocks(), reduces ? situation_.elements : ranks * situation_.bytes);
    const starling::FlatSchedule schedule(bound.schedule(team));
    starling::bind(schedule, layout, layout, situation_.collective, rank_, carrier->program.emplace());
    job_.holders.made(*carrier);
    ++built_;
  }
  /// From 0.8 to 2.8 times native's.
  [[nodiscard]] double seconds(int candidate) const {
    const double native = 1e-3 + (1e-8 * static_cast<double>(situation_.bytes));
    const auto text = (*all_)[static_cast<std::size_t>(candidate)].name().text() + std::to_string(situation_.bytes);
    return candidate == 0 ? native
                          : native * (0.8 + (static_cast<double>(std::hash<std::string>()(text) % 1000) / 5e2));
  }

  int rank_;
  Job& job_;
  starling::Situation situation_{};
  std::shared_ptr<const std::vector<starling::Way>> all_;
  std::vector<std::unique_ptr<Carrier>> carriers_;
  Alike others_;
  std::unique_ptr<starling::Tuner> tuner_;
  bool settled_ = false;
  int built_ = 0;
};

struct Memory {
  double worst_mb = 0;
  double kept_mb = 0;
  double settled = 0;  ///< contexts
  double tried = 0;    ///< candidates
  double built = 0;    ///< schedules
};

/// VmRSS or VmHWM of this process.
double resident_mb(const std::string& what) {
  std::ifstream status("/proc/self/status");
  double kib = 0;
  for (std::string word; kib == 0 && status >> word;)
    if (word == what + ":") status >> kib;
  return kib * 1024 / 1e6;
}

double heap_mb() {
  const auto now = mallinfo2();
  return static_cast<double>(now.uordblks + now.hblkhd) / 1e6;
}

/// What a rank has, after the first one has told `told`, or where that is empty, while it tells.
Memory run(int rank, std::vector<Told>& told) {
  const double resident = resident_mb("VmRSS");
  const double heap = heap_mb();
  Memory memory;
  Job job(rank);
  std::vector<std::unique_ptr<Context>> contexts;
  told.resize(collectives.size() * sizes);
  for (const Collective collective : collectives)
    for (std::int64_t bytes = 8; bytes < std::int64_t{8} << sizes; bytes *= 2)
      contexts.push_back(std::make_unique<Context>(collective, bytes, rank, job, told[contexts.size()]));
  for (int call = 0; call < calls; ++call)
    for (const auto& one : contexts) one->call();
  memory.worst_mb = resident_mb("VmHWM") - resident;
  memory.kept_mb = heap_mb() - heap;
  for (const auto& one : contexts) {
    memory.settled += one->settled() ? 1 : 0;
    memory.tried += one->tried();
    memory.built += one->built();
  }
  return memory;
}

/// In a process of its own, whose peak is that of nothing else.
std::optional<Memory> run_apart(int rank, std::vector<Told>& told) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return std::nullopt;
  malloc_trim(0);
  const pid_t child = fork();
  if (child == 0) {
    std::ofstream("/proc/self/clear_refs") << 5;  // the peak is that of now
    const Memory memory = run(rank, told);
    _exit(write(ends[1], &memory, sizeof memory) == sizeof memory ? 0 : 1);
  }
  close(ends[1]);
  Memory memory;
  const bool has_read = child > 0 && read(ends[0], &memory, sizeof memory) == sizeof memory;
  close(ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  return has_read ? std::optional(memory) : std::nullopt;
}

void contexts(benchmark::State& state) {
  static std::vector<Told> told;
  if (told.empty()) run(0, told);
  while (state.KeepRunning()) {
    const std::optional<Memory> memory = run_apart(static_cast<int>(state.range(0)), told);
    if (!memory) {
      state.SkipWithError("its process failed");
      continue;
    }
    state.counters["worst_MB"] = memory->worst_mb;
    state.counters["kept_MB"] = memory->kept_mb;
    state.counters["settled"] = memory->settled;
    state.counters["tried"] = memory->tried;
    state.counters["built"] = memory->built;
  }
}
BENCHMARK(contexts)->Arg(0)->Arg(1)->Arg(2047)->Arg(4095)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
