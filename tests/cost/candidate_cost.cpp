#include "cost/candidate_cost.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "cost/lower_bound.hpp"
#include "cost/networks.hpp"
#include "sanitized.hpp"
#include "topology/nodes.hpp"
#include "topology/places.hpp"

namespace starling {
namespace {

constexpr CostParameters defaults{};

/// A star of switches with a rank on each host, and calls on it.
class Cluster {
 public:
  Cluster(int switches, int ranks)
      : platform_(star(switches, (ranks + switches - 1) / switches)),
        hosts_(platform_.placed(ranks)),
        tree_(platform_.tree(hosts_)),
        network_(platform_, hosts_) {}

  [[nodiscard]] Prediction of(const Bound& bound, std::int64_t bytes, int root = 0) const {
    return predict(bound, situation(bound.collective, bytes), root, network_, defaults);
  }
  [[nodiscard]] double of(Collective collective, const char* name, std::int64_t bytes) const {
    const Prediction found = of(candidate_named(collective, name).value(), bytes);
    EXPECT_EQ(found.refusal, "") << name;
    return found.seconds;
  }
  [[nodiscard]] double bound(Collective collective, std::int64_t bytes, int root = 0) const {
    return lower_bound(collective, bytes, root, network_, defaults);
  }

 private:
  [[nodiscard]] Situation situation(Collective collective, std::int64_t bytes) const {
    return {.collective = collective,
            .ranks = network_.ranks(),
            .bytes = bytes,
            .elements = reduces(collective) ? bytes / 8 : bytes,
            .tree = &tree_};
  }

