// The cost of a prediction: schedules are made, bound and simulated, with 64 KB blocks or vectors.

#include <benchmark/benchmark.h>

#include <numeric>
#include <string>
#include <vector>

#include "cost/candidate_cost.hpp"
#include "cost/predictor.hpp"

namespace {

/// `ranks` hosts on `switches` switches, of which all others hang off the first.
starling::Platform star(int switches, int ranks) {
  const auto quoted = [](char kind, int number) {
    return std::string("\"").append(1, kind).append(std::to_string(number)).append("\"");
  };
  std::string names;
  std::string hosts;
  std::string links;
  const auto link = [&](const std::string& one, const std::string& other) {
    links += (links.empty() ? "" : ",");
    links.append(R"({"between":[)").append(one).append(",").append(other).append(R"(],"rate":100000000})");
  };
  for (int i = 0; i < switches; ++i) {
    names += (i == 0 ? "" : ",") + quoted('s', i);
    if (i > 0) link(quoted('s', 0), quoted('s', i));
  }
  for (int i = 0; i < ranks; ++i) {
    hosts += (i == 0 ? "" : ",") + (R"({"name":)" + quoted('h', i) + "}");
    link(quoted('h', i), quoted('s', i * switches / ranks));
  }
  return starling::Platform::from_json(R"({"switches":[)" + names + R"(],"hosts":[)" + hosts + R"(],"links":[)" +
                                       links + "]}");
}

void predict(benchmark::State& state, starling::Collective collective, const char* name, int switches) {
  const auto ranks = static_cast<int>(state.range(0));
  const starling::Platform platform = star(switches, ranks);
  std::vector<int> hosts(static_cast<std::size_t>(ranks));
  std::iota(hosts.begin(), hosts.end(), 0);
  const starling::SwitchTree tree = platform.tree(hosts);
  const starling::Network network(platform, hosts);
  const starling::Situation call{
      .collective = collective, .ranks = ranks, .bytes = 65536, .elements = 65536 / 8, .tree = &tree};
  const starling::Bound bound = starling::candidate_named(collective, name).value();
  for (auto _ : state)
    benchmark::DoNotOptimize(starling::predict(bound, call, 0, network, starling::CostParameters{}).seconds);
}

/// All allreduce candidates, one rank on each node, as far as their budget goes; the items are those predicted.
void predict_all(benchmark::State& state) {
  const auto ranks = static_cast<int>(state.range(0));
  const starling::Situation call{
      .collective = starling::Collective::allreduce, .ranks = ranks, .bytes = 65536, .elements = 65536 / 8};
  std::vector<int> numbers(static_cast<std::size_t>(ranks));
  std::iota(numbers.begin(), numbers.end(), 0);
  const starling::Platform platform = starling::Platform::of_nodes(ranks, 100'000'000);
  std::int64_t predicted = 0;
  for (auto _ : state) {
    starling::Predictor predictor({platform, numbers, starling::CostParameters{}});
    for (const starling::Bound& bound : starling::candidates(call.collective))
      predicted += predictor.seconds(bound, call, numbers) ? 1 : 0;
  }
  state.counters["predicted"] = benchmark::Counter(static_cast<double>(predicted), benchmark::Counter::kAvgIterations);
}

BENCHMARK(predict_all)->Name("predict_all_allreduce")->Arg(16)->Arg(64)->Arg(1024)->Arg(4096);

using starling::Collective;
BENCHMARK_CAPTURE(predict, alltoall_pair, Collective::alltoall, "pair", 1)->Arg(16)->Arg(128)->Arg(1024);
BENCHMARK_CAPTURE(predict, alltoall_ring_star, Collective::alltoall, "ring", 4)->Arg(16)->Arg(128)->Arg(1024);
BENCHMARK_CAPTURE(predict, alltoall_simple, Collective::alltoall, "simple", 1)->Arg(16)->Arg(128)->Arg(256);
BENCHMARK_CAPTURE(predict, alltoall_simple_star, Collective::alltoall, "simple", 4)->Arg(16)->Arg(128)->Arg(256);
BENCHMARK_CAPTURE(predict, allreduce_rab1, Collective::allreduce, "rab1", 1)->Arg(16)->Arg(1024);
BENCHMARK_CAPTURE(predict, bcast_chain, Collective::bcast, "chain?segment=1024", 1)->Arg(16)->Arg(1024);

}  // namespace
