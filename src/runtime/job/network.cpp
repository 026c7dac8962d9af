#include "runtime/job/network.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cost/network.hpp"
#include "cost/parameters_file.hpp"
#include "knowledge/kept_network.hpp"
#include "messages/told.hpp"
#include "runtime/contexts/communicator.hpp"
#include "runtime/job/hosts.hpp"
#include "runtime/job/job.hpp"
#include "runtime/job/probe.hpp"
#include "runtime/mpi/flavour.hpp"
#include "runtime/mpi/pmpi.hpp"
#include "runtime/mpi/process.hpp"
#include "topology/nodes.hpp"

namespace starling {
namespace {

/// Which of the platform's hosts each rank of MPI_COMM_WORLD runs on. Collective.
std::vector<int> hosts_of_ranks(const Platform& platform, int ranks) {
  std::array<char, MPI_MAX_PROCESSOR_NAME + 1> name{};
  int length = 0;
  pmpi.Get_processor_name(name.data(), &length);
  std::vector<int> all = gathered_from_all(platform.host(name.data()).value_or(-1));
  // One line for all ranks: rank 0 prints the name of the first unknown host, which one of its ranks broadcasts.
  const auto first = std::find(all.begin(), all.end(), -1);
  if (first != all.end()) {
    pmpi.Bcast(name.data(), static_cast<int>(name.size()), handles.char_, static_cast<int>(first - all.begin()),
               process().world);
    const auto unknown = std::count(first, all.end(), -1);
    print_notice("the platform has no host '" + told(name.data()) + "' (" + std::to_string(unknown) + " of " +
                 std::to_string(ranks) +
                 " ranks are on unknown hosts): algorithms for its switches are left out where they " + "take part");
  }
  return all;
}

/// Replaces domains that hosts told by those that the platform has for them.
void prefer_platform(Setup& now) {
  std::vector<int> counts;
  counts.reserve(now.hosts.size());
  for (const int host : now.hosts) counts.push_back(host < 0 ? 0 : now.platform->domains(host));
  const std::vector<int> described = domains_in_blocks(now.nodes, counts);
  for (std::size_t rank = 0; rank < counts.size(); ++rank)
    if (counts[rank] > 0) now.domains[rank] = described[rank];
}

/// The nodes of ranks numbered without gaps, and how many there are.
std::pair<std::vector<int>, int> hosts_of_nodes(const std::vector<int>& nodes) {
  std::vector<int> different = nodes;
  std::sort(different.begin(), different.end());
  different.erase(std::unique(different.begin(), different.end()), different.end());
  std::vector<int> hosts;
  hosts.reserve(nodes.size());
  for (const int node : nodes)
    hosts.push_back(static_cast<int>(std::lower_bound(different.begin(), different.end(), node) - different.begin()));
  return {std::move(hosts), static_cast<int>(different.size())};
}

/// What the first rank tells all others of the network.
struct Told {
  bool is_known = false;
  // Only rank 0 has this setting:
  bool may_measure = false;
  bool at_once = false;  ///< in MPI_Init
  /// L is without the links of a platform: so it stands in a file of parameters, but a probe sees no links.
  bool without_links = false;
  MeasuredNetwork network;
};
static_assert(std::is_trivially_copyable_v<Told>);

/// Replaces what was measured by the file of parameters. The rate stays: the file has none.
void prefer_file(const Settings& settings, Told& into) {
  if (settings.network.empty()) return;
  into.network.parameters = parameters_from_json(settings.network);
  into.without_links = true;
}

/// Whether a platform has hosts for all ranks; one without says too little.
bool is_described(const Setup& now) {
  return now.platform && now.settings.platform != platform_of_nodes &&
         std::find(now.hosts.begin(), now.hosts.end(), -1) == now.hosts.end();
}

ProbePlan plan_of_job(const Setup& now) {
  std::vector<int> all(now.nodes.size());
  std::iota(all.begin(), all.end(), 0);
  return ProbePlan::of(std::move(all), now.nodes);
}

ProbeSubject subject_of(const Settings& settings, const ProbePlan& plan) {
  return {settings.machine, flavour().name, flavour().version, static_cast<int>(plan.between_nodes.size()),
          !plan.within_node.empty()};
}

/// Whether the job is on one node whose processors ranks share.
bool is_crowded(const ProbePlan& plan) {
  return plan.between_nodes.empty() && process().some_share;
}

/// On rank 0: what is known without measuring.
Told known_here(const Setup& now, const ProbePlan& plan) {
  const Settings& settings = now.settings;
  const ProbeSubject subject = subject_of(settings, plan);
  const bool needs_rate = !is_described(now) && !plan.between_nodes.empty();
  Told found;
  found.may_measure = settings.probe != "off";
  found.at_once = settings.probe == "start";
  // Where ranks share processors, a message waits until its receiver has one: the usual parameters, in which messages
  // cost more than words in memory, tell more than such times would.
  found.is_known = is_crowded(plan) || (!settings.network.empty() && !needs_rate);
  if (!found.is_known && !settings.history.empty() && !settings.fresh) {
    try {
      const auto kept = read_kept_network(settings.history, subject);
      found.is_known = kept.has_value();
      if (kept) found.network = *kept;
    } catch (const std::runtime_error& error) {
      print_notice("skipped " + told(settings.history + "/" + kept_network_name(subject)) + ": " + error.what());
    }
  }
  prefer_file(settings, found);
  return found;
}

/// Seconds that the links of a platform add between the ranks of the probe's first pair.
double latency_of_links(const NetworkModel& model, const ProbePlan& plan) {
  if (plan.between_nodes.empty()) return 0;
  const auto [one, other] = plan.between_nodes.front();
  return Network(model.platform, model.hosts).latency(one, other);
}

/// Makes the model of what was told.
void use(Setup& now, const ProbePlan& plan, const Told& told) {
  const CostParameters& parameters = told.network.parameters;
  if (!is_described(now)) {
    auto [hosts, count] = hosts_of_nodes(now.nodes);
    now.network.emplace(
        NetworkModel{Platform::of_nodes(count, told.network.link_rate()), std::move(hosts), parameters, now.domains});
    return;
  }
  NetworkModel model{*now.platform, now.hosts, parameters, now.domains};
  if (!told.without_links) model.parameters.latency = std::max(parameters.latency - latency_of_links(model, plan), 0.0);
  now.network.emplace(std::move(model));
}

/// Setup::measure_network. What is found of the whole job's network goes into the history.
void measure(const std::vector<int>& ranks, Consensus& consensus) {
  Setup& now = setup();
  const double start = pmpi.Wtime();
  const ProbePlan plan = ProbePlan::of(ranks, now.nodes);
  Told all;
  all.network = probe(plan, consensus);
  if (process().rank == plan.first()) {
    const ProbeSubject subject = subject_of(now.settings, plan);
    // Where it cannot be kept, the record cannot either, and one line about that is enough.
    if (process().rank == 0 && !now.settings.history.empty() && subject == subject_of(now.settings, plan_of_job(now)))
      static_cast<void>(keep_network(now.settings.history, subject, all.network));
    prefer_file(now.settings, all);
  }
  std::array<double, (sizeof all + sizeof(double) - 1) / sizeof(double)> numbers{};
  std::memcpy(numbers.data(), &all, sizeof all);
  consensus.broadcast(numbers);
  std::memcpy(static_cast<void*>(&all), numbers.data(), sizeof all);
  now.probe_seconds = pmpi.Wtime() - start;
  use(now, plan, all);
}

}  // namespace

void set_platform(Setup& now) {
  if (now.settings.domains > 0)
    now.domains = domains_in_blocks(now.nodes, std::vector<int>(now.nodes.size(), now.settings.domains));
  if (now.settings.platform.empty()) return;
  if (now.settings.platform != platform_of_nodes) {
    now.platform = Platform::from_json(now.settings.platform);
    now.hosts = hosts_of_ranks(*now.platform, process().size);
    if (now.settings.domains == 0) prefer_platform(now);
    return;
  }
  auto [hosts, count] = hosts_of_nodes(now.nodes);
  now.platform = Platform::of_nodes(count);
  now.hosts = std::move(hosts);
}

void set_network(Setup& now) {
  if (!now.strategy->predicts || process().size == 1) return;
  const ProbePlan plan = plan_of_job(now);
  Told all;
  if (process().rank == 0) all = known_here(now, plan);
  pmpi.Bcast(&all, sizeof all, handles.byte, 0, process().world);
  if (all.is_known) return use(now, plan, all);
  if (!all.may_measure) return;
  now.measure_network = measure;
  // Threads that measure at the same time would take each other's messages.
  if (!all.at_once && !process().concurrent) return;
  std::optional<int> refused;
  Communicator* const world = Communicator::of(handles.comm_world, refused);
  if (world->channel() != nullptr) world->measure_network();
  now.measure_network = nullptr;
}

}  // namespace starling