  Platform platform_;
  std::vector<int> hosts_;
  SwitchTree tree_;
  Network network_;
};

/// The time of a single message of `bytes`.
double message(std::int64_t bytes) {
  return (2 * defaults.overhead) + defaults.latency + (static_cast<double>(bytes) * 1e-6 / defaults.rate_share);
}

TEST(CandidateCost, ARingPassesABlockInEveryStep) {
  for (const int ranks : {2, 5, 16}) {
    const double copy = 4096 * defaults.copy_per_byte;
    EXPECT_NEAR(Cluster(1, ranks).of(Collective::allgather, "ring", 4096), copy + ((ranks - 1) * message(4096)), 1e-9);
  }
}

TEST(CandidateCost, ABinomialTreeTakesAMessageForEachDoubling) {
  EXPECT_NEAR(Cluster(1, 2).of(Collective::bcast, "binomial", 4096), message(4096), 1e-9);
  EXPECT_GT(Cluster(1, 16).of(Collective::bcast, "binomial", 4096), 4 * message(4096) - 1e-9);
}

TEST(CandidateCost, CountsTheTimeInWhichRanksLearnHowLargeBlocksAre) {
  const Cluster cluster(1, 16);
  EXPECT_DOUBLE_EQ(cluster.of(Collective::gatherv, "binomial", 64),
                   cluster.of(Collective::gather, "binomial", 64) + cluster.of(Collective::allgather, "bruck", 8));
  EXPECT_DOUBLE_EQ(cluster.of(Collective::scatterv, "binomial", 64),
                   cluster.of(Collective::scatter, "binomial", 64) + cluster.of(Collective::bcast, "binomial", 16 * 8));
  EXPECT_GT(cluster.of(Collective::alltoallv, "bruck", 8), 1.9 * cluster.of(Collective::alltoall, "bruck", 8));
  EXPECT_DOUBLE_EQ(cluster.of(Collective::gatherv, "sequential", 64), cluster.of(Collective::gather, "sequential", 64));
}

TEST(CandidateCost, ARingInTheOrderOfSwitchesIsNoSlowerOnMoreOfThem) {
  EXPECT_NEAR(Cluster(4, 16).of(Collective::allgather, "ring", 4096),
              Cluster(1, 16).of(Collective::allgather, "ring", 4096), 1e-9);
  EXPECT_GT(Cluster(4, 16).of(Collective::alltoall, "ring", 4096),
            2 * Cluster(1, 16).of(Collective::alltoall, "ring", 4096));
}

TEST(CandidateCost, SegmentsLetAChainOvertakeABinomialTree) {
  const Cluster cluster(1, 16);
  const double chain = cluster.of(Collective::bcast, "chain?segment=8192", 1 << 20);
  EXPECT_LT(chain, cluster.of(Collective::bcast, "binomial", 1 << 20) / 2);
  EXPECT_GT(cluster.of(Collective::bcast, "chain?segment=none", 64), cluster.of(Collective::bcast, "binomial", 64));
}

TEST(CandidateCost, EqualCallsHaveEqualTimes) {
  for (const Bound& bound : candidates(Collective::allreduce)) {
    const Prediction one = Cluster(3, 12).of(bound, 65536);
    EXPECT_EQ(one.seconds, Cluster(3, 12).of(bound, 65536).seconds) << bound.name();
  }
}

const std::vector<int> numbers_of_ranks = testing::sanitized ? std::vector{1, 6} : std::vector{1, 2, 3, 8, 12, 16};

/// Every collective, on 1 and 3 switches.
class EveryCandidateCost : public ::testing::TestWithParam<int> {};

TEST_P(EveryCandidateCost, IsFiniteAndNotBelowTheBoundAndGrowsWithTheSize) {
  const auto collective = static_cast<Collective>(GetParam());
  for (const int ranks : numbers_of_ranks) {
    for (const int switches : {1, 3}) {
      const Cluster cluster(switches, ranks);
      const int root = rooted(collective) ? ranks - 1 : 0;
      for (const Bound& bound : candidates(collective)) {
        double before = 0;
        for (const std::int64_t bytes : {64, 4096, 65536, 1 << 20}) {
          const Prediction found = cluster.of(bound, bytes, root);
          if (!found.refusal.empty()) continue;
          const std::string what = bound.name() + " of " + std::to_string(bytes) + " bytes on " +
                                   std::to_string(ranks) + " ranks and " + std::to_string(switches) + " switches";
          ASSERT_TRUE(std::isfinite(found.seconds)) << what;
          ASSERT_TRUE(ranks == 1 || found.seconds > 0) << what;
          // Flows may end a thousandth of their time early.
          ASSERT_GE(found.seconds, cluster.bound(collective, bytes, root) * 0.998) << what;
          ASSERT_GE(found.seconds, before * 0.998) << what;
          before = found.seconds;
        }
      }
    }
  }
}

/// Predicted seconds of candidates on hosts of so many ranks and domains each.
class ManyRanks {
 public:
  ManyRanks(int hosts, int ranks, int domains)
      : hosts_(blocks(hosts * ranks, ranks)),
        domains_(domains_in_blocks(hosts_, std::vector<int>(hosts_.size(), domains))),
        places_(hosts_, domains_),
        network_(Platform::of_nodes(hosts, 10'000'000'000), hosts_, domains_) {}

  [[nodiscard]] Prediction of(const Bound& bound, std::int64_t bytes, int root) const {
    const Situation call{.collective = bound.collective,
                         .ranks = network_.ranks(),
                         .bytes = bytes,
                         .elements = bytes / 8,
                         .places = &places_};
    return predict(bound, call, root, network_, defaults);
  }
  [[nodiscard]] double bound(Collective collective, std::int64_t bytes, int root) const {
    return lower_bound(collective, bytes, root, network_, defaults);
  }
  [[nodiscard]] double of(Collective collective, const char* name, std::int64_t bytes) const {
    const Prediction found = of(candidate_named(collective, name).value(), bytes, 0);
    EXPECT_EQ(found.refusal, "") << name;
    return found.seconds;
  }

 private:
  static std::vector<int> blocks(int ranks, int each) {
    std::vector<int> hosts;
    for (int rank = 0; rank < ranks; ++rank) hosts.push_back(rank / each);
    return hosts;
  }

  std::vector<int> hosts_;
  std::vector<int> domains_;
  Places places_;
  Network network_;
};

/// Numbers of hosts, of ranks on each, and of domains in each.
using Nodes = std::vector<std::tuple<int, int, int>>;
const Nodes kinds_of_nodes = testing::sanitized ? Nodes{{1, 3, 1}, {2, 2, 2}} : Nodes{{1, 2, 1}, {1, 3, 1}, {1, 4, 2},
                                                                                      {1, 5, 1}, {2, 3, 1}, {3, 4, 2}};

TEST_P(EveryCandidateCost, IsFiniteAndGrowsWithTheSizeOnNodesWhateverTheRoot) {
  const auto collective = static_cast<Collective>(GetParam());
  for (const auto& [hosts, ranks, domains] : kinds_of_nodes) {
    const ManyRanks nodes(hosts, ranks, domains);
    const int roots = rooted(collective) ? hosts * ranks : 1;
    for (const Bound& bound : candidates(collective)) {
      for (int root = 0; root < roots; ++root) {
        double before = 0;
        for (const std::int64_t bytes : {64, 65536, 1 << 20}) {
          const Prediction found = nodes.of(bound, bytes, root);
          if (!found.refusal.empty()) continue;
          const std::string what = bound.name() + " of " + std::to_string(bytes) + " bytes on " +
                                   std::to_string(hosts) + " hosts of " + std::to_string(ranks) + " ranks from root " +
                                   std::to_string(root);
          ASSERT_TRUE(std::isfinite(found.seconds)) << what;
          ASSERT_GE(found.seconds, nodes.bound(collective, bytes, root) * 0.998) << what;
          ASSERT_GT(found.seconds, 0) << what;
          ASSERT_GE(found.seconds, before * 0.998) << what;
          before = found.seconds;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryCandidateCost, ::testing::Range(0, collective_count), [](const auto& one) {
  return std::string(collective_names.at(static_cast<std::size_t>(one.param)));
});

TEST(CandidateCost, LargeDataGainsFromLevelsOfDomains) {
  const ManyRanks node(1, 32, 4);
  EXPECT_LT(node.of(Collective::bcast, "domains", 1 << 20), node.of(Collective::bcast, "shared", 1 << 20))
      << "the data comes into each domain once";
  EXPECT_LT(node.of(Collective::bcast, "shared", 8), node.of(Collective::bcast, "domains", 8));
  const ManyRanks nodes(4, 32, 4);
  EXPECT_LT(nodes.of(Collective::bcast, "two_level?inner=domains", 1 << 20),
            nodes.of(Collective::bcast, "two_level?inner=shared", 1 << 20));
}

}  // namespace
}  // namespace starling
