#include "ways/way.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>

namespace starling {
namespace {

template <typename Variant>
std::size_t number_of_all(Collective collective, int ranks) {
  return [&]<std::size_t... kinds>(std::index_sequence<kinds...>) {
    return (std::variant_alternative_t<kinds, Variant>::all(collective, ranks).size() + ...);
  }
  (std::make_index_sequence<std::variant_size_v<Variant>>());
}

TEST(Ways, BeginWithTheMpiLibraryAndHaveNamesOfTheirOwn) {
  for (int i = 0; i < collective_count; ++i) {
    const auto collective = static_cast<Collective>(i);
    const auto list = ways(collective, 12);
    const std::vector<Way>& all = *list;
    ASSERT_FALSE(all.empty());
    EXPECT_EQ(all.front().name(), "native");
    EXPECT_EQ(all.size(), number_of_all<Way::Kind>(collective, 12)) << "of every kind";
    EXPECT_GT(all.size(), 1u) << name_of(collective);
    std::set<std::string> names;
    for (const Way& way : all) EXPECT_TRUE(names.insert(way.name().text()).second) << way.name();
  }
}

TEST(Ways, AreFoundByTheirNames) {
  for (int i = 0; i < collective_count; ++i) {
    const auto collective = static_cast<Collective>(i);
    for (const auto all = ways(collective, 12); const Way& way : *all) {
      const std::optional<Way> found = way_named(collective, way.name());
      ASSERT_TRUE(found) << way.name();
      EXPECT_EQ(found->name(), way.name());
      EXPECT_EQ(found->group(), way.group());
      EXPECT_EQ(found->attributes(), way.attributes());
      EXPECT_EQ(found->kind().index(), way.kind().index());
    }
  }
  EXPECT_FALSE(way_named(Collective::bcast, "rung"));
  EXPECT_FALSE(way_named(Collective::bcast, ""));
}

TEST(Ways, SayHowManyCommunicatorsTheyNeed) {
  const auto needed = [](std::string_view name) { return way_named(Collective::allreduce, name)->communicators(); };
  EXPECT_EQ(needed("native"), 0);
  EXPECT_EQ(needed("ring"), 0);
  EXPECT_EQ(way_named(Collective::allgather, "ring_mpi_barrier")->communicators(), 1);
  EXPECT_EQ(needed("groups?mesh=3x4"), 2);
  EXPECT_EQ(needed("groups_leader?mesh=2x3x2"), 3);
  EXPECT_EQ(needed("groups?mesh=cube"), 3);
}

TEST(Ways, OfNeighbourhoodCollectivesAreTheTwoSidedExchangesOfTableOne) {
  const auto all = NeighborExchange::all(Collective::neighbor_alltoallw);
  EXPECT_EQ(all.size(), 12u);
  EXPECT_TRUE(way_named(Collective::neighbor_allgather, "SendIrecv_aao_pack"));
  EXPECT_FALSE(way_named(Collective::neighbor_allgather, "WinfecePut_aao"));
  EXPECT_FALSE(way_named(Collective::allgather, "SendIrecv_aao_pack"));
  const Attributes attributes = way_named(Collective::neighbor_alltoall, "Sendrecv_pair_pack")->attributes();
  EXPECT_EQ(attributes, (Attributes{{"partners", "pair"}, {"handling", "pack"}, {"transfer", "Sendrecv"}}));
}

TEST(Ways, AreTheSameObjectsForEqualNumbersOfRanks) {
  EXPECT_EQ(ways(Collective::bcast, 6), ways(Collective::bcast, 6));
  EXPECT_NE(ways(Collective::bcast, 6), ways(Collective::bcast, 8));
  EXPECT_LT(ways(Collective::gather, 2)->size(), ways(Collective::gather, 6)->size()) << "2 ranks form no mesh";
}

TEST(Ways, AreNotKeptForEverySizeThereEverWas) {
  const std::weak_ptr<const std::vector<Way>> unused = ways(Collective::barrier, 1000);
  const auto used = ways(Collective::barrier, 1001);
  const std::weak_ptr<const std::vector<Way>> in_use = used;
  for (int size = 2000; size < 2100; ++size) EXPECT_FALSE(ways(Collective::barrier, size)->empty());
  EXPECT_TRUE(unused.expired());
  EXPECT_EQ(ways(Collective::barrier, 1001), in_use.lock());
}

TEST(Ways, AreOfferedUnderEachNameOnceWhateverTheNumberOfRanks) {
  for (int i = 0; i < collective_count; ++i) {
    const auto collective = static_cast<Collective>(i);
    std::set<std::string> offered;
    for (const Way& way : offered_ways(collective)) {
      EXPECT_TRUE(offered.insert(way.algorithm_name().text()).second) << way.algorithm_name();
      EXPECT_FALSE(way.says().empty()) << way.algorithm_name();
    }
    std::set<std::string> known;
    for (const auto all = ways(collective, 12); const Way& way : *all) known.insert(way.algorithm_name().text());
    EXPECT_EQ(offered, known);
  }
}

TEST(Ways, HaveSchedulesAndAPredictedTimeWhereTheyAreOfTheRepository) {
  const auto chain = way_named(Collective::bcast, "chain?segment=8192");
  ASSERT_TRUE(chain && chain->scheduled() != nullptr);
  EXPECT_EQ(chain->scheduled()->name(), "chain?segment=8192");
  EXPECT_EQ(chain->predicted_as()->name(), "chain?segment=8192");
  for (const auto& way :
       {way_named(Collective::bcast, "native"), way_named(Collective::neighbor_alltoall, "Sendrecv_pair")}) {
    ASSERT_TRUE(way);
    EXPECT_EQ(way->scheduled(), nullptr);
    EXPECT_FALSE(way->predicted_as());
  }
}

TEST(Ways, TellWhatTheCandidateTells) {
  const std::optional<Way> chain = way_named(Collective::bcast, "chain?segment=8192");
  ASSERT_TRUE(chain);
  EXPECT_EQ(chain->algorithm_name(), "chain");
  EXPECT_EQ(chain->parameter_values().number("segment"), 8192);
  const Attributes wanted{{"algorithm", "chain"}, {"synchronisation", "none"}, {"segment", "8192"}};
  EXPECT_EQ(chain->attributes(), wanted);
  const std::optional<Way> doubling = way_named(Collective::allreduce, "recursive_doubling");
  EXPECT_EQ(doubling->reduction_order(),
            candidate_named(Collective::allreduce, "recursive_doubling")->reduction_order());
  const Situation eight{.collective = Collective::alltoall, .ranks = 6, .bytes = 8, .elements = 8};
  EXPECT_EQ(way_named(Collective::alltoall, "pair")->refusal(eight), "needs a power of two of ranks");
  EXPECT_EQ(way_named(Collective::alltoall, "native")->refusal(eight), "");
  EXPECT_EQ(way_named(Collective::alltoall, "native")->group(), "native");
}

}  // namespace
}  // namespace starling
