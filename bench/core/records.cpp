// The cost of a run's beginning and end with much knowledge: reading 16 MB of history, summing the records of ranks.

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "algorithms/candidate.hpp"
#include "knowledge/earlier_runs.hpp"
#include "knowledge/record_json.hpp"
#include "knowledge/record_sum.hpp"

namespace {

const starling::Circumstances here{"node#", "openmpi", "4.1.4", "max"};

/// Contexts of that many sizes of one collective, as after `star`: half of the candidates measured, the others refused.
std::vector<starling::ContextRecord> contexts(int sizes) {
  std::vector<starling::ContextRecord> all;
  for (int i = 0; i < sizes; ++i) {
    starling::ContextRecord& one = all.emplace_back();
    one.collective = "allreduce";
    one.bytes = 8 * (i + 1);
    one.ranks = 16;
    one.nodes = 4;
    one.ranks_per_node = 4;
    one.calls = 1000;
    one.seconds = 0.01;
    one.stage = "monitor_adapt";
    one.winner = "native";
    one.candidates.push_back({.name = "native", .samples = 10, .median_s = 1.2345e-5, .agreed_s = 1.3579e-5});
    for (const starling::Bound& bound : starling::candidates(starling::Collective::allreduce)) {
      starling::CandidateRecord& candidate = one.candidates.emplace_back();
      candidate.name = bound.algorithm_name();
      candidate.parameters.assign(bound.parameters.all().begin(), bound.parameters.all().end());
      candidate.eligible = one.candidates.size() % 2 == 0;
      if (candidate.eligible) {
        candidate.samples = 10;
        candidate.median_s = 1.23456789e-5 * static_cast<double>(one.candidates.size());
        candidate.min_s = candidate.median_s;
        candidate.agreed_s = candidate.median_s;
      } else {
        candidate.reason = "needs a power of two of ranks";
      }
    }
  }
  return all;
}

/// Reading a directory of 16 MB: all records of one program.
void read_history(benchmark::State& state) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "starling-bench-history";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  starling::RunRecord record;
  record.run.machine = here.machine;
  record.run.mpi_flavour = here.mpi_flavour;
  record.run.mpi_version = here.mpi_version;
  record.run.settings = {{"samples", here.samples}};
  record.contexts = contexts(static_cast<int>(state.range(0)));
  const std::string text = to_json(record);
  std::size_t bytes = 0;
  for (int i = 0; bytes + text.size() <= 16'000'000; ++i, bytes += text.size())
    std::ofstream(folder / ("2024" + std::to_string(i) + ".json")) << text;
  for (auto _ : state) {
    const starling::EarlierRuns earlier =
        starling::EarlierRuns::read(folder, here, [](const std::string&, const std::string&) {});
    if (earlier.empty()) state.SkipWithError("nothing was read");
  }
  state.counters["MB"] = static_cast<double>(bytes) / 1e6;
  std::filesystem::remove_all(folder);
}

/// The time at the end of a program on the longest path to rank 0, where every rank has 48 contexts.
void add_up(benchmark::State& state) {
  const auto ranks = static_cast<double>(state.range(0));
  for (auto _ : state) {
    std::string text;
    for (int step = 0; step < std::lround(std::log2(ranks)); ++step) {
      starling::RecordSum sum(contexts(48));
      sum.add(text);
      text = sum.text();
    }
    benchmark::DoNotOptimize(text.data());
    state.counters["message_bytes"] = static_cast<double>(text.size());
  }
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  state.counters["peak_MB"] = static_cast<double>(used.ru_maxrss) / 1e3;
}

}  // namespace

BENCHMARK(add_up)->Arg(4096)->Unit(benchmark::kMillisecond);
BENCHMARK(read_history)->Arg(10)->Arg(200)->Unit(benchmark::kMillisecond);
