#include "ways/selected.hpp"

#include <gtest/gtest.h>

#include "topology/places.hpp"
#include "ways/described_values.hpp"
#include "ways/way.hpp"

namespace starling {
namespace {

/// A library with two variants of one algorithm of bcast and one algorithm of allreduce, while it lives.
class SelectedWays : public ::testing::Test {
 protected:
  SelectedWays() {
    LibraryAlgorithms all{.names = LibraryAlgorithms::Names::of_openmpi, .looked_for = true};
    auto& of_bcast = all.of_collective[static_cast<std::size_t>(Collective::bcast)];
    of_bcast.push_back({.name = "pipeline", .parameters = {{"segment", "8192"}, {"fanout", "4"}}});
    of_bcast.push_back({.name = "pipeline", .parameters = {{"segment", "65536"}, {"fanout", "4"}}});
    of_bcast.push_back({.name = "basic_linear"});
    all.of_collective[static_cast<std::size_t>(Collective::allreduce)].push_back({.name = "ring"});
    set_library_algorithms(std::move(all));
  }
  ~SelectedWays() override { set_library_algorithms({}); }
};

std::string refusal(const LibraryAlgorithm& algorithm, const Situation& situation) {
  return Selected{situation.collective, &algorithm}.refusal(situation);
}

TEST_F(SelectedWays, AreNamedAfterTheLibrarysNames) {
  std::vector<std::string> names;
  for (const Selected& one : Selected::all(Collective::bcast)) names.push_back(one.name());
  EXPECT_EQ(names, (std::vector<std::string>{"native_pipeline?segment=8192,fanout=4",
                                             "native_pipeline?segment=65536,fanout=4", "native_basic_linear"}));
  EXPECT_TRUE(Selected::all(Collective::barrier).empty());
}

TEST_F(SelectedWays, AreFoundByName) {
  for (const Selected& one : Selected::all(Collective::bcast)) {
    const auto found = Selected::named(Collective::bcast, one.name());
    ASSERT_TRUE(found) << one.name();
    EXPECT_EQ(found->name(), one.name());
  }
  EXPECT_EQ(Selected::named(Collective::bcast, "native_pipeline")->name(), "native_pipeline?segment=8192,fanout=4");
  EXPECT_EQ(Selected::named(Collective::bcast, "native_pipeline?segment=65536")->name(),
            "native_pipeline?segment=65536,fanout=4");
  for (const char* wrong : {"native_ring", "native_", "native", "pipeline", "native_pipeline?segment=1",
                            "native_pipeline?radix=2", "native_pipeline?segment", "native_basic_linear?segment=8192"})
    EXPECT_FALSE(Selected::named(Collective::bcast, wrong)) << wrong;
}

TEST_F(SelectedWays, NeedAPrivateCommunicator) {
  EXPECT_EQ(way_named(Collective::allreduce, "native_ring")->communicators(), 1);
}

TEST_F(SelectedWays, KnowTheirCounterpartInTheRepository) {
  const auto of = [](Collective collective, std::string_view name) {
    const auto found = Selected::named(collective, name)->counterpart();
    return found ? found->name() : "none";
  };
  EXPECT_EQ(of(Collective::bcast, "native_pipeline?segment=65536"), "chain?segment=65536");
  EXPECT_EQ(of(Collective::bcast, "native_basic_linear"), "sequential?segment=none");
  EXPECT_EQ(of(Collective::allreduce, "native_ring"), "ring");
  EXPECT_EQ(way_named(Collective::allreduce, "native_ring")->predicted_as()->name(), "ring");
}

TEST_F(SelectedWays, OtherLibrariesHaveAnotherFingerprint) {
  const std::uint64_t mine = library_algorithms().fingerprint();
  LibraryAlgorithms other = library_algorithms();
  EXPECT_EQ(other.fingerprint(), mine);
  other.of_collective[static_cast<std::size_t>(Collective::bcast)].front().settings.push_back({"variable", 3});
  EXPECT_NE(other.fingerprint(), mine);
  EXPECT_NE(LibraryAlgorithms().fingerprint(), mine);
}

TEST(SelectedWay, SaysWhatItCannotDo) {
  Situation six{.collective = Collective::allreduce, .ranks = 6, .bytes = 64, .elements = 3};
  EXPECT_EQ(refusal({.name = "any"}, six), "");
  EXPECT_EQ(refusal({.name = "one", .power_of_two = true}, six), "needs a power of two of ranks");
  EXPECT_EQ(refusal({.name = "one", .ranks = 2}, six), "needs 2 ranks");
  EXPECT_EQ(refusal({.name = "one", .even = 2}, six), "");
  EXPECT_EQ(refusal({.name = "one", .element_each = true}, six), "needs an element for each rank");
  EXPECT_EQ(refusal({.name = "one", .in_place = LibraryAlgorithm::InPlace::always}, six), "serves only in place");
  EXPECT_EQ(refusal({.name = "one", .hierarchy = true}, six), "needs several nodes with several ranks");
  EXPECT_EQ(refusal({.name = "one", .one_node = true}, six), "needs all ranks on one node");
  six.commutative = six.built_in = false;
  EXPECT_EQ(refusal({.name = "one", .commutative = true}, six), "needs a commutative operator");
  EXPECT_EQ(refusal({.name = "one", .built_in = true}, six), "needs a built-in operator");
  six.in_place = true;
  EXPECT_EQ(refusal({.name = "one", .in_place = LibraryAlgorithm::InPlace::never}, six), "does not serve in place");
  Situation seven{.collective = Collective::allgather, .ranks = 7, .bytes = 64, .elements = 64};
  EXPECT_EQ(refusal({.name = "one", .even = 2}, seven), "needs an even number of ranks");
}

TEST(SelectedWay, LooksAtTheNodes) {
  const auto of = [](const std::vector<int>& nodes, const LibraryAlgorithm& algorithm) {
    const Places places(nodes);
    return refusal(algorithm,
                   {.collective = Collective::barrier, .ranks = 4, .bytes = 0, .elements = 0, .places = &places});
  };
  const LibraryAlgorithm hierarchy{.name = "han", .hierarchy = true};
  EXPECT_EQ(of({0, 0, 1, 1}, hierarchy), "");
  EXPECT_NE(of({0, 1, 2, 3}, hierarchy), "");
  EXPECT_NE(of({0, 0, 0, 0}, hierarchy), "");
  const LibraryAlgorithm one_node{.name = "sm", .one_node = true};
  EXPECT_EQ(of({0, 0, 0, 0}, one_node), "");
  EXPECT_NE(of({0, 0, 1, 1}, one_node), "");
}

TEST(DescribedValues, AreInTheOrderOfTheirNumbers) {
  const std::vector<std::string> names{"auto", "nb", "smp", "recursive_doubling"};
  EXPECT_EQ(names_in_description("Variable to select an algorithm\n"
                                 "auto - chosen inside (see FILE)\n"
                                 "nb                 - Force nonblocking algorithm\n"
                                 "smp                - Force smp algorithm\n"
                                 "recursive_doubling - Force recursive doubling algorithm\n"),
            names);
  // As MPICH 4 has it.
  EXPECT_EQ(names_in_description("Variable to select an algorithmauto - chosen inside (see FILE)"
                                 "nb                 - Force nonblocking algorithm"
                                 "smp                - Force smp algorithm"
                                 "recursive_doubling - Force recursive doubling algorithm"),
            names);
  EXPECT_EQ(names_in_description("override theMPIR-level collective algorithms.all     - Always prefer the device "
                                 "collectivesnone    - Never pick the device collectivespercoll - Per collective"),
            (std::vector<std::string>{"all", "none", "percoll"}));
}

TEST(DescribedValues, AreUnknownWhereOneIsNotUnderstood) {
  EXPECT_TRUE(names_in_description("auto - chosen insideSomethingElse - Force it").empty());
  EXPECT_TRUE(names_in_description("auto - inside\n - Force it").empty());
  EXPECT_TRUE(names_in_description("").empty());
}

}  // namespace
}  // namespace starling
